"""Sending a worker to look at an entity. A wake-up that is lost does not matter: the sweep looks at rows."""

from __future__ import annotations

import logging
from functools import partial
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from memory.models import Step

logger = logging.getLogger(__name__)

RUN_STEP_TASK = "memory.run_step"
CASCADE_QUEUE = "cascade"


def wake_on_commit(*, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> None:
    """Send one task for the step when, and only if, the current transaction commits."""
    transaction.on_commit(partial(send, entity_id=entity_id, step=step, delay_seconds=delay_seconds))


def send(*, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> None:
    """Send one task now. A broker that does not answer is logged: what is due stays due in the database."""
    try:
        current_app.send_task(
            RUN_STEP_TASK,
            args=[str(entity_id), step.value],
            countdown=delay_seconds or None,
            queue=CASCADE_QUEUE,
            ignore_result=True,
            retry=False,
        )
    except (OperationalError, OSError) as error:
        logger.warning("no wake-up sent for %s of %s: %s", step, entity_id, type(error).__name__)
