"""L1: atoms and their chains."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, StepInputAdmin, WorkspaceFilter
from memory.admin.links import id_link, row_link
from memory.admin.receipts import AtomRestsOn, AtomUsedBy
from memory.models import Atom, Chain


class ChainInline(ReadOnlyInline):
    """What was held about one matter, in the order of its making."""

    model = Atom
    fk_name = "chain"
    verbose_name_plural = "atoms of this chain"
    ordering = ("seq",)
    fields = readonly_fields = ("claim", "status", "decision", "merge_reason", "occurred_at")

    @admin.display(description="claim")
    def claim(self, atom: Atom) -> str:
        """The atom's text, linked."""
        return row_link(atom)


@admin.register(Chain)
class ChainAdmin(ReadOnlyAdmin):
    """Matters, newest first."""

    list_display = ("id", "entity", "created_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "created_at")
    inlines = (ChainInline,)


@admin.register(Atom)
class AtomAdmin(StepInputAdmin):
    """Claims, newest first, each with what it rests on and what was written from it."""

    list_display = ("text", "kind", "priority", "status", "authority", "entity", "occurred_at", "state")
    list_filter = (WorkspaceFilter, "kind", "status", "authority", "decision")
    list_select_related = ("entity",)
    list_deferred = ("terms",)
    ordering = ("-seq",)
    fields = (
        ("entity", "chain_link", "seq"),
        "text",
        ("kind", "priority", "status", "authority"),
        ("topic", "subject", "scope"),
        ("subject_kind", "subject_id", "predicate"),
        ("value", "live_source", "valid_from", "valid_until"),
        ("happened_from", "happened_until"),
        ("occurred_at", "last_seen_at", "created_at"),
        ("decision", "merge_reason", "superseding"),
        ("run_link", "state", "read_by", "parked_run"),
    )
    inlines = (AtomRestsOn, AtomUsedBy)

    @admin.display(description="chain")
    def chain_link(self, atom: Atom) -> str:
        """The matter it belongs to."""
        return id_link("chain", atom.chain_id)

    @admin.display(description="superseded by")
    def superseding(self, atom: Any) -> str:
        """The atom that took its place."""
        return row_link(atom.superseded_by)
