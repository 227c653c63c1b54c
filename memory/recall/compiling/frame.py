"""What a session's context holds whatever is asked: turns, digests, persona, rules, scenes. Read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import queries
from memory.models import Digest, Entity, Session
from memory.recall.compiling.turns import Turn
from memory.recall.context.standing import Standing, asked, standing_of

MOST_TURNS = 400
MOST_BRIEFS = 8


@dataclass(frozen=True, slots=True)
class DigestWords:
    """A summary or a brief."""

    id: UUID
    text: str
    session: str
    ended_at: datetime | None
    until_ordinal: int


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a session's context that depend on no query."""

    turns: tuple[Turn, ...]
    """In their order; at most `MOST_TURNS` of the newest, with the newest one of a user, however old."""
    summary: DigestWords | None
    briefs: tuple[DigestWords, ...]
    """Of earlier sessions, the newest first."""
    standing: Standing
    """Traits, rules, scenes without their lines, procedures."""


def read_frame(entity: Entity, session: Session, *, floor: int) -> Frame:
    """Read all of it, there and back once."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    until = session.folded_until
    turns, digests, rows = queries.kept_texts(
        (
            queries.statement("compile_turns"),
            {**owner, "session": session.pk, "folded_until": until, "most_turns": MOST_TURNS},
        ),
        (
            queries.statement("compile_digests"),
            {**owner, "session": session.pk, "most_briefs": MOST_BRIEFS},
        ),
        asked(entity, floor=floor, with_lines=False),
    )
    summaries = [_digest(row) for row in digests if row[1] == Digest.Kind.SUMMARY]
    return Frame(
        turns=tuple(_turn(row) for row in reversed(turns)),
        summary=summaries[0] if summaries else None,
        briefs=tuple(_digest(row) for row in digests if row[1] == Digest.Kind.BRIEF),
        standing=standing_of(rows),
    )


def _turn(row: Sequence[Any]) -> Turn:
    id, ordinal, role, speaker, text, attachment_text, tool_name, tool_calls, tool_call_id = row
    return Turn(
        id=id,
        ordinal=ordinal,
        role=role,
        text=text,
        speaker=speaker,
        attachment_text=attachment_text,
        tool_name=tool_name,
        tool_calls=queries.json_value(tool_calls),
        tool_call_id=tool_call_id,
    )


def _digest(row: Sequence[Any]) -> DigestWords:
    id, _, text, until_ordinal, session, ended_at = row
    return DigestWords(id, text, session, ended_at, until_ordinal)
