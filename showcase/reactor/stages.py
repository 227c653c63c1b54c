"""The stages of a replay: the runs of the cascade in the order in which they committed, wave by wave.

A wave begins with words of another session, or where the cascade starts again below the layer it had reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from memory.models import Entity, Message, Run, Step
from showcase.parts import Layer

START = "start"
LAYER_OF_STEP: Mapping[str, Layer] = {
    Step.L1_EXTRACT: "L1",
    Step.SCENE_SYNTHESIS: "L2",
    Step.PERSONA: "L3",
}
NAMES: Mapping[Layer, str] = {"": "Start", "L0": "Words", "L1": "Atoms", "L2": "Scenes", "L3": "Persona"}
AFTERWARDS = "Afterwards"
"""A wave to which nobody said anything: what stood was written anew."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A run as the replay needs it: which, when, and what it ended."""

    id: UUID
    layer: Layer
    started_at: datetime
    at: datetime
    """When it committed."""
    first_message: UUID | None
    again: frozenset[UUID] = frozenset()
    """Those of its words that earlier runs had read: nobody said them anew."""
    is_again: bool = False
    """Whether that is all of them."""
    scenes_ended: frozenset[str] = frozenset()
    traits_retracted: frozenset[str] = frozenset()
    failures: tuple[str, ...] = ()
    """Kinds of error of the attempts at the same step that had failed since it succeeded last."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a replay. A stage of L0 is told by the run that is about to read its words."""

    slug: str
    layer: Layer
    position: int
    wave: int
    run: Mark | None = None

    @property
    def name(self) -> str:
        """What it is about, in a word."""
        return NAMES[self.layer]


@dataclass(frozen=True, slots=True)
class Wave:
    """What belongs together: the words of a session and what was made of them."""

    number: int
    session: str
    """Empty where nothing new was said."""
    stages: tuple[Stage, ...]
    is_again: bool = False
    """Whether its words had been read before."""

    @property
    def title(self) -> str:
        """What it is called."""
        return f"{self.session}, read again" if self.is_again else self.session or AFTERWARDS


@dataclass(frozen=True, slots=True)
class Replay:
    """Every stage of a memory."""

    waves: tuple[Wave, ...]
    stages: tuple[Stage, ...]
    """The start comes first."""

    def find(self, slug: str) -> Stage | None:
        """The stage of an address."""
        return next((stage for stage in self.stages if stage.slug == slug), None)

    def at(self, position: int) -> Stage | None:
        """The stage at a place; None beyond both ends."""
        return self.stages[position] if 0 <= position < len(self.stages) else None

    def runs_after(self, stage: Stage) -> Iterator[Mark]:
        """The runs that had not happened yet."""
        later = (
            self.stages[stage.position :] if stage.layer in ("", "L0") else self.stages[stage.position + 1 :]
        )
        return (one.run for one in later if one.run is not None and one.layer != "L0")

    def run_before(self, stage: Stage) -> Mark | None:
        """The last run that had committed when the stage began."""
        earlier = reversed(self.stages[: stage.position])
        return next((one.run for one in earlier if one.layer not in ("", "L0")), None)

    def heard_at(self, stage: Stage) -> Mark | None:
        """The run that reads the newest words of the stage's wave; None where nothing new was said."""
        earlier = reversed(self.stages[: stage.position + 1])
        return next(
            (one.run for one in earlier if one.wave == stage.wave and one.layer in ("L0", "L1")), None
        )


def replay_of(entity: Entity) -> Replay:
    """Read the runs that changed memory or looked and left it as it was; two statements."""
    marks = list(_with_failures(_rows(entity)))
    waves = tuple(_waves(marks, _sessions(entity, marks)))
    start = Stage(START, "", 0, 0)
    return Replay(waves, (start, *(stage for wave in waves for stage in wave.stages)))


