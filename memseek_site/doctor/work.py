"""What waits, what stands still, and what failed?"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from memory.models import Atom, Message, Run, SceneVersion, Session, SkillInput, Step, Unpromoted, Work
from memseek_site.doctor.findings import Finding, broken, fine, note
from memseek_site.doctor.processes import living

FAILURES_SHOWN = 5
FAILURES_SINCE = timedelta(days=1)
# Twice the longest regular pause: what waits longer is not just waiting for its turn.
IDLE_AFTER = timedelta(minutes=2)


@dataclass(frozen=True)
class Waiting:
    """The inputs of one step: how many are pending and parked, and since when the oldest waits."""

    step: str
    rows: str
    pending: int
    parked: int
    oldest: datetime | None


def waiting() -> list[Waiting]:
    """Every step's inputs, counted over all workspaces."""
    messages, atoms, scenes = Message.objects, Atom.objects, SceneVersion.objects
    sessions, changed, told = Session.objects, Unpromoted.objects, SkillInput.objects
    asked = Coalesce("fold_asked_at", "ended_at")
    return [
        _count(Step.L1_EXTRACT, "messages", messages.pending(), messages.parked(), "recorded_at"),
        _count(Step.SCENE_SYNTHESIS, "atoms", atoms.pending(), atoms.parked(), "created_at"),
        _count(Step.PERSONA, "scenes", scenes.pending().heads(), scenes.parked().heads(), "created_at"),
        _count(Step.COMPACTION, "sessions", sessions.pending(), sessions.parked(), asked),
        _count(Step.PROMOTION, "changed atoms", changed.pending(), changed.parked(), "queued_at"),
        _count(Step.SKILL_EXTRACT, "traces and feedback", told.pending(), told.parked(), "queued_at"),
    ]


def _count(
    step: Step, rows: str, pending: QuerySet[Any], parked: QuerySet[Any], since: str | Coalesce
) -> Waiting:
    # An open rebuild waits for whoever began it, not for a worker.
    pending = pending.filter(entity__shadow_of__isnull=True)
    parked = parked.filter(entity__shadow_of__isnull=True)
    oldest = pending.aggregate(oldest=Min(since))["oldest"]
    return Waiting(str(step.value), rows, pending.count(), parked.count(), oldest)


def examine() -> Iterator[Finding]:
    """Pending inputs, steps that stand still, parked inputs, and the newest failures."""
    states = waiting()
    yield from _pending(states)
    yield from _parked(states)
    yield from _retrying()
    yield from _failures()


def _pending(states: list[Waiting]) -> Iterator[Finding]:
    counts = ", ".join(f"{state.pending} {state.rows} for {state.step}" for state in states if state.pending)
    if not counts:
        yield fine("waiting", "nothing waits")
        return
    yield note("waiting", counts)
    if settings.MEMSEEK.is_llm_fake:
        return
    if not living("worker"):
        yield broken("worker", "work waits and no worker lives", "Start one: python manage.py serve")
        return
    for state in states:
        yield from _standing_still(state)


def _standing_still(state: Waiting) -> Iterator[Finding]:
    """The layer below grew, this step does not run: none of its runs began since the oldest input came."""
    if state.oldest is None or timezone.now() - state.oldest < IDLE_AFTER:
        return
    last = Run.objects.filter(step=state.step).aggregate(last=Max("started_at"))["last"]
    if last is None or last < state.oldest:
        minutes = int((timezone.now() - state.oldest).total_seconds() // 60)
        mend = (
            f"Is {state.step} paused for the entity? Else restart the worker; the sweep will find the rows."
        )
        text = f"{state.rows} have waited for {state.step} for {minutes} min and no run began"
        yield broken("idle", text, mend)


def _parked(states: list[Waiting]) -> Iterator[Finding]:
    for state in states:
        if state.parked:
            mend = "See the failed runs in the admin, mend the cause, then retry them there."
            yield broken("parked", f"{state.parked} {state.rows} failed in {state.step} for good", mend)


def _retrying() -> Iterator[Finding]:
    for work in (
        Work.objects.filter(failures__gt=0).select_related("entity").order_by("-failures")[:FAILURES_SHOWN]
    ):
        text = f"{work.step} of {work.entity} failed {work.failures} times in a row: {work.last_error_kind}"
        yield note(
            "retrying", text, "It is tried again by itself; the run in the admin has the error's text."
        )


def _failures() -> Iterator[Finding]:
    since = timezone.now() - FAILURES_SINCE
    failed = (
        Run.objects.failed().filter(started_at__gte=since).select_related("entity").order_by("-started_at")
    )
    for run in failed[:FAILURES_SHOWN]:
        when = run.started_at.strftime("%H:%M")
        yield note("failed", f"{when} UTC {run.step} of {run.entity}: {run.error_kind}")
