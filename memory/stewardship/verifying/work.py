"""No step is stuck: whatever waits is consumed, parked in sight, or somebody will come for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from memory.cascade.stages import WITHOUT_MODEL
from memory.cascade.sweeping import farthest_lease
from memory.cascade.work import INPUTS
from memory.llm.registry import configured_model
from memory.models import Process, Run, Scene, Step, Work
from memory.stewardship.verifying.checks import Rows, RowsCheck

FORGOTTEN_SECONDS = 3_600
"""A living worker's sweep comes every few seconds: what has been due for so long was forgotten."""
SIGN_OF_LIFE_SECONDS = 60


def _work_of(*fields: str) -> Rows:
    same = {name: OuterRef(name) for name in ("workspace_id", "entity_id", *fields)}
    return Work.objects.filter(**same)


def _overtaken_runs() -> Rows:
    """Marked as running although a later claim has taken their work: nobody will finish them."""
    later = _work_of("step").filter(token__gt=OuterRef("token"))
    return Run.objects.filter(Exists(later), status=Run.Status.RUNNING)


def _runs_without_lease() -> Rows:
    """Marked as running although no lease of their work can expire: nobody would notice their end."""
    held = _work_of("step").filter(Q(lease_until__isnull=False) | Q(token__gt=OuterRef("token")))
    return Run.objects.filter(status=Run.Status.RUNNING, step__in=Step.values).exclude(Exists(held))


def _endless_leases() -> Rows:
    return Work.objects.filter(lease_until__gt=Now() + farthest_lease())


def _inputs_without_work(step: Step) -> Rows:
    """Inputs that wait although their entity has no row of work for the step: no sweep would see them."""
    return INPUTS[step].objects.pending().exclude(Exists(_work_of().filter(step=step)))


def _inputs_of_failed_runs(step: Step) -> Rows:
    """Taken for read although the run that read them wrote nothing."""
    failed = Run.objects.filter(pk=OuterRef("consumed_by_id")).exclude(status=Run.Status.SUCCEEDED)
    found = INPUTS[step].objects.filter(Exists(failed))
    # What parking takes out of a scene may end it: its last version is then read by nobody.
    of_live_scene = Q(is_head=True, scene__status=Scene.Status.LIVE)
    return found.filter(of_live_scene) if step is Step.PERSONA else found


def _parked_unexplained(step: Step) -> Rows:
    """Set aside, and no failed run of the step says why: nobody could see what was wrong, and retry it.

    Such a run stays beyond its days for as long as something is parked by it; an erase empties it alone.
    """
    owner = {name: OuterRef(name) for name in ("workspace_id", "entity_id")}
    why = Run.objects.failed().filter(pk=OuterRef("parked_by_id"), step=step, **owner)
    return INPUTS[step].objects.parked().exclude(Exists(why))


def _forgotten_work() -> Rows:
    """Due long since, with a worker at work that should have seen it."""
    late = Now() - timedelta(seconds=FORGOTTEN_SECONDS)
    rows = Work.objects.filter(_is_awake(), due_at__lt=late)
    rows = rows.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=late))
    return rows.filter(_not_paused(_runnable()))


def _forgotten_inputs(step: Step) -> Rows:
    """Waiting long since, with a worker at work and nothing planned or under way for the whole entity."""
    planned = _work_of().filter(Q(due_at__isnull=False) | Q(lease_until__isnull=False))
    late = Now() - timedelta(seconds=FORGOTTEN_SECONDS)
    rows = INPUTS[step].objects.pending().filter(_is_awake(), **{f"{ARRIVED[step]}__lt": late})
    if step not in _runnable():
        return rows.none()
    return rows.exclude(Exists(planned)).exclude(entity__paused_steps__contains=[step])


ARRIVED = {
    Step.L1_EXTRACT: "recorded_at",
    Step.SCENE_SYNTHESIS: "created_at",
    Step.PERSONA: "created_at",
    Step.COMPACTION: "last_message_at",
    Step.PROMOTION: "queued_at",
    Step.SKILL_EXTRACT: "queued_at",
}
"""The column that says since when an input of each step may wait."""


def _runnable() -> Sequence[Step]:
    """Without a model most steps wait, and nobody forgot them."""
    return tuple(Step) if configured_model() is not None else tuple(WITHOUT_MODEL)


def _not_paused(steps: Sequence[Step]) -> Q:
    wanted = Q(pk__in=[])
    for step in steps:
        wanted |= Q(step=step) & ~Q(entity__paused_steps__contains=[step])
    return wanted


def _is_awake() -> Exists:
    since = Now() - timedelta(seconds=SIGN_OF_LIFE_SECONDS)
    return Exists(Process.objects.filter(kind=Process.Kind.WORKER, seen_at__gt=since))


def _of_every_step(
    kind: str, text: str, find: Callable[[Step], Rows], *, has_shadows: bool = True
) -> list[RowsCheck]:
    return [RowsCheck(kind, text, partial(find, step), has_shadows=has_shadows) for step in INPUTS]


def _unleased_due() -> Rows:
    """Promotion follows a while after the rest, so that many atoms go in one run."""
    return Work.objects.filter(due_at__isnull=False).exclude(step=Step.PROMOTION, due_at__gt=Now())


CHECKS = (
    RowsCheck("overtaken_run", "marked as running, but its work was claimed again", _overtaken_runs),
    RowsCheck("run_without_lease", "marked as running, but no lease says until when", _runs_without_lease),
    RowsCheck("endless_lease", "leased for longer than any lease", _endless_leases),
    *_of_every_step("input_without_work", "waits, but its entity has no row of work", _inputs_without_work),
    *_of_every_step("input_of_failed_run", "counts as read, but that run failed", _inputs_of_failed_runs),
    *_of_every_step("parked_without_run", "is set aside, and no failed run says why", _parked_unexplained),
    RowsCheck("forgotten_work", "due for an hour, and no worker took it", _forgotten_work, has_shadows=False),
    *_of_every_step(
        "forgotten_input",
        "has waited for an hour, and nothing is planned",
        _forgotten_inputs,
        has_shadows=False,
    ),
)
WHEN_SETTLED = (
    *(
        RowsCheck(kind, text, INPUTS[step].objects.pending, has_shadows=False)
        for step, kind, text in (
            (Step.L1_EXTRACT, "message_waits", "not read yet"),
            (Step.SCENE_SYNTHESIS, "atom_waits", "not placed yet"),
            (Step.PERSONA, "scene_version_waits", "not looked at yet"),
            (Step.COMPACTION, "session_waits", "not folded, or without its brief yet"),
            (Step.SKILL_EXTRACT, "skill_input_waits", "no draft was made of it yet"),
            (Step.PROMOTION, "promotion_waits", "not promoted yet"),
        )
    ),
    RowsCheck(
        "run_under_way",
        "marked as running",
        lambda: Run.objects.filter(status=Run.Status.RUNNING),
        has_shadows=False,
    ),
    RowsCheck(
        "work_leased",
        "somebody works on it",
        lambda: Work.objects.filter(lease_until__isnull=False),
        has_shadows=False,
    ),
    RowsCheck("work_due", "is to be worked on", _unleased_due, has_shadows=False),
)
