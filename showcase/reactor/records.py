"""What a stage shows: frozen records for its templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memory.cascade.rules.difference import TextEdit
from showcase.parts import Card, Counter, Fact, Layer, Receipt, TokenBar

Level = Literal["", "good", "bad"]


@dataclass(frozen=True, slots=True)
class Item:
    """A record in short, as a column shows it."""

    text: str
    url: str
    note: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A layer as it stood: how much there was, and the newest of it."""

    layer: Layer
    title: str
    counter: Counter
    items: tuple[Item, ...]
    more: int
    """How many are not among the items."""
    nothing: str
    """What is said while it is empty."""


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line that came, went or was reworded, with what it rests on."""

    change: str
    heading: str
    before: str
    after: str
    words: tuple[TextEdit, ...]
    url: str
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one item of the answer, and why."""

    said: str
    """The outcome in a word: `stored`, `merged`, `skipped`, `dropped`, …"""
    level: Level = ""
    title: str = ""
    url: str = ""
    reason: str = ""
    text: str = ""
    """Words of an item that was not taken."""
    sources: tuple[Card, ...] = ()
    results: tuple[Card, ...] = ()
    replaced: tuple[Card, ...] = ()
    lines: tuple[WrittenLine, ...] = ()
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """Inputs of one kind."""

    name: str
    layer: Layer
    items: tuple[Item, ...]
    missing: int
    """How many the run names that are not there any more."""


@dataclass(frozen=True, slots=True)
class Told:
    """What happened at a stage."""

    headline: str
    lead: str
    decisions: tuple[Decision, ...] = ()
    talk: tuple[Card, ...] = ()
    """The conversation, where words are what the stage is about."""
    new_from: int = 0
    """The first of the talk that is new."""
    quiet: tuple[Item, ...] = ()
    """Messages of the batch of which nothing was taken."""
    readings: tuple[Reading, ...] = ()
    facts: tuple[Fact, ...] = ()
    bar: TokenBar | None = None
    failures: tuple[str, ...] = field(default=())
    erased: str = ""
    """What is left of a run whose account went with words that were forgotten."""
