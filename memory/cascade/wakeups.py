"""Sending a worker to look at an entity. A wake-up that is lost does not matter: the sweep looks at rows."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from memory.broker import send_task
from memory.models import Step

RUN_STEP_TASK = "memory.run_step"
CASCADE_QUEUE = "cascade"


def wake_on_commit(*, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> None:
    """Send one task for the step when, and only if, the current transaction commits."""
    transaction.on_commit(partial(send, entity_id=entity_id, step=step, delay_seconds=delay_seconds))


def send(*, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> None:
    """Send one task now. Never raises: what is due stays due in the database."""
    send_task(RUN_STEP_TASK, entity_id, step.value, queue=CASCADE_QUEUE, delay_seconds=delay_seconds)
