"""Erasing as it was planned and done: ids and counts, never a word."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.changes import ChangingAdmin
from memory.admin.erasing_changes import ERASE
from memory.admin.facts import facts
from memory.admin.links import id_link, who_of
from memory.models import Erasure, Tombstone
from memory.stewardship.erasing.affected import COUNTED_BESIDE


@admin.register(Erasure)
class ErasureAdmin(ChangingAdmin):
    """The audit of erases, newest first; that of an entity outlives it."""

    hides_shadows = False

    list_display = ("created_at", "scope", "status", "total", "entity", "workspace", "who", "done_at")
    list_filter = (WorkspaceFilter, "status", "scope")
    list_select_related = ("entity", "workspace", "user", "key")
    list_deferred = ("selection",)
    ordering = ("-pk",)
    changes = (ERASE,)
    fields = (
        ("workspace", "entity", "entity_mark"),
        ("scope", "status"),
        "shown_counts",
        "reason",
        ("who", "created_at", "expires_at", "done_at"),
    )

    @admin.display(description="rows")
    def total(self, erasure: Erasure) -> int:
        """How many rows went, or would go."""
        sorts = {name: count for name, count in erasure.counts.items() if name not in COUNTED_BESIDE}
        return sum(count for count in sorts.values() if isinstance(count, int))

    @admin.display(description="by layer")
    def shown_counts(self, erasure: Erasure) -> str:
        """Rows by layer."""
        return facts(erasure.counts)

    @admin.display(description="by")
    def who(self, erasure: Any) -> str:
        """The person, the key or the terminal that it came from."""
        return who_of(erasure)


@admin.register(Tombstone)
class TombstoneAdmin(ReadOnlyAdmin):
    """Keyed hashes of what was erased, so that no import brings it back. They cannot be read back."""

    list_display = ("id", "erasure_link", "workspace")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("workspace", "erasure")
    list_deferred = ("digest",)
    ordering = ("-pk",)
    search_fields = ("erasure__pk",)
    search_help_text = "The number of a row."
    fields = ("workspace", "erasure_link")

    @admin.display(description="erasure")
    def erasure_link(self, tombstone: Any) -> str:
        """The erase that left it."""
        return id_link("erasure", tombstone.erasure_id)
