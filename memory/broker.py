"""Handing tasks to the broker: quickly or not at all, since rows say what is due and the sweep finds them."""

from __future__ import annotations

import logging
import time
from uuid import UUID

from celery import current_app
from kombu import pools

from memory.models.tenancy import SANDBOX_WORKSPACE_ID

logger = logging.getLogger(__name__)

SANDBOX_QUEUE = "sandbox"
ANSWER_SECONDS = 0.4
"""A broker that is well answers in milliseconds, and a caller of the API waits for this."""
REST_SECONDS = 5.0
"""Tasks are not sent for so long after one could not be: a silent broker would slow down every request."""
PRODUCER_OPTIONS = {
    "socket_connect_timeout": ANSWER_SECONDS,
    "socket_timeout": ANSWER_SECONDS,
    "max_retries": 0,
    "connect_retries_timeout": ANSWER_SECONDS,
}
"""For sending alone: a worker that waits for tasks is silent for longer than this."""


class Breaker:
    """Whether sending is worth a try. Threads may share it: at worst two find out the same at once."""

    def __init__(self) -> None:
        self._rests_until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the broker failed a moment ago."""
        return time.monotonic() < self._rests_until

    def note_failure(self) -> None:
        """Leave the broker in peace for a while."""
        self._rests_until = time.monotonic() + REST_SECONDS

    def close(self) -> None:
        """Try again from now on."""
        self._rests_until = 0.0


breaker = Breaker()


def queue_of(workspace_id: UUID, usual: str) -> str:
    """Where work of a workspace waits. Visitors have a queue of their own and hold nobody else up."""
    return SANDBOX_QUEUE if workspace_id == SANDBOX_WORKSPACE_ID else usual


def send_task(task: str, entity_id: UUID, *more: object, queue: str, delay_seconds: float = 0.0) -> None:
    """Send one task about an entity now. Never raises, and never waits for much more than a second.

    It runs after a commit: an error here would tell a client that its words were not stored.
    """
    if breaker.is_open:
        logger.debug("no wake-up sent for %s of %s: the broker rests", task, entity_id)
        return
    try:
        _send(task, [str(entity_id), *more], queue, delay_seconds)
    except Exception as error:  # whatever it is, the rows are stored and the sweep finds them
        breaker.note_failure()
        logger.warning("no wake-up sent for %s of %s: %s", task, entity_id, type(error).__name__)


def _send(task: str, arguments: list[object], queue: str, delay_seconds: float) -> None:
    connection = current_app.connection_for_write(transport_options=PRODUCER_OPTIONS)
    with pools.producers[connection].acquire(block=True, timeout=ANSWER_SECONDS) as producer:
        current_app.send_task(
            task,
            args=arguments,
            countdown=delay_seconds or None,
            queue=queue,
            producer=producer,
            ignore_result=True,
            retry=False,
        )
