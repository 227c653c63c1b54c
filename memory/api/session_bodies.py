"""Sessions, turns and digests as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import number_cursor
from memory.ingest.messages import Appended
from memory.ingest.turns import ReadTurn, TurnsPage
from memory.models import Session
from memory.recall.digests import CompactionState, DigestRecord, SessionState


class SessionBody(TypedDict):
    """A session as it stands."""

    id: UUID
    external_id: str
    entity: str
    group_id: str
    user_id: str
    title: str
    created_at: datetime
    last_message_at: datetime | None
    ended_at: datetime | None
    turns: int
    folded_until: int
    """Ordinal up to which turns are folded into the summary."""
    compaction: CompactionState
    """`waiting` for a fold or a brief, `parked` after failures, `done` once its end was worked on."""
    summary: str | None
    """Of the folded turns."""
    brief: str | None
    """What later sessions are told of this one."""


class AddedTurnBody(TypedDict):
    """Where a turn is stored."""

    id: UUID
    seq: int
    ordinal: int
    created: bool


class AddedBody(TypedDict):
    """Stored turns, in the order of the request."""

    session: UUID
    turns: list[AddedTurnBody]
    redacted: Mapping[str, int]
    """How much of which kind was taken out of the words before they were stored."""
    erased: list[int]
    """Places in the request, from 0, of turns that were erased before and stay so."""


class TurnBody(TypedDict):
    """A turn as it was stored."""

    id: UUID
    seq: int
    ordinal: int
    role: str
    speaker: str
    text: str
    attachment_text: str
    parent: UUID | None
    children: int
    tool_name: str
    tool_calls: Sequence[Mapping[str, Any]]
    tool_call_id: str
    metadata: Mapping[str, Any]
    said_at: datetime | None
    """In the entity's own zone."""
    recorded_at: datetime
    dedupe_key: str | None
    folded: bool
    """Whether the summary stands for it in contexts."""


class TurnsBody(TypedDict):
    """A page of turns."""

    session: UUID
    total: int
    turns: list[TurnBody]
    next_after: str | None


class DigestsBody(TypedDict):
    """Summary and brief of a session."""

    session: UUID
    digests: tuple[DigestRecord, ...]


def session_body(session: Session, state: SessionState) -> SessionBody:
    """The body of a session."""
    entity = session.entity
    return {
        "id": session.pk,
        "external_id": session.external_id,
        "entity": entity.name,
        "group_id": entity.group_id,
        "user_id": entity.user_id,
        "title": session.title,
        "created_at": session.created_at,
        "last_message_at": session.last_message_at,
        "ended_at": session.ended_at,
        "turns": state.turns,
        "folded_until": session.folded_until,
        "compaction": state.compaction,
        "summary": state.summary or None,
        "brief": state.brief or None,
    }


def added_body(session: Session, appended: Appended) -> AddedBody:
    """The body of stored turns."""
    return {
        "session": session.pk,
        "turns": [
            {"id": turn.id, "seq": turn.seq, "ordinal": turn.ordinal, "created": turn.is_new}
            for turn in appended.messages
        ],
        "redacted": dict(appended.redacted),
        "erased": list(appended.erased),
    }


def turns_body(session: Session, page: TurnsPage) -> TurnsBody:
    """The body of a page of turns. `next_after` leads to the next page; it is null on the last one."""
    return {
        "session": session.pk,
        "total": page.total,
        "turns": [_turn_value(session, turn) for turn in page.turns],
        "next_after": number_cursor("turns", page.next_after),
    }


def _turn_value(session: Session, turn: ReadTurn) -> TurnBody:
    message = turn.message
    said_at = message.occurred_at
    return {
        "id": message.pk,
        "seq": message.seq,
        "ordinal": message.ordinal,
        "role": message.role,
        "speaker": message.speaker,
        "text": message.text,
        "attachment_text": message.attachment_text,
        "parent": message.parent_id,
        "children": turn.children,
        "tool_name": message.tool_name,
        "tool_calls": message.tool_calls,
        "tool_call_id": message.tool_call_id,
        "metadata": message.metadata,
        "said_at": said_at and said_at.astimezone(session.entity.zone),
        "recorded_at": message.recorded_at,
        "dedupe_key": message.dedupe_key,
        "folded": turn.is_folded,
    }


def digests_body(session: Session, digests: tuple[DigestRecord, ...]) -> DigestsBody:
    """The body of a session's digests."""
    return {"session": session.pk, "digests": digests}
