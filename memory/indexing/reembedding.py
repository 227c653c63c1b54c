"""Vectors of the embedder in use for everything that has none: after the model changed, or was down for long.

Units are found by their words all the while. Vectors of other spaces stay until somebody takes them away, so
that a model can be changed back.
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
REMOVED_AT_ONCE = 5_000


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


def remove_other_vectors(entity_id: UUID, space: str) -> int:
    """Take away an entity's vectors of all spaces but one; gives how many there were.

    In batches, each a transaction of its own: it may be stopped and done again.
    """
    others = UnitVector.objects.filter(entity_id=entity_id).exclude(space__name=space).order_by("pk")
    removed = 0
    while batch := list(others.values_list("pk", flat=True)[:REMOVED_AT_ONCE]):
        removed += UnitVector.objects.filter(pk__in=batch).delete()[0]
    return removed


def missing_vectors(space: str) -> int:
    """How many units of all entities have no vector in a space."""
    units = LayerCount.objects.aggregate(units=Sum("units"))["units"] or 0
    return max(0, units - UnitVector.objects.filter(space__name=space).count())
