"""Vectors of the embedder in use for everything that has none: after the model changed, or was down for long.

Nothing is taken away. Units are found by their words all the while, and vectors of other spaces stay.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.db.models import Sum

from memory.indexing.step import index_entity
from memory.indexing.sweeping import has_waiting
from memory.llm.embedders.protocol import Embedder
from memory.models import LayerCount, UnitVector

ROUND_SECONDS = 60.0


def embed_missing(entity_id: UUID, embedder: Embedder, *, progress: Callable[[int], None]) -> bool:
    """Work through the queue of an entity; `progress` is told how many rows each batch had.

    Gives whether nothing waits any more. What waits then stays in the queue: a later call, or a worker, goes
    on from there. Raises EmbeddingError when the embedder does not answer.
    """
    while index_entity(entity_id=entity_id, seconds=ROUND_SECONDS, embedder=embedder, progress=progress):
        pass
    if not has_waiting(entity_id):
        return True
    # The index step passes over an embedder that is down; whoever waits here wants to know why.
    embedder.embed(["-"])
    return False


def missing_vectors(space: str) -> int:
    """How many units of all entities have no vector in a space."""
    units = LayerCount.objects.aggregate(units=Sum("units"))["units"] or 0
    return max(0, units - UnitVector.objects.filter(space__name=space).count())
