"""What a language model may answer: statements with their citations, and what is missing."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory.cascade.contract import Answered

TASK = "answer"
STATEMENT_LIMIT = 1_000


class AnswerItem(Answered):
    """One statement that rests on what it cites, or one thing that memory does not hold."""

    action: Literal["state", "gap"]
    text: str = Field(min_length=1, max_length=STATEMENT_LIMIT)
    citations: list[str] = Field(default_factory=list)
    """Handles of the lines that say it; none for a gap."""


class AnswerReply(Answered):
    """The whole answer."""

    items: list[AnswerItem]
    nothing_reason: str | None = None
