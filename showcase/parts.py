"""What the recurring parts of pages are given: a frozen record for each template of `showcase/parts/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

Layer = Literal["L0", "L1", "L2", "L3", ""]
Level = Literal["note", "good", "warn", "bad"]

LAYER_OF_KIND: dict[str, Layer] = {
    "message": "L0",
    "atom": "L1",
    "line": "L2",
    "scene": "L2",
    "scene version": "L2",
    "trait": "L3",
    "trait version": "L3",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and a value; with an address the value is a link, with an instant it is shown as one."""

    name: str
    value: str = ""
    url: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a row rests on. `text` stands for what has no id; `note` is the beginning of its words."""

    kind: str
    id: UUID | None
    url: str = ""
    text: str = ""
    note: str = ""

    @property
    def layer(self) -> Layer:
        """The layer whose hue it wears."""
        return LAYER_OF_KIND.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class Card:
    """One record of any layer. `state` is said when it no longer holds: `superseded`, `retracted`, …"""

    kind: str
    id: UUID
    text: str
    title: str = ""
    url: str = ""
    at: datetime | None = None
    facts: tuple[Fact, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    state: str = ""
    attachment: str = ""

    @property
    def layer(self) -> Layer:
        """The layer whose hue it wears."""
        return LAYER_OF_KIND.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class Counter:
    """A number and what it counts; `note` is a second, smaller figure in words."""

    label: str
    count: int
    layer: Layer = ""
    note: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A share of a token bar. `start` and `width` are in hundredths of the bar and set by `token_bar`."""

    name: str
    tokens: int
    layer: Layer = ""
    start: float = 0.0
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class TokenBar:
    """Tokens used of a budget; without one the bar is as long as what is used."""

    label: str
    segments: tuple[Segment, ...]
    used: int
    budget: int | None

    @property
    def is_over(self) -> bool:
        """Whether more was used than the budget allows."""
        return self.budget is not None and self.used > self.budget


@dataclass(frozen=True, slots=True)
class Version:
    """A step of a timeline. `counts` says what it changed: «2 added, 1 reworded»."""

    number: int
    url: str = ""
    at: datetime | None = None
    author: str = ""
    counts: str = ""
    is_current: bool = False
    """The one that holds now."""
    is_shown: bool = False
    """The one that the page shows."""
    compare_url: str = ""
    note: str = ""
    """Why it was made."""


@dataclass(frozen=True, slots=True)
class Action:
    """Somewhere to go next."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Empty:
    """A list without rows: what is missing, and what to do about it."""

    title: str
    text: str
    command: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a visitor should know."""

    text: str
    level: Level = "note"
    action: Action | None = None


@dataclass(frozen=True, slots=True)
class Pager:
    """Where a list goes on; an empty address is an end of it. `said` is for example «1 to 50 of 312»."""

    said: str
    newer_url: str = ""
    older_url: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Text to be copied: a command, a context, a digest."""

    text: str
    label: str
    wraps: bool = False
    """Long lines are broken; otherwise they scroll."""


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step of the way to a page; the last one has no address."""

    label: str
    url: str = ""


def token_bar(label: str, segments: Sequence[Segment], *, budget: int | None = None) -> TokenBar:
    """A bar whose segments follow each other and never leave it, over its budget too."""
    used = sum(segment.tokens for segment in segments)
    whole = max(budget or 0, used) or 1
    placed, start = [], 0.0
    for segment in segments:
        width = round(100 * segment.tokens / whole, 2)
        placed.append(replace(segment, start=round(start, 2), width=width))
        start += width
    return TokenBar(label, tuple(placed), used, budget)
