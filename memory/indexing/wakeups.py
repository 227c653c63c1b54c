"""Sending a worker to index an entity. A lost wake-up does not matter: the sweep looks at the queue."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from memory.broker import queue_of, send_task

INDEX_TASK = "memory.index_entity"
VECTOR_INDEX_TASK = "memory.build_vector_index"
INDEX_QUEUE = "index"


def wake_index_on_commit(*, workspace_id: UUID, entity_id: UUID, delay_seconds: float = 0.0) -> None:
    """Send one task when, and only if, the current transaction commits."""
    sending = partial(send_index, workspace_id=workspace_id, entity_id=entity_id)
    transaction.on_commit(partial(sending, delay_seconds=delay_seconds))


def send_index(*, workspace_id: UUID, entity_id: UUID, delay_seconds: float = 0.0) -> None:
    """Send one task now. Never raises: what waits stays in the queue's table."""
    queue = queue_of(workspace_id, INDEX_QUEUE)
    send_task(INDEX_TASK, entity_id, queue=queue, delay_seconds=delay_seconds)


def send_vector_index(*, workspace_id: UUID, entity_id: UUID, space_id: int) -> None:
    """Have a worker build the entity's own vector index. The next index step asks again if none came."""
    send_task(VECTOR_INDEX_TASK, entity_id, space_id, queue=queue_of(workspace_id, INDEX_QUEUE))
