"""What would go when something is forgotten, so that a person can judge it before anything does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Words:
    """A message that would go."""

    id: UUID
    session: str
    speaker: str
    text: str
    said_at: datetime | None
    """In the entity's own zone."""


@dataclass(frozen=True, slots=True)
class Match:
    """A claim, or words that no claim stands for, with everything that would go with it."""

    id: UUID
    kind: Literal["memory", "message"]
    text: str
    status: str
    """Of a claim: live, superseded, contested or retracted; of words: raw."""
    is_chosen: bool
    """Whether it goes unless the person says otherwise."""
    reason: str
    """Why it is not chosen; empty when it is."""
    messages: tuple[Words, ...]
    also: tuple[str, ...]
    """Other claims that rest on these words and go with them."""
    lines: tuple[str, ...]
    """Lines of live scenes that lose their text."""
    traits: tuple[str, ...]
    digests: int
    """Summaries and briefs of sessions, which are written anew."""
    edges: int
