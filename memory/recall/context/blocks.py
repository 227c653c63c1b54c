"""Blocks of a context: what is shown within a budget of tokens, and what is left out with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

Count = Callable[[str], int]
"""Tokens of a text."""
Kind = Literal[
    "trait", "atom", "message", "scene", "section", "request", "rule", "digest", "edge", "procedure"
]
Reason = Literal[
    "budget",
    "other situation",
    "evolution record",
    "in standing rules",
    "in a scene",
    "in an atom",
    "in a turn",
    "same words",
    "superseded",
    "system text",
    "cut",
    "no trigger",
    "others fit better",
]
BlockName = Literal[
    "persona",
    "rules",
    "scenes",
    "memory",
    "shared",
    "procedure",
    "request",
    "briefs",
    "summary",
    "turns",
    "situation",
    "sections",
    "live",
    "facts",
]


@dataclass(frozen=True, slots=True)
class Reference:
    """A row that is shown; a section is named by its scene or version, a design's rule by its name alone."""

    kind: Kind
    id: UUID | None
    part: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that could have been shown, and why it was not (or, for `cut`, not whole)."""

    kind: Kind
    id: UUID | None
    reason: Reason
    part: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a context. `text` is empty, or ends with a line break; `tokens` never exceed `budget`."""

    name: BlockName
    text: str
    tokens: int
    budget: int
    ids: tuple[Reference, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(slots=True)
class Space:
    """What is left of a budget while a block is filled.

    Texts that end with a line break never take more tokens together than alone: the vocabulary cuts there.
    """

    count: Count
    left: int

    def take(self, *texts: str) -> bool:
        """Use up what the texts need together; False, with nothing used, when they do not fit."""
        needed = sum(self.count(text) for text in texts)
        if needed > self.left:
            return False
        self.left -= needed
        return True


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is shown whole or not at all."""

    row: Reference
    text: str


@dataclass(slots=True)
class Filled:
    """Entries that fitted, in their order, and those that did not."""

    shown: list[Entry] = field(default_factory=list)
    missing: list[Entry] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The shown lines."""
        return "".join(entry.text for entry in self.shown)

    @property
    def ids(self) -> tuple[Reference, ...]:
        """The shown rows."""
        return tuple(entry.row for entry in self.shown)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The others, for want of space."""
        return tuple(
            LeftOut(entry.row.kind, entry.row.id, "budget", entry.row.part) for entry in self.missing
        )


def fill(entries: Iterable[Entry], space: Space) -> Filled:
    """Show what fits, the first ones first; a long entry that does not fit keeps no shorter one out."""
    filled = Filled()
    for entry in entries:
        (filled.shown if space.take(entry.text) else filled.missing).append(entry)
    return filled


def fill_telling(entries: Sequence[Entry], space: Space, notice: Callable[[int], str]) -> tuple[Filled, str]:
    """Show what fits and say how many do not: the notice has its place before any entry has.

    Where not even the notice fits, nothing is shown.
    """
    if space.take(*(entry.text for entry in entries), notice(0)):
        return Filled(shown=list(entries)), notice(0)
    if not space.take(notice(len(entries))):
        return Filled(missing=list(entries)), ""
    filled = fill(entries, space)
    return filled, notice(len(filled.missing))
