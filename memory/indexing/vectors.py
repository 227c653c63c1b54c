"""Vectors of units: written in the space of the embedder that made them, never compared across spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.llm.embedders.protocol import Embedder
from memory.models import EmbeddingSpace, Entity, SearchUnit, UnitVector


def current_space(embedder: Embedder) -> EmbeddingSpace:
    """The row of the embedder's space, made when it is met first.

    It is looked up each time, once a batch: a row that a process remembers outlives a rollback or a reset of
    the database, and every vector written with it fails from then on.
    """
    found = EmbeddingSpace.objects.get_or_create(
        name=embedder.space, defaults={"dimensions": embedder.dimensions}
    )
    return found[0]


def write_vectors(entity: Entity, space: EmbeddingSpace, found: Sequence[tuple[SearchUnit, Any]]) -> None:
    """Write or replace the vectors of some units."""
    UnitVector.objects.bulk_create(
        [
            UnitVector(
                unit=unit,
                space=space,
                workspace_id=entity.workspace_id,
                entity=entity,
                embedding=vector,
            )
            for unit, vector in found
        ],
        update_conflicts=True,
        update_fields=["embedding"],
        unique_fields=["unit", "space"],
    )