def _rows(entity: Entity) -> QuerySet[Run, dict[str, Any]]:
    """Attempts in the order of their ends; one that found nothing waiting read nothing and is left out."""
    runs = Run.objects.for_entity(entity).filter(
        step__in=list(LAYER_OF_STEP), status__in=[Run.Status.SUCCEEDED, Run.Status.FAILED]
    )
    rows: QuerySet[Run, dict[str, Any]] = (
        runs.exclude(inputs={})
        .order_by("finished_at", "pk")
        .annotate(first_message=KT("inputs__messages__0"))
        .values(
            *("pk", "step", "status", "started_at", "finished_at", "error_kind", "first_message"),
            *("inputs__messages", "outputs__scenes_ended", "outputs__traits_retracted"),
        )
    )
    return rows


def _with_failures(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mark]:
    """Those that succeeded, each with the failures before it."""
    failed: dict[str, list[str]] = {}
    heard: set[UUID] = set()
    for row in rows:
        if row["status"] == Run.Status.FAILED:
            failed.setdefault(row["step"], []).append(row["error_kind"])
        else:
            read = {UUID(id) for id in row["inputs__messages"] or ()}
            found = _mark(row, tuple(failed.pop(row["step"], ())))
            yield replace(found, again=frozenset(read & heard), is_again=bool(read) and read <= heard)
            heard |= read


def _mark(row: Mapping[str, Any], failures: tuple[str, ...]) -> Mark:
    first = row["first_message"]
    return Mark(
        id=row["pk"],
        layer=LAYER_OF_STEP[row["step"]],
        started_at=row["started_at"],
        at=row["finished_at"],
        first_message=UUID(first) if first else None,
        scenes_ended=frozenset(row["outputs__scenes_ended"] or ()),
        traits_retracted=frozenset(row["outputs__traits_retracted"] or ()),
        failures=failures,
    )


def _sessions(entity: Entity, marks: Sequence[Mark]) -> Mapping[UUID, str]:
    """What the session of each run's first message is called."""
    wanted = [mark.first_message for mark in marks if mark.layer == "L1" and mark.first_message]
    rows = Message.objects.for_entity(entity).filter(pk__in=wanted)
    named = rows.values_list("pk", "session__title", "session__external_id")
    return {message: title or external_id for message, title, external_id in named}


@dataclass(slots=True)
class _Open:
    """A wave that is being put together."""

    number: int
    session: str
    is_again: bool = False
    reached: Layer = ""
    stages: list[Stage] = field(default_factory=list)
    counts: Counter[Layer] = field(default_factory=Counter)

    def add(self, layer: Layer, run: Mark, position: int) -> None:
        self.counts[layer] += 1
        count = self.counts[layer]
        slug = f"{self.number}-{layer.lower()}{f'-{count}' if count > 1 else ''}"
        self.stages.append(Stage(slug, layer, position, self.number, run))
        self.reached = layer

    def closed(self) -> Wave:
        return Wave(self.number, self.session, tuple(self.stages), self.is_again)

    def goes_on_with(self, run: Mark, session: str) -> bool:
        """Whether a run belongs to it: not one below what it reached, nor one that reads other words."""
        reads_the_same = (session, run.is_again) == (self.session, self.is_again)
        return run.layer >= self.reached and (run.layer != "L1" or reads_the_same)


def _waves(marks: Iterable[Mark], sessions: Mapping[UUID, str]) -> Iterator[Wave]:
    wave, position = None, 0
    for mark in marks:
        session = sessions.get(mark.first_message, "words that were erased") if mark.first_message else ""
        if wave is None or not wave.goes_on_with(mark, session):
            if wave is not None:
                yield wave.closed()
            wave = _Open(wave.number + 1 if wave else 1, session, mark.is_again)
        for layer in ("L0", "L1") if mark.layer == "L1" and not mark.is_again else (mark.layer,):
            position += 1
            wave.add(layer, mark, position)
    if wave is not None:
        yield wave.closed()
