"""The way through the stages: a step back and on, the ends, and a list to jump in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse

from showcase.parts import Layer
from showcase.reactor.stages import Replay, Stage

STAGES_AROUND = 14
"""So many stages on both sides are listed; of a long history the others are stepped to."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A stage in the list."""

    name: str
    layer: Layer
    url: str
    is_here: bool
    is_past: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The listed stages of a wave."""

    number: int
    title: str
    jumps: tuple[Jump, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """Where one can go from a stage; an empty address leads nowhere."""

    position: int
    total: int
    first_url: str
    back_url: str
    next_url: str
    last_url: str
    groups: tuple[Group, ...]
    earlier: int
    """Stages before those that are listed."""
    earlier_url: str
    later: int
    later_url: str


def stage_url(stage: Stage | None) -> str:
    """The address of a stage."""
    return reverse("showcase:reactor_stage", args=[stage.slug]) if stage else ""


def way_from(replay: Replay, stage: Stage) -> Way:
    """The way from a stage."""
    here, last = stage.position, len(replay.stages) - 1
    start, end = max(0, here - STAGES_AROUND), min(last, here + STAGES_AROUND)
    return Way(
        position=here + 1,
        total=last + 1,
        first_url=stage_url(replay.at(0)) if here else "",
        back_url=stage_url(replay.at(here - 1)),
        next_url=stage_url(replay.at(here + 1)),
        last_url=stage_url(replay.at(last)) if here < last else "",
        groups=tuple(_groups(replay, replay.stages[start : end + 1], here)),
        earlier=start,
        earlier_url=stage_url(replay.at(start - 1)),
        later=last - end,
        later_url=stage_url(replay.at(end + 1)),
    )


def _groups(replay: Replay, listed: Iterable[Stage], here: int) -> Iterable[Group]:
    titles = {wave.number: wave.title for wave in replay.waves}
    for number, stages in groupby(listed, key=lambda stage: stage.wave):
        jumps = tuple(
            Jump(one.name, one.layer, stage_url(one), one.position == here, one.position < here)
            for one in stages
        )
        yield Group(number, titles.get(number, ""), jumps)
