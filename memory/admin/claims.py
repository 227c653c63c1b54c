"""What may be claimed, where live values come from, and what they last said."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.links import row_link
from memory.admin.managed import ManagedAdmin
from memory.admin.membership import can_manage
from memory.models import LiveSource, LiveValue, Policy


class _OperatorsTable(ManagedAdmin):
    """A table that operators add to and delete from as well."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators."""
        return can_manage(request, None)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators of the row's workspace."""
        return obj is not None and self.has_manage_permission(request, obj)


@admin.register(Policy)
class PolicyAdmin(_OperatorsTable):
    """What becomes of claims, by the pattern of their predicate."""

    list_display = ("pattern", "action", "cardinality", "asserted_by", "source", "workspace")
    list_filter = (WorkspaceFilter, "action")
    list_select_related = ("workspace", "source")
    ordering = ("pattern", "-pk")
    search_fields = ("pattern",)
    search_help_text = "The id or the exact pattern of a policy."
    fields = ("workspace", "pattern", ("action", "cardinality"), "asserted_by", "source")


@admin.register(LiveSource)
class LiveSourceAdmin(_OperatorsTable):
    """Where live values come from."""

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

    list_display = ("claim", "entity", "error", "fetched_at", "expires_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity", "atom")
    list_deferred = ("value",)
    ordering = ("-pk",)
    fields = ("entity", "claim", "value", "error", ("fetched_at", "expires_at"))

    @admin.display(description="claim")
    def claim(self, value: Any) -> str:
        """The claim it is fetched for."""
        return row_link(value.atom)
