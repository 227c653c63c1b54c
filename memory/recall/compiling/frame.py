"""What a session's context holds whatever is asked: turns, digests, persona, rules, scenes. Read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import queries
from memory.models import Authority, Digest, Entity, Session
from memory.recall.compiling.turns import Turn
from memory.recall.context.prefix_blocks import Rule, TraitWords
from memory.recall.procedures import QUERY, Procedures, parameters

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
class SceneName:
    """A live scene by name; no summary where it may rest on what no longer holds."""

    id: UUID
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a session's context that depend on no query."""

    turns: tuple[Turn, ...]
    """In their order; at most `MOST_TURNS` of the newest, with the newest one of a user, however old."""
    summary: DigestWords | None
    briefs: tuple[DigestWords, ...]
    """Of earlier sessions, the newest first."""
    traits: tuple[TraitWords, ...]
    rules: tuple[Rule, ...]
    scenes: tuple[SceneName, ...]
    procedures: Procedures = field(default_factory=Procedures)


def read_frame(entity: Entity, session: Session, *, floor: int) -> Frame:
    """Read all of it, there and back once."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    until = session.folded_until
    turns, digests, traits, rules, scenes, procedures = queries.kept_rows(
        ("compile_turns", {**owner, "session": session.pk, "folded_until": until, "most_turns": MOST_TURNS}),
        ("compile_digests", {**owner, "session": session.pk, "most_briefs": MOST_BRIEFS}),
        ("compile_traits", owner),
        ("compile_rules", {**owner, "floor": floor}),
        ("compile_scenes", owner),
        (QUERY, parameters(entity)),
    )
    summaries = [_digest(row) for row in digests if row[1] == Digest.Kind.SUMMARY]
    return Frame(
        turns=tuple(_turn(row) for row in reversed(turns)),
        summary=summaries[0] if summaries else None,
        briefs=tuple(_digest(row) for row in digests if row[1] == Digest.Kind.BRIEF),
        traits=tuple(TraitWords(*row) for row in traits),
        rules=tuple(_rule(row) for row in rules),
        scenes=tuple(
            SceneName(id, title, "" if is_due else summary) for id, title, summary, is_due in scenes
        ),
        procedures=Procedures.of(procedures),
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


def _rule(row: Sequence[Any]) -> Rule:
    id, text, priority, scope, authority = row
    who = "" if authority == Authority.USER else Authority(authority).label
    return Rule(id, text, priority, scope, who)
