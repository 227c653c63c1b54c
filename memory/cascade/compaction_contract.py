"""What compaction shows a model, and what it may answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from memory.cascade.contract import Answered, MessageRole

DigestAction = Literal["summary", "brief"]
LONGEST_ANSWER = 20_000
"""Characters; what is longer than a digest may be is told its length, or cut at the end of a sentence."""


@dataclass(frozen=True, slots=True)
class OfferedCall:
    """A call of a tool: its name and arguments as JSON text."""

    name: str
    arguments: str
    handle: str = ""
    """`c1`, `c2`, …: what its result names."""


@dataclass(frozen=True, slots=True)
class OfferedTurn:
    """One turn as the model sees it; a long one without its middle."""

    handle: str
    role: MessageRole
    speaker: str
    said_at: datetime | None
    """In the entity's own zone; None when nobody knows when it was said."""
    text: str
    """Recalled blocks removed."""
    attachment_text: str = ""
    tool_name: str = ""
    """Of a result: the tool, found by the call where the turn does not name it."""
    result_of: str = ""
    """Of a result: the handle of its call, when that one is shown."""
    calls: tuple[OfferedCall, ...] = ()
    under: str = ""
    """The handle of its parent, when that one is shown."""


@dataclass(frozen=True, slots=True)
class CompactionPayload:
    """Turns to take in, and what stands for the turns before them."""

    entity: str
    time_zone: str
    session: str
    """Its title or external id."""
    action: DigestAction
    limit: int
    """Characters that the text may have."""
    summary: str
    """Of the turns before; empty when these are the first."""
    turns: tuple[OfferedTurn, ...]
    instruction: str = ""


class DigestItem(Answered):
    """The text that stands for the session, or for its older turns."""

    action: DigestAction
    text: str = Field(max_length=LONGEST_ANSWER)


class DigestAnswer(Answered):
    """One item; none, with a reason, for a session in which nothing matters later."""

    items: list[DigestItem]
    nothing_reason: str | None = None
