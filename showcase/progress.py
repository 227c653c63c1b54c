"""What is being made of an entity's words right now: layer by layer, and why one of them waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any, Literal
from uuid import UUID

from django.db.models import BooleanField, Case, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import JSONObject, Now

from memory.fixed_queries import FixedQuery
from memory.measuring.waiting import DAILY_BUDGET
from memory.measuring.work import with_counts
from memory.models import Entity, Outbox, Run, Step, Work
from showcase.demonstration import Standing, standing_of
from showcase.parts import Counter, Layer
from showcase.starting import counters

State = Literal["resting", "working", "waiting", "paused", "failing"]
STEP_OF_LAYER: dict[Layer, Step] = {
    "L1": Step.L1_EXTRACT,
    "L2": Step.SCENE_SYNTHESIS,
    "L3": Step.PERSONA,
}
MAKES: dict[Layer, str] = {"L1": "claims", "L2": "scenes", "L3": "traits"}
BUSY_SECONDS, IDLE_SECONDS = 1, 5
"""How often a page that is looked at asks whether there is something new."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A layer: how much stands on it, what its step does, and a sentence about that."""

    counter: Counter
    state: State = "resting"
    said: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """All four layers from the words up."""

    standing: Standing
    rungs: tuple[Rung, ...]
    version: str
    """Another one whenever something happened that a page would show."""
    has_parked: bool = False
    """Whether inputs of any step are set aside."""

    @property
    def wait_seconds(self) -> int:
        """Until it is worth looking again."""
        is_moving = any(rung.state in ("working", "waiting") for rung in self.rungs)
        return BUSY_SECONDS if is_moving and not self.standing.obstacles else IDLE_SECONDS

    @property
    def said(self) -> str:
        """One sentence on all of it, for whoever does not see the page."""
        for rung in self.rungs:
            if rung.state not in ("resting", "paused"):
                return f"{rung.counter.layer}: {rung.said}"
        standing = self.standing
        return (
            f"Up to date: {standing.messages} messages, {standing.atoms} atoms, {standing.scenes} scenes, "
            f"{standing.traits} traits."
        )


def progress_of(entity: Entity, urls: Mapping[Layer, str] | None = None) -> Progress:
    """Where an entity's memory stands; three statements.

    Layers lead to `urls`, or to their places on an overview page.
    """
    standing = standing_of(entity)
    work = {
        row["step"]: StepWork(**row) for row in _WORK.rows(workspace=entity.workspace_id, entity=entity.pk)
    }
    counted = [replace(one, url=(urls or {}).get(one.layer, one.url)) for one in counters(standing)]
    rungs = tuple(_rung(one, work.get(STEP_OF_LAYER.get(one.layer, "")), entity) for one in counted)
    has_parked = any(step.parked_count for step in work.values())
    return Progress(standing, rungs, _version(standing, rungs, work), has_parked)


@dataclass(frozen=True, slots=True)
class StepWork:
    """A step with what waits for it, its latest run, and the latest event of the entity."""

    step: str
    failures: int
    last_error_kind: str
    last_error: str
    pending_count: int
    parked_count: int
    is_held: bool
    latest: Mapping[str, Any] | None
    """What its latest run says of itself."""
    event: int | None


def _work(workspace: UUID, entity: UUID) -> QuerySet[Any, dict[str, Any]]:
    """The rows of `StepWork`."""
    runs = Run.objects.filter(entity=OuterRef("entity"), step=OuterRef("step")).order_by("-started_at")
    told = JSONObject(reason="noop_reason", model="model", milliseconds="milliseconds")
    # Ordered as the index is, so that the latest event is its first row.
    events = Outbox.objects.filter(entity=OuterRef("entity")).order_by("-transaction", "-id")
    held = Case(When(lease_until__gt=Now(), then=Value(True)), default=False, output_field=BooleanField())
    rows: QuerySet[Any] = with_counts(Work.objects.filter(workspace=workspace, entity=entity)).annotate(
        is_held=held,
        latest=Subquery(runs.exclude(status=Run.Status.RUNNING).values(told=told)[:1]),
        event=Subquery(events.values("pk")[:1]),
    )
    return rows.values(*(each.name for each in fields(StepWork)))


_WORK = FixedQuery(_work, workspace=UUID, entity=UUID)


def _rung(counter: Counter, work: StepWork | None, entity: Entity) -> Rung:
    if work is None:
        return Rung(counter)
    if work.last_error_kind == DAILY_BUDGET:
        return Rung(counter, "paused", "the tokens of today are used; it goes on after midnight (UTC)")
    if work.step in entity.paused_steps:
        return Rung(counter, "paused", "paused by an operator")
    if work.is_held:
        return Rung(counter, "working", f"{counter.layer} is being made")
    if work.failures or (work.pending_count and work.last_error):
        return Rung(counter, "failing", f"{work.last_error_kind or 'failed'}; it is tried again by itself")
    if work.pending_count:
        return Rung(counter, "waiting", f"{work.pending_count} waiting to become {MAKES[counter.layer]}")
    if work.parked_count:
        return Rung(counter, "resting", f"{work.parked_count} set aside after failures")
    return Rung(counter, "resting", _told(work.latest or {}))


def _told(latest: Mapping[str, Any]) -> str:
    """What the latest run says of itself: why it wrote nothing, or by whom and how fast it wrote."""
    if not latest:
        return "nothing to read yet"
    if latest["reason"]:
        return str(latest["reason"])
    return f"{latest['model'] or 'code'} in {latest['milliseconds'] or 0} ms"


def _version(standing: Standing, rungs: tuple[Rung, ...], work: Mapping[str, StepWork]) -> str:
    # Of what is in the way only how much it is: its words hold a number of seconds.
    shown = (
        *(standing.messages, standing.atoms, standing.atoms_superseded, standing.scenes),
        *(standing.scene_versions, standing.traits, standing.parked, len(standing.obstacles)),
        *((rung.state, rung.said) for rung in rungs),
        *{row.event for row in work.values()},
    )
    return sha256(repr(shown).encode()).hexdigest()[:24]
