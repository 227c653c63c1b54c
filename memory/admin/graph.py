"""The graph that is projected from claims, and what waits to be projected."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, StepInputAdmin, WorkspaceFilter
from memory.admin.links import id_link, row_link
from memory.models import GraphEdge, GraphNode, Unpromoted


@admin.register(GraphNode)
class GraphNodeAdmin(ReadOnlyAdmin):
    """What is spoken of."""

    list_display = ("identifier", "kind", "entity", "created_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", ("kind", "identifier"), "created_at")


@admin.register(GraphEdge)
class GraphEdgeAdmin(ReadOnlyAdmin):
    """How it is related, each edge with the atom that says so."""

    list_display = ("subject", "predicate", "object", "value", "valid_from", "valid_until", "entity")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity", "subject", "object")
    ordering = ("-pk",)
    fields = (
        "entity",
        ("subject_link", "predicate", "object_link"),
        "value",
        ("valid_from", "valid_until"),
        ("claim", "created_at"),
    )

    @admin.display(description="subject")
    def subject_link(self, edge: Any) -> str:
        """The node it begins at."""
        return row_link(edge.subject)

    @admin.display(description="object")
    def object_link(self, edge: Any) -> str:
        """The node it ends at; empty where the object is a value."""
        return row_link(edge.object)

    @admin.display(description="said by")
    def claim(self, edge: Any) -> str:
        """The atom it is projected from."""
        return row_link(edge.atom)


@admin.register(Unpromoted)
class UnpromotedAdmin(StepInputAdmin):
    """Atoms that wait for promotion."""

    list_display = ("id", "atom_link", "entity", "queued_at", "state")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "atom_link", "queued_at", ("state", "parked_run"))

    @admin.display(description="atom")
    def atom_link(self, row: Any) -> str:
        """The atom that changed."""
        return id_link("atom", row.atom_id)
