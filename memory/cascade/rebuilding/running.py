"""Making the result: the engine's own turns over a shadow, one step after the other, until nothing waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.engine import Outcome, turn
from memory.cascade.failures import CONFIGURATION_KINDS
from memory.cascade.rebuilding.people import ground_atoms, honour_people, ruled_atoms
from memory.cascade.rebuilding.shadows import Ids, RebuildStoppedError, shadow_of
from memory.cascade.stages import stage_of
from memory.llm.budgets import ensure_within_daily_budget
from memory.llm.protocol import BudgetExceeded, Model
from memory.models import Atom, Entity, Message, Rebuild, Run, SceneVersion, Step, Work

LOOK_AGAIN_SECONDS = 0.5
Notice = Callable[[str], object]

STEPS: dict[str, tuple[Step, ...]] = {
    Rebuild.Layer.L1: (Step.L1_EXTRACT, Step.SCENE_SYNTHESIS, Step.PERSONA),
    Rebuild.Layer.L2: (Step.SCENE_SYNTHESIS, Step.PERSONA),
    Rebuild.Layer.L3: (Step.PERSONA,),
}


def make(rebuild: Rebuild, model: Model, notice: Notice = lambda text: None) -> None:
    """Run every step until nothing waits. RebuildStoppedError when the model or a budget stops it.

    Killed anywhere, it goes on where it was when it is called again: what is pending is a property of rows,
    in a shadow as anywhere. Must not run inside a transaction.
    """
    shadow = shadow_of(rebuild)
    # In this process alone: for every worker the shadow stays paused.
    shadow.paused_steps = []
    for step in STEPS[rebuild.layer]:
        Work.objects.for_entity(shadow).update(is_flushing=True)
        _finish(rebuild, shadow, step, model, notice)
        if step is Step.L1_EXTRACT:
            _honour(rebuild, shadow)


def _honour(rebuild: Rebuild, shadow: Entity) -> None:
    ids = Ids(shadow)
    decided = ruled_atoms(rebuild.entity)
    ground = {ids.of(atom.pk) for atom in ground_atoms(rebuild.entity)}
    ruled = {ids.of(atom.pk) for atom in decided}
    standing = {ids.of(atom.pk) for atom in decided if atom.status == Atom.Status.LIVE}
    with transaction.atomic():
        pairs = honour_people(shadow, ground=ground, ruled=ruled, standing=standing)
        last = Run.objects.for_entity(shadow).filter(step=Step.L1_EXTRACT, status=Run.Status.SUCCEEDED)
        run = last.order_by("-started_at").first()
        if run is not None and pairs:
            run.decisions += [_decision(pair.made, pair.ruling) for pair in pairs]
            run.save(update_fields=["decisions"])


def _decision(made: Atom, ruling: Atom) -> dict[str, object]:
    word = "took it back" if ruling.status == Atom.Status.RETRACTED else "replaced it"
    return {"outcome": "corrected", "reason": f"a person {word}: {ruling.text}", "atoms": [str(made.pk)]}


def _finish(rebuild: Rebuild, shadow: Entity, step: Step, model: Model, notice: Notice) -> None:
    stage = stage_of(step)
    while stage.waiting(shadow) is not None:
        notice(f"{step.label}: {work.pending_counts(shadow)[step]} to do")
        _ensure_budget(shadow)
        Work.objects.for_entity(shadow).filter(step=step).update(due_at=Now())
        outcome = turn(entity=shadow, stage=stage, model=model, design=rebuild.design)
        # Read anew, so that a rebuild which somebody discards meanwhile ends here.
        row = Work.objects.for_entity(shadow_of(rebuild)).get(step=step)
        if outcome is Outcome.FAILED:
            _wait_or_stop(row, notice)
        elif outcome is Outcome.IDLE:
            _wait_for_lease(row, notice)


def _ensure_budget(shadow: Entity) -> None:
    try:
        ensure_within_daily_budget(shadow.workspace)
    except BudgetExceeded as error:
        raise RebuildStoppedError(str(error)) from error


def _wait_or_stop(row: Work, notice: Notice) -> None:
    """A configuration at fault ends it; an endpoint that fails is waited for, as a worker would."""
    if row.last_error_kind in CONFIGURATION_KINDS:
        raise RebuildStoppedError(row.last_error)
    run = Run.objects.filter(entity_id=row.entity_id, step=row.step).latest("started_at")
    if run.is_transient and row.due_at is not None and row.last_finished_at is not None:
        pause = max(timedelta(), row.due_at - row.last_finished_at).total_seconds()
        notice(f"{row.last_error} Trying again in {pause:.0f} s.")
        time.sleep(pause)


def _wait_for_lease(row: Work, notice: Notice) -> None:
    """Another process works on this rebuild, or one did and was killed: its lease ends by itself."""
    if row.lease_until is not None:
        notice(f"{row.worker} holds this step until {row.lease_until:%H:%M:%S}, or died with it.")
    time.sleep(LOOK_AGAIN_SECONDS)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the runs of a rebuild used."""

    runs: int
    failed: int
    calls: int
    tokens_in: int
    tokens_out: int
    price: Decimal | None
    """In the currency of the configured prices; None where none is configured."""


def cost_of(shadow: Entity) -> Cost:
    """Everything that was asked of a model for it, failed attempts included."""
    runs = Run.objects.for_entity(shadow)
    used = runs.aggregate(
        calls=Sum("calls"), tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"), price=Sum("cost")
    )
    return Cost(
        runs=runs.count(),
        failed=runs.failed().count(),
        calls=used["calls"] or 0,
        tokens_in=used["tokens_in"] or 0,
        tokens_out=used["tokens_out"] or 0,
        price=used["price"],
    )


def is_made(shadow: Entity, layer: str) -> bool:
    """Whether nothing waits any more."""
    return all(stage_of(step).waiting(shadow) is None for step in STEPS[layer])


def unread(shadow: Entity) -> Sequence[UUID]:
    """What was set aside because no model could read it: it stays visible after the swap, to be retried."""
    return [
        pk
        for model in (Message, Atom, SceneVersion)
        for pk in model._default_manager.for_entity(shadow).parked().values_list("pk", flat=True)
    ]
