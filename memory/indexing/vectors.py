"""Vectors of units: written in the space of the embedder that made them, never compared across spaces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from memory.llm.embedders.protocol import Embedder
from memory.models import EmbeddingSpace, Entity, SearchUnit, UnitVector


def current_space(embedder: Embedder) -> EmbeddingSpace:
    """The row of the embedder's space, made when it is met first."""
    return _space(embedder.space, embedder.dimensions)


@cache
def _space(name: str, dimensions: int) -> EmbeddingSpace:
    return EmbeddingSpace.objects.get_or_create(name=name, defaults={"dimensions": dimensions})[0]


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
