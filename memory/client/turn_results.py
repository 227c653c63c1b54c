"""What sessions give back: turns, digests, claims, and the context of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.client.chats import AnthropicChat, anthropic_chat
from memory.client.results import Fact, Receipt, Result


class SessionRecord(Result):
    """A session as it stood when the server answered."""

    id: UUID
    external_id: str
    entity: str
    group_id: str = ""
    user_id: str = ""
    title: str = ""
    created_at: datetime
    last_message_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    folded_until: int = 0
    """The first ordinal that the summary does not cover."""
    compaction: str = "idle"
    """`waiting` for a fold or a brief, `parked` after failures, `done` once its end was worked on."""
    summary: str | None = None
    brief: str | None = None


class AddedTurn(Result):
    """Where a turn is now, and whether this call stored it."""

    id: UUID
    seq: int
    ordinal: int
    created: bool


class Turn(Result):
    """A stored turn, word for word."""

    id: UUID
    seq: int
    ordinal: int
    role: str
    speaker: str = ""
    text: str
    attachment_text: str = ""
    parent: UUID | None = None
    children: int = 0
    """How many turns name it as their parent."""
    tool_name: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str = ""
    metadata: Mapping[str, Any] = {}
    said_at: datetime | None = None
    recorded_at: datetime
    dedupe_key: str | None = None
    folded: bool = False
    """The session's summary covers it."""


class Digest(Result):
    """One version of a session's summary or brief; `evidence` are the messages that it covers."""

    id: UUID
    kind: str
    number: int
    text: str
    until_ordinal: int
    is_head: bool
    created_at: datetime
    evidence: tuple[UUID, ...] = ()


class RecalledClaim(Result):
    """A claim that speaks of the query. A live one holds what its source said, or why it said nothing."""

    id: UUID
    subject_kind: str
    subject_id: str
    predicate: str
    value: Any = None
    text: str
    authority: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    evidence: tuple[Receipt, ...] = ()
    live_source: str = ""
    live_state: str = ""
    """`fetched`, `cached` or `unavailable`; empty for a stored claim."""
    fetched_at: datetime | None = None
    problem: str = ""


class Context(Result):
    """Chat messages for the next reply of a session, and the account of them."""

    session: UUID
    entity: str
    messages: list[dict[str, Any]]
    """In OpenAI's chat schema: hand them to a chat completion as they are."""
    recalled_claims: tuple[RecalledClaim, ...] = ()
    recalled_semantic: tuple[Fact, ...] = ()
    """Facts of the graph, the nearest first."""
    tokens: int
    stable_messages: int = 0
    """So many messages, from the first on, stay the same for every query."""
    stable_prefix_bytes: int = 0
    sha256: str
    manifest: Mapping[str, Any] = {}
    use: UUID | None = None
    """Names it for feedback, where `record_use` was asked for."""

    def anthropic(self) -> AnthropicChat:
        """The same for Anthropic's Messages API: `create(system=chat.system, messages=chat.messages)`."""
        return anthropic_chat(self.messages)
