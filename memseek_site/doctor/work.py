"""What waits, what stands still, and what failed?"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from memory.measuring.idle import Idle, idle_steps
from memory.measuring.waiting import Waiting, budget_pauses, waiting
from memory.models import Entity, Run, Step, Work
from memseek_site.doctor.findings import Finding, broken, fine, note
from memseek_site.doctor.processes import living

FAILURES_SHOWN = 5
FAILURES_SINCE = timedelta(days=1)
LAYERS = {Step.L1_EXTRACT: ("L0", "L1"), Step.SCENE_SYNTHESIS: ("L1", "L2"), Step.PERSONA: ("L2", "L3")}


def examine() -> Iterator[Finding]:
    """Pending inputs, steps that stand still, parked inputs, pauses, and the newest failures."""
    states = waiting()
    yield from _pending(states)
    yield from _parked(states)
    yield from _paused()
    yield from _retrying()
    yield from _failures()


def _pending(states: list[Waiting]) -> Iterator[Finding]:
    counts = ", ".join(f"{state.pending} {state.rows} for {state.step}" for state in states if state.pending)
    if not counts:
        yield fine("waiting", "nothing waits")
        return
    longest = min(state.oldest for state in states if state.oldest)
    yield note("waiting", f"{counts}; the oldest for {_age(longest)}")
    if settings.MEMSEEK.is_llm_fake:
        return
    if not living("worker"):
        yield broken("worker", "work waits and no worker lives", "Start one: python manage.py serve")
        return
    for idle in idle_steps():
        yield _idle(idle)


def _idle(idle: Idle) -> Finding:
    below, above = LAYERS.get(idle.step, ("", ""))
    grew = f"{below} grew, {above} is idle: " if below else ""
    text = f"{grew}{idle.rows} of {idle.entity} have waited for {idle.step} for {_age(idle.oldest)}"
    mend = "Nothing holds it up, yet it does not run: restart the worker; its sweep finds the rows."
    return broken("idle", text, mend)


def _age(since: datetime) -> str:
    seconds = max(0, int((timezone.now() - since).total_seconds()))
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _paused() -> Iterator[Finding]:
    """What a used-up budget or a person holds up."""
    for pause in budget_pauses():
        text = (
            f"{pause.step} of {pause.entities} entities in {pause.workspaces} workspaces waits for midnight"
        )
        mend = "Raise the workspace's daily budget in the admin or MEMSEEK_DAILY_TOKENS, or wait."
        yield note("budget", f"the tokens of today are used up: {text} (UTC)", mend)
    paused = Entity.objects.filter(shadow_of__isnull=True).exclude(paused_steps=[]).count()
    if paused:
        mend = "A person did that; the entity's page in the admin resumes it."
        yield note("paused", f"{paused} entities have steps that are paused", mend)


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
