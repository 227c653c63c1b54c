"""Sending a worker to look at an entity. A wake-up that is lost does not matter: the sweep looks at rows."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from memory.broker import queue_of, send_task
from memory.models import Step

RUN_STEP_TASK = "memory.run_step"
CASCADE_QUEUE = "cascade"


def wake_on_commit(*, workspace_id: UUID, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> None:
    """Send one task for the step when, and only if, the current transaction commits."""
    sending = partial(send, workspace_id=workspace_id, entity_id=entity_id, step=step)
    transaction.on_commit(partial(sending, delay_seconds=delay_seconds))


def send(*, workspace_id: UUID, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> None:
    """Send one task now. Never raises: what is due stays due in the database."""
    queue = queue_of(workspace_id, CASCADE_QUEUE)
    send_task(RUN_STEP_TASK, entity_id, step.value, queue=queue, delay_seconds=delay_seconds)
