"""L1: atoms and their chains."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from memory.admin.atom_changes import RESTORE, RETRACT, SUPERSEDE
from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, StepInputAdmin, WorkspaceFilter
from memory.admin.changes import ChangingAdmin
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


def _says_something(atom: Atom, names: tuple[str, ...]) -> bool:
    return any(getattr(atom, name) not in {None, ""} for name in names if name != "value") or (
        "value" in names and atom.value is not None
    )


SELDOM = (
    ("subject_kind", "subject_id", "predicate"),
    ("value", "live_source", "valid_from", "valid_until"),
    ("happened_from", "happened_until"),
)


@admin.register(Atom)
class AtomAdmin(StepInputAdmin, ChangingAdmin):
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
        *SELDOM,
        ("occurred_at", "last_seen_at", "created_at"),
        ("decision", "merge_reason", "superseding"),
        ("run_link", "state", "read_by", "parked_run"),
    )
    inlines = (AtomRestsOn, AtomUsedBy)
    changes = (SUPERSEDE, RETRACT, RESTORE)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Lines of fields that say something: most atoms are no claims and name no day."""
        lines = super().get_fields(request, obj)
        return [line for line in lines if line not in SELDOM or obj is None or _says_something(obj, line)]

    @admin.display(description="chain")
    def chain_link(self, atom: Atom) -> str:
        """The matter it belongs to."""
        return id_link("chain", atom.chain_id)

    @admin.display(description="superseded by")
    def superseding(self, atom: Any) -> str:
        """The atom that took its place."""
        return row_link(atom.superseded_by)
