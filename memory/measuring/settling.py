"""Whether an entity's memory has settled: which step has something to do, and why it still waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from memory.cascade.stages import LADDER, stage_of
from memory.cascade.work import pending_counts
from memory.measuring.only_words import ONLY_WORDS
from memory.models import Entity, Step, Work
from memory.recall.ladder import status, worker_seen_seconds
from memory.recall.records import LadderStatus

WAITED_FOR = (*LADDER, Step.SKILL_EXTRACT)
SILENT_BEATS = 4


@dataclass(frozen=True, slots=True)
class EntityStatus:
    """Where an entity's memory stands."""

    layers: LadderStatus
    paused_steps: tuple[str, ...]
    is_settled: bool
    waits_for: str | None
    """The lowest step with something to do; what is parked is not waited for."""
    reasons: tuple[str, ...]
    """Why something waits; empty for a memory that has settled."""
    worker: str
    """What is to be said of a worker that gives no sign of life; empty when one does."""
    has_steps: bool
    """Whether steps run at all; without them (LLM_FAKE=1) only words are stored, and nothing ever settles."""


def entity_status(entity: Entity) -> EntityStatus:
    """The status of one entity, in a number of statements that does not grow with its memory."""
    waiting = first_waiting(entity)
    return EntityStatus(
        layers=status(entity),
        paused_steps=tuple(entity.paused_steps),
        is_settled=waiting is None,
        waits_for=str(waiting) if waiting else None,
        reasons=tuple(reasons_to_wait(entity)) if waiting else (),
        worker=worker_notice(),
        has_steps=not settings.MEMSEEK.is_llm_fake,
    )


def first_waiting(entity: Entity) -> Step | None:
    """The lowest step with something to do.

    Looked at from below: what a step hands up is visible once its own input is gone, so nothing slips by.
    """
    return next((step for step in WAITED_FOR if stage_of(step).waiting(entity) is not None), None)


def worker_notice() -> str:
    """What to say when no worker gives a sign of life; empty when one does."""
    seen = worker_seen_seconds()
    if seen is None:
        return "no worker was ever seen here; start one: python manage.py serve, or make worker"
    if seen > settings.MEMSEEK.heartbeat_seconds * SILENT_BEATS:
        return f"no worker seen for {seen:.0f} s; start one: python manage.py serve, or make worker"
    return ""


def reasons_to_wait(entity: Entity) -> Iterator[str]:
    """Everything that may keep an entity's inputs waiting."""
    if settings.MEMSEEK.is_llm_fake:
        yield ONLY_WORDS
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
