"""A claim as it is read, before it is compared with what memory holds."""

from __future__ import annotations

from dataclasses import dataclass
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
    message: str
    said_on: date | None
    happened_from: date | None = None
    happened_until: date | None = None
