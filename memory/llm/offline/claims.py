"""A claim as it is read, before it is compared with what memory holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from memory.cascade.contract import AtomKind
from memory.llm.offline.topics import Hint


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a message says, with what its words tell about it."""

    text: str
    kind: AtomKind
    priority: int
    scope: str
    subject: str
    person: str
    hint: Hint
    clause: str
    messages: tuple[str, ...]
    """Handles of what it rests on, the turn that says it last."""
    said_on: date | None
    happened_from: date | None = None
    happened_until: date | None = None
    is_opinion: bool = False
    """It speaks of nobody in particular and is kept as what somebody said."""
    is_continuation: bool = False
    """Its «it» or «they» is what the claim before it names: it cannot stand without that one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message says that is worth keeping, and why the rest was left where it was said."""

    claims: list[Claim] = field(default_factory=list)
    left: str = ""
    """A reason for the run; empty when nothing was left unread."""
