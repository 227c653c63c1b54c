"""Waiting for the real worker: until nothing waits, and never in silence."""

from __future__ import annotations

import time

from memory.measuring.settling import first_waiting, reasons_to_wait, worker_notice
from memory.models import Entity
from memory.walkthrough.progress import NOTICE_SECONDS, Notice, Settled, progress

POLL_SECONDS = 0.2


def wait_until_settled(entity: Entity, *, timeout_seconds: float, notice: Notice) -> Settled:
    """Wait until no step of the entity has anything to do, at most `timeout_seconds`.

    While no worker gives a sign of life, `notice` is told so every few seconds. Parked inputs are not
    waited for.
    """
    began = time.monotonic()
    next_notice = began + NOTICE_SECONDS
    while (waiting := first_waiting(entity)) is not None:
        now = time.monotonic()
        if now - began >= timeout_seconds:
            return Settled(False, now - began, tuple(reasons_to_wait(entity)))
        if now >= next_notice:
            next_notice = now + NOTICE_SECONDS
            notice(progress(waiting.value, worker_notice(), now - began))
        time.sleep(POLL_SECONDS)
    return Settled(True, time.monotonic() - began)
