"""What the compilation of a context gives out: frozen records that know no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.claims.graph import Fact, Receipt


@dataclass(frozen=True, slots=True)
class RecalledClaim:
    """A claim that speaks of the query. A live one holds what its source said, or why it said nothing."""

    id: UUID
    subject_kind: str
    subject_id: str
    predicate: str
    value: Any
    text: str
    authority: str
    valid_from: datetime | None
    valid_until: datetime | None
    evidence: tuple[Receipt, ...]
    live_source: str = ""
    live_state: str = ""
    """`fetched`, `cached` or `unavailable`; empty for a stored claim."""
    fetched_at: datetime | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Chat messages ready for a model, and the account of them."""

    messages: Sequence[Mapping[str, Any]]
    """In OpenAI's chat schema; a call of a tool is always followed by its results."""
    recalled_claims: tuple[RecalledClaim, ...]
    recalled_semantic: tuple[Fact, ...]
    """Facts of the graph, the nearest first."""
    manifest: Mapping[str, Any]
    """The account as JSON data: parts with ids shown and left out, tokens, arms, live sources, hash."""
    sha256: str
    """Of the messages as compact JSON with sorted keys."""
    tokens: int
    stable_messages: int
    """So many of the messages, from the first on, depend on neither query nor clock."""
    stable_prefix_bytes: int
    """Their length as compact JSON with sorted keys."""
    system: str = ""
    """What is remembered whatever is asked, between the marks: the text of the system message."""
    beside: str = ""
    """What is remembered for the words of now, between the marks, as it stands before them in `messages`."""
