"""The index's part of the sweep: entities whose rows wait, whatever became of the tasks for them."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from memory.indexing.wakeups import send_index
from memory.llm.embedders.registry import configured_embedder
from memory.models import Entity, Unindexed

OVERDUE_SECONDS = 5.0
"""What was queued just now has a task under way."""
SWEEP_LIMIT = 1_000


def sweep_index() -> int:
    """Wake a worker for every entity whose rows have waited too long; gives how many entities.

    A row that lacks a vector alone waits for ever where no embedder is configured: it is left in peace.
    """
    entities = waiting_entities(wants_vectors=configured_embedder() is not None)
    for workspace_id, entity_id in entities:
        send_index(workspace_id=workspace_id, entity_id=entity_id)
    return len(entities)


def waiting_entities(*, wants_vectors: bool) -> list[tuple[UUID, UUID]]:
    """Workspace and entity of overdue rows, at most `SWEEP_LIMIT`."""
    is_indexable = Q() if wants_vectors else Q(has_terms=False)
    # What is rebuilt in a shadow is searched by nobody until it is applied.
    queued = Unindexed.objects.filter(entity__shadow_of__isnull=True)
    late = queued.filter(is_indexable, queued_at__lt=Now() - timedelta(seconds=OVERDUE_SECONDS))
    return list(late.order_by().values_list("workspace_id", "entity_id").distinct()[:SWEEP_LIMIT])


def has_waiting(entity_id: UUID) -> bool:
    """Whether anything of an entity is in the queue."""
    return Unindexed.objects.filter(entity_id=entity_id).exists()


def send_for_entity(entity_id: UUID) -> None:
    """Wake a worker for an entity of which nothing but the id is known; one that is gone needs none."""
    workspace_id = Entity.objects.filter(pk=entity_id).values_list("workspace_id", flat=True).first()
    if workspace_id is not None:
        send_index(workspace_id=workspace_id, entity_id=entity_id)
