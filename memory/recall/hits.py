"""What search gives out: results in their order, each with why it is there, and how the arms did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from memory.recall.records import Assertion, OutsideReceipt

ArmState = Literal["answered", "late", "failed", "off"]
HitLayer = Literal["message", "atom", "section", "trait"]


@dataclass(frozen=True, slots=True)
class CitedMessage:
    """A message that a result rests on."""

    id: UUID
    session: str
    ordinal: int
    role: str
    speaker: str
    text: str
    attachment_text: str
    said_at: datetime | None
    """In the entity's own zone."""
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: an atom with its messages, a raw message that no live atom covers, a section, a trait."""

    layer: HitLayer
    id: UUID
    """Of the atom, message, scene or trait."""
    text: str
    score: float
    terms: Mapping[str, float]
    """What the score is made of."""
    messages: tuple[CitedMessage, ...] = ()
    """An atom's messages, the best found first; a raw message itself."""
    is_raw: bool = False
    section: str = ""
    title: str = ""
    """Of the scene, for a section."""
    kind: str = ""
    priority: int = 0
    topic: str = ""
    subject: str = ""
    authority: str = ""
    happened_from: date | None = None
    happened_until: date | None = None
    said_at: datetime | None = None
    lines: tuple[UUID, ...] = ()
    """A section's standing lines."""
    assertion: Assertion | None = None
    """Of an observed claim: subject, predicate, value and how long it holds."""
    scope: str = ""
    """The situation that an instruction is bound to."""
    is_superseded: bool = False
    """A raw message that said a claim which no longer holds: shown as it is it would bring that back."""
    outside: tuple[OutsideReceipt, ...] = ()
    """What an atom rests on that is not stored here."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer of a search."""

    hits: tuple[Hit, ...]
    arms: Mapping[str, ArmState]
    """`words`, `meaning`, `related` (the second look), `unindexed`.

    An arm that is not `answered` was left out, and the caller is told.
    """
    unindexed: int = 0
    """Rows that the index step had not reached; they were scanned."""
    languages: tuple[str, ...] = field(default=("en",))
