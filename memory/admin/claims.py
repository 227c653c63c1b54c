"""What may be claimed, where live values come from, and what they last said."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.claim_forms import LiveSourceForm, PolicyForm
from memory.admin.links import row_link
from memory.admin.managed import ManagedAdmin
from memory.admin.membership import can_manage, is_superuser, managed_workspaces
from memory.models import Authority, LiveSource, LiveValue, Policy


class _OperatorsTable(ManagedAdmin):
    """A table that operators add to and delete from as well. A row stays in its workspace."""

    kept: tuple[str, ...] = ("workspace",)
    """Fields that are said once."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators."""
        return can_manage(request, None)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators of the row's workspace."""
        return obj is not None and self.has_manage_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """What is said once cannot be changed."""
        return self.kept if obj else ()


@admin.register(Policy)
class PolicyAdmin(_OperatorsTable):
    """What becomes of claims, by the pattern of their predicate."""

    form = PolicyForm
    list_display = ("pattern", "action", "cardinality", "asserters", "source", "workspace")
    list_filter = (WorkspaceFilter, "action")
    list_select_related = ("workspace", "source")
    ordering = ("pattern", "-pk")
    search_fields = ("pattern",)
    search_help_text = "The id or the exact pattern of a policy."
    fields = ("workspace", "pattern", ("action", "cardinality"), "asserted_by", "source")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        """Offer the sources of the workspaces that the person manages, no others."""
        if db_field.name == "source" and not is_superuser(request):
            managed = managed_workspaces(request)
            options["queryset"] = LiveSource.objects.filter(workspace__in=managed)
        return super().formfield_for_foreignkey(db_field, request, **options)

    @admin.display(description="asserted by")
    def asserters(self, policy: Policy) -> str:
        """Who may assert it, by name."""
        if set(policy.asserted_by) == set(Authority.values):
            return "anybody"
        return ", ".join(Authority(number).label for number in sorted(policy.asserted_by, reverse=True))


@admin.register(LiveSource)
class LiveSourceAdmin(_OperatorsTable):
    """Where live values come from. Claims know a source by its name, so the name stays."""

    form = LiveSourceForm
    kept = ("workspace", "name")
    list_display = ("name", "kind", "address", "timeout_milliseconds", "cache_seconds", "workspace")
    list_filter = (WorkspaceFilter, "kind")
    list_select_related = ("workspace",)
    ordering = ("name", "-pk")
    search_fields = ("name",)
    search_help_text = "The id or the exact name of a source."
    fields = (
        "workspace",
        ("name", "kind"),
        "address",
        "credential",
        ("timeout_milliseconds", "most_bytes", "cache_seconds"),
    )


@admin.register(LiveValue)
class LiveValueAdmin(ReadOnlyAdmin):
    """What live sources last said, newest first."""

    list_display = ("claim", "entity", "error", "fetched_at", "known_at", "expires_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity", "atom")
    list_deferred = ("value",)
    ordering = ("-pk",)
    fields = ("entity", "claim", "value", "error", ("fetched_at", "known_at", "expires_at"))

    @admin.display(description="claim")
    def claim(self, value: Any) -> str:
        """The claim it is fetched for."""
        return row_link(value.atom)
