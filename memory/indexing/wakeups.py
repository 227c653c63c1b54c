"""Sending a worker to index an entity. A lost wake-up does not matter: the sweep looks at the queue."""

from __future__ import annotations

import logging
from functools import partial
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

INDEX_TASK = "memory.index_entity"
INDEX_QUEUE = "index"


def wake_index_on_commit(*, entity_id: UUID, delay_seconds: float = 0.0) -> None:
    """Send one task when, and only if, the current transaction commits."""
    transaction.on_commit(partial(send_index, entity_id=entity_id, delay_seconds=delay_seconds))


def send_index(*, entity_id: UUID, delay_seconds: float = 0.0) -> None:
    """Send one task now. A broker that does not answer is logged: what waits stays in the queue's table."""
    try:
        current_app.send_task(
            INDEX_TASK,
            args=[str(entity_id)],
            countdown=delay_seconds or None,
            queue=INDEX_QUEUE,
            ignore_result=True,
            retry=False,
        )
    except (OperationalError, OSError) as error:
        logger.warning("no wake-up sent to index %s: %s", entity_id, type(error).__name__)
