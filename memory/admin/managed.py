"""Tables that operators of a workspace change or add to."""

from typing import Any

from django.http import HttpRequest

from memory.admin.base import ReadOnlyAdmin
from memory.admin.membership import is_superuser, managed_workspaces
from memory.models import Workspace


class OperatorsChoiceAdmin(ReadOnlyAdmin):
    """A table whose forms offer the workspaces that the person manages, no others."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        """Offer the workspaces that the person manages, no others."""
        if db_field.name == "workspace" and not is_superuser(request):
            managed = managed_workspaces(request)
            options["queryset"] = Workspace.objects.filter(pk__in=managed)
        return super().formfield_for_foreignkey(db_field, request, **options)


class ManagedAdmin(OperatorsChoiceAdmin):
    """A table whose rows operators of the workspace change."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Write the fields that were changed, so that what happened to the others meanwhile stays."""
        obj.save(update_fields=form.changed_data if change else None)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators of the row's workspace."""
        return self.has_manage_permission(request, obj)
