"""Sessions, turns and digests as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from memory.api.cursors import number_cursor
from memory.ingest.messages import Appended
from memory.ingest.turns import ReadTurn, TurnsPage
from memory.models import Session
from memory.recall.digests import DigestRecord, SessionState


def session_body(session: Session, state: SessionState) -> dict[str, Any]:
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


def added_body(session: Session, appended: Appended) -> dict[str, Any]:
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


def turns_body(session: Session, page: TurnsPage) -> dict[str, Any]:
    """The body of a page of turns. `next_after` leads to the next page; it is null on the last one."""
    return {
        "session": session.pk,
        "total": page.total,
        "turns": [_turn_value(session, turn) for turn in page.turns],
        "next_after": number_cursor("turns", page.next_after),
    }


def _turn_value(session: Session, turn: ReadTurn) -> dict[str, Any]:
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


def digests_body(session: Session, digests: tuple[DigestRecord, ...]) -> dict[str, Any]:
    """The body of a session's digests."""
    return {"session": session.pk, "digests": [asdict(digest) for digest in digests]}
