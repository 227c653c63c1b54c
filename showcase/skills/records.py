"""What the pages of skills show: frozen records for their templates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from showcase.parts import Action, Code, Fact
from showcase.reactor.records import WrittenLine


@dataclass(frozen=True, slots=True)
class Station:
    """A station of the loop: its name, how it stands, and where the page tells of it."""

    name: str
    said: str
    place: str
    state: str
    """`done`, `waits` or `ahead`."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A procedure in the list."""

    title: str
    said: str
    url: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer decided."""

    said: str
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Handed:
    """What an agent was given once."""

    id: UUID
    at: datetime
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Opinion:
    """Feedback, and the lines that it led to."""

    id: UUID
    said: str
    words: str
    at: datetime
    led_to: tuple[tuple[int, str], ...]
    """Version and text of each line that rests on it."""
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A draft in front of a reviewer: what one can do who may, and how, for who may not."""

    actions: tuple[Action, ...]
    code: Code
    sign_in_url: str


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version, what it changes and what became of it."""

    id: UUID
    number: int
    title: str
    status: str
    is_good: bool
    at: datetime
    base: int | None
    boundary: str
    is_boundary_new: bool
    lines: tuple[WrittenLine, ...]
    unchanged: int
    left_out: tuple[str, ...]
    is_erased: bool
    verdicts: tuple[Verdict, ...]
    waiting: Waiting | None
    uses: tuple[Handed, ...]
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step of a trace; `lines` counts those that rest on it."""

    id: UUID
    kind: str
    text: str
    url: str
    lines: int


@dataclass(frozen=True, slots=True)
class ShownTrace:
    """A task as it was carried out."""

    id: UUID
    task: str
    outcome: str
    at: datetime | None
    steps: tuple[ShownStep, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """Everything about one procedure."""

    title: str
    stations: tuple[Station, ...]
    versions: tuple[ShownVersion, ...]
    """The newest first."""
    older_url: str
    newest_url: str
    traces: tuple[ShownTrace, ...]
    use_count: int
    feedback_count: int
