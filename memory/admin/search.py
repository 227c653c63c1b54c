"""What search reads: units, vectors, counts, and the rows that wait for the index step. It is all rebuilt."""

from typing import Any
from uuid import UUID

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.links import id_link
from memory.admin.operations import InstallationAdmin
from memory.models import (
    EmbeddingSpace,
    LanguageSample,
    Layer,
    LayerCount,
    RecordCount,
    SearchUnit,
    TermCount,
    Unindexed,
    UnitVector,
)

TABLES = {Layer.MESSAGE: "message", Layer.ATOM: "atom", Layer.SECTION: "scene", Layer.TRAIT: "trait"}


def thing_link(layer: int, row: UUID) -> str:
    """A link to the row that a unit stands for."""
    return id_link(TABLES[Layer(layer)], row)


@admin.register(SearchUnit)
class SearchUnitAdmin(ReadOnlyAdmin):
    """What is found by words, newest first. Words are kept as hashes of the entity: none can be read here."""

    list_display = ("id", "layer", "thing", "section", "entity", "length", "occurred_at")
    list_filter = (WorkspaceFilter, "layer")
    list_select_related = ("entity",)
    list_deferred = ("terms", "frequencies")
    ordering = ("-pk",)
    fields = (
        ("entity", "layer", "thing", "section"),
        ("position", "speaker", "is_question"),
        ("own_length", "length", "different_terms"),
        "occurred_at",
    )

    @admin.display(description="stands for")
    def thing(self, unit: SearchUnit) -> str:
        """The message, atom, scene or trait."""
        ids = (unit.message_id, unit.atom_id, unit.scene_id, unit.trait_id)
        return next((thing_link(unit.layer, row) for row in ids if row is not None), "")

    @admin.display(description="different terms")
    def different_terms(self, unit: SearchUnit) -> int:
        """How many it is found by."""
        return len(unit.terms)


@admin.register(UnitVector)
class UnitVectorAdmin(ReadOnlyAdmin):
    """Which unit has a vector in which space; the numbers themselves say nothing to a reader."""

    list_display = ("id", "unit_link", "space", "entity")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity", "space")
    list_deferred = ("embedding",)
    ordering = ("-pk",)
    fields = ("entity", "unit_link", "space")

    @admin.display(description="unit")
    def unit_link(self, vector: UnitVector) -> str:
        """The unit it belongs to, by number."""
        return f"{vector.unit_id}"


@admin.register(TermCount)
class TermCountAdmin(ReadOnlyAdmin):
    """How common each hashed term is within an entity."""

    list_display = ("id", "entity", "term", "units")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "term", "units")


@admin.register(LayerCount)
class LayerCountAdmin(ReadOnlyAdmin):
    """How many units each layer of an entity has."""

    list_display = ("entity", "layer", "units", "length")
    list_filter = (WorkspaceFilter, "layer")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "layer", "units", "length")


@admin.register(RecordCount)
class RecordCountAdmin(ReadOnlyAdmin):
    """How many messages and atoms came, went or changed their state; what an entity has is their sum."""

    list_display = ("id", "entity", "layer", "heads", "versions")
    list_filter = (WorkspaceFilter, "layer")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "layer", "heads", "versions")


@admin.register(Unindexed)
class UnindexedAdmin(ReadOnlyAdmin):
    """What waits for the index step, the oldest first."""

    list_display = ("id", "layer", "thing", "entity", "has_terms", "queued_at")
    list_filter = (WorkspaceFilter, "layer", "has_terms")
    list_select_related = ("entity",)
    ordering = ("pk",)
    fields = ("entity", "layer", "thing", "has_terms", "queued_at")

    @admin.display(description="waits")
    def thing(self, waiting: Unindexed) -> str:
        """The row that changed."""
        return thing_link(waiting.layer, waiting.row)


@admin.register(LanguageSample)
class LanguageSampleAdmin(ReadOnlyAdmin):
    """The languages an entity's words are stemmed in."""

    list_display = ("entity", "shown_languages", "units_seen")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "shown_languages", "units_seen")

    @admin.display(description="languages")
    def shown_languages(self, sample: Any) -> str:
        """Their codes."""
        return str(sample)


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(InstallationAdmin):
    """Ways of embedding that this installation has used."""

    list_display = ("name", "dimensions", "created_at")
    ordering = ("-pk",)
    search_fields = ("name",)
    fields = ("name", "dimensions", "created_at")
