"""Waiting for the real worker: until nothing waits, and never in silence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings

from memory.cascade.stages import LADDER, stage_of
from memory.cascade.work import pending_counts
from memory.models import Entity, Step, Work
from memory.recall.ladder import worker_seen_seconds

POLL_SECONDS = 0.2
WAITED_FOR = (*LADDER, Step.SKILL_EXTRACT)
NOTICE_SECONDS = 5.0
WORKER_START_SECONDS = 15.0
"""So long after the beginning of a wait a worker may still be on its way."""
SILENT_BEATS = 4

Notice = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Settled:
    """How a wait ended: with nothing left to do, or with the reasons why something is left."""

    is_settled: bool
    seconds: float
    reasons: tuple[str, ...] = ()


def wait_until_settled(entity: Entity, *, timeout_seconds: float, notice: Notice) -> Settled:
    """Wait until no step of the entity has anything to do, at most `timeout_seconds`.

    While no worker gives a sign of life, `notice` is told so every few seconds. Parked inputs are not
    waited for.
    """
    began = time.monotonic()
    next_notice = began + NOTICE_SECONDS
    while (waiting := _first_waiting(entity)) is not None:
        now = time.monotonic()
        if now - began >= timeout_seconds:
            return Settled(False, now - began, tuple(_reasons(entity)))
        if now >= next_notice:
            next_notice = now + NOTICE_SECONDS
            notice(_progress(waiting, now - began))
        time.sleep(POLL_SECONDS)
    return Settled(True, time.monotonic() - began)


def _first_waiting(entity: Entity) -> Step | None:
    """The lowest step with something to do.

    Looked at from below: what a step hands up is visible once its own input is gone, so nothing slips by.
    """
    return next((step for step in WAITED_FOR if stage_of(step).waiting(entity) is not None), None)


def _progress(waiting: Step, seconds: float) -> str:
    silent = worker_notice()
    if silent and seconds < WORKER_START_SECONDS:
        return f"{waiting.value} waits for a worker to start ({seconds:.0f} s)"
    return silent or f"{waiting.value} is at work ({seconds:.0f} s)"


def worker_notice() -> str:
    """What to say when no worker gives a sign of life; empty when one does."""
    seen = worker_seen_seconds()
    if seen is None:
        return "no worker was ever seen here; start one: python manage.py serve, or make worker"
    if seen > settings.MEMSEEK.heartbeat_seconds * SILENT_BEATS:
        return f"no worker seen for {seen:.0f} s; start one: python manage.py serve, or make worker"
    return ""


def _reasons(entity: Entity) -> Iterator[str]:
    silent = worker_notice()
    if silent:
        yield silent
    for step in entity.paused_steps:
        yield f"{step} is paused for this entity"
    for step, count in pending_counts(entity).items():
        if count:
            yield f"{count} waiting for {step.value}"
    for work in Work.objects.for_entity(entity).exclude(last_error="").order_by("step"):
        yield f"last error of {work.step}: {work.last_error_kind} {work.last_error}".rstrip()
