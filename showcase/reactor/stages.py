"""The stages of a replay: the runs of the cascade in the order in which they committed, wave by wave.

A wave begins with words of another session, or where the cascade starts again below the layer it had reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import BigIntegerField, F, Func, OuterRef, QuerySet, Subquery, UUIDField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from memory.fixed_queries import FixedQuery, one_of
from memory.models import Entity, Message, Run, Session, Step
from memory.queries import json_value
from showcase.parts import Layer

START = "start"
LAYER_OF_STEP: Mapping[str, Layer] = {
    Step.L1_EXTRACT: "L1",
    Step.SCENE_SYNTHESIS: "L2",
    Step.PERSONA: "L3",
}
NAMES: Mapping[Layer, str] = {"": "Start", "L0": "Words", "L1": "Atoms", "L2": "Scenes", "L3": "Persona"}
EPOCH = datetime.fromtimestamp(0, UTC)
ERASED = "words that were erased"
NOBODY, NOTHING = UUID(int=0), frozenset[str]()
AFTERWARDS = "Afterwards"
"""A wave to which nobody said anything: what stood was written anew."""


class Mark(NamedTuple):
    """A run as the replay needs it: which, when, and what it ended.

    A tuple, as stages are, and with moments in microseconds since 1970: a page makes a thousand of them.
    """

    id: UUID
    layer: Layer
    started: int
    ended: int
    session: str
    """What the session of its first message is called; empty where it read none."""
    again: frozenset[str] = frozenset()
    """Ids of those of its words that earlier runs had read: nobody said them anew."""
    is_again: bool = False
    """Whether that is all of them."""
    scenes_ended: frozenset[str] = frozenset()
    traits_retracted: frozenset[str] = frozenset()
    failures: tuple[str, ...] = ()
    """Kinds of error of the attempts at the same step that had failed since it succeeded last."""

    @property
    def started_at(self) -> datetime:
        """When it began."""
        return EPOCH + timedelta(microseconds=self.started)

    @property
    def at(self) -> datetime:
        """When it committed."""
        return EPOCH + timedelta(microseconds=self.ended)


class Stage(NamedTuple):
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
    rows = tuple(_Row(*row) for row in _ROWS.rows(workspace=entity.workspace_id, entity=entity.pk))
    spoken = list({row.session for row in rows} - {None})
    named = _NAMES.rows(workspace=entity.workspace_id, entity=entity.pk, spoken=spoken)
    names = frozenset((session, title or external_id) for session, title, external_id in named)
    return _replay(rows, names)


@lru_cache(maxsize=1)
def _replay(rows: tuple[_Row, ...], names: frozenset[tuple[UUID, str]]) -> Replay:
    """Put together once for a visitor who steps through it, not for each page."""
    waves = tuple(_waves(_with_failures(rows, dict(names))))
    start = Stage(START, "", 0, 0)
    return Replay(waves, (start, *(stage for wave in waves for stage in wave.stages)))


class _Row(NamedTuple):
    """An attempt as it is read."""

    id: UUID
    step: str
    status: str
    started: int
    ended: int
    error_kind: str
    session: UUID | None
    messages: str | None
    scenes_ended: str | None
    traits_retracted: str | None


class _Microseconds(Func):
    """A moment as a number: to make a date of it takes ten times as long."""

    template = "(EXTRACT(EPOCH FROM %(expressions)s) * 1000000)::bigint"
    output_field = BigIntegerField()


def _rows(workspace: UUID, entity: UUID) -> QuerySet[Run, Any]:
    """Attempts in the order of their ends; one that found nothing waiting read nothing and is left out."""
    runs = Run.objects.filter(
        workspace=workspace,
        entity=entity,
        step__in=list(LAYER_OF_STEP),
        status__in=[Run.Status.SUCCEEDED, Run.Status.FAILED],
    )
    first_message = Message.objects.filter(
        workspace=workspace, entity=entity, pk=Cast(OuterRef("first_message"), UUIDField())
    )
    rows: QuerySet[Run, Any] = (
        runs.exclude(inputs={})
        .order_by("finished_at", "pk")
        .annotate(
            first_message=KT("inputs__messages__0"),
            started=_Microseconds(F("started_at")),
            ended=_Microseconds(F("finished_at")),
            session=Subquery(first_message.order_by().values("session_id")),
            messages=KT("inputs__messages"),
            scenes_ended=KT("outputs__scenes_ended"),
            traits_retracted=KT("outputs__traits_retracted"),
        )
        .values_list(*_Row._fields)
    )
    return rows


def _names(*, workspace: UUID, entity: UUID, spoken: list[UUID]) -> QuerySet[Session, tuple[UUID, str, str]]:
    sessions = Session.objects.filter(one_of("pk", spoken), workspace=workspace, entity=entity)
    return sessions.order_by().values_list("pk", "title", "external_id")


_ROWS = FixedQuery(_rows, workspace=UUID, entity=UUID)
_NAMES = FixedQuery(_names, workspace=UUID, entity=UUID, spoken=list[UUID])


def _with_failures(rows: Iterable[_Row], names: Mapping[UUID, str]) -> Iterator[Mark]:
    """Those that succeeded, each with the failures before it."""
    failed: dict[str, list[str]] = {}
    # Ids as the runs noted them: to make UUIDs of ten thousand takes as long as everything else here.
    heard: set[str] = set()
    for row in rows:
        if row.status == Run.Status.FAILED:
            failed.setdefault(row.step, []).append(row.error_kind)
        else:
            read = _ids(row.messages)
            first = names.get(row.session or NOBODY, ERASED) if read else ""
            yield _mark(row, first, tuple(failed.pop(row.step, ())), read, read & heard)
            heard |= read


def _mark(
    row: _Row, session: str, failures: tuple[str, ...], read: frozenset[str], again: frozenset[str]
) -> Mark:
    return Mark(
        id=row.id,
        layer=LAYER_OF_STEP[row.step],
        started=row.started,
        ended=row.ended,
        session=session,
        again=again,
        is_again=bool(read) and again == read,
        scenes_ended=_ids(row.scenes_ended),
        traits_retracted=_ids(row.traits_retracted),
        failures=failures,
    )


def _ids(noted: str | None) -> frozenset[str]:
    return frozenset(json_value(noted)) if noted else NOTHING


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

    def goes_on_with(self, run: Mark) -> bool:
        """Whether a run belongs to it: not one below what it reached, nor one that reads other words."""
        reads_the_same = (run.session, run.is_again) == (self.session, self.is_again)
        return run.layer >= self.reached and (run.layer != "L1" or reads_the_same)


def _waves(marks: Iterable[Mark]) -> Iterator[Wave]:
    wave, position = None, 0
    for mark in marks:
        if wave is None or not wave.goes_on_with(mark):
            if wave is not None:
                yield wave.closed()
            wave = _Open(wave.number + 1 if wave else 1, mark.session, mark.is_again)
        for layer in ("L0", "L1") if mark.layer == "L1" and not mark.is_again else (mark.layer,):
            position += 1
            wave.add(layer, mark, position)
    if wave is not None:
        yield wave.closed()
