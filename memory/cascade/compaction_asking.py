"""The question for a summary or a brief: turns as a model is shown them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from memory.cascade.compaction_contract import (
    CompactionPayload,
    DigestAction,
    DigestAnswer,
    DigestItem,
    OfferedCall,
    OfferedTurn,
)
from memory.cascade.compaction_judging import DigestJudge, ground_of
from memory.cascade.contract import MessageRole
from memory.cascade.designs import Design
from memory.cascade.offering import attached_text, said_text
from memory.cascade.rules.digest_text import without_middle
from memory.cascade.rules.handles import Handles, Kind
from memory.cascade.showing import NOTHING, moment, one_line, quote
from memory.cascade.stage import Question
from memory.ingest.tool_calls import ToolCall, read_tool_calls
from memory.models import Digest, Entity, Message, Session

SHOWN_PARTS = 2
"""Text on one side, attachment or arguments on the other: each may take half of what a turn may show."""


def digest_question(
    entity: Entity,
    session: Session,
    action: DigestAction,
    turns: Sequence[Message],
    before: Digest | None,
    design: Design,
) -> Question[str]:
    """What is asked of the cheap model about some turns and the summary of those before them."""
    limits = design.limits
    payload = CompactionPayload(
        entity=entity.name,
        time_zone=entity.time_zone,
        session=session.title or session.external_id,
        action=action,
        limit=limits.brief_characters if action == "brief" else limits.summary_characters,
        summary=before.text if before else "",
        turns=offer_turns(entity, turns, limits.turn_characters),
    )
    judge = DigestJudge(
        action=action,
        limit=payload.limit,
        ground=ground_of(entity, session, turns, payload.summary),
        markers=design.example_markers,
    )
    return Question(
        payload=payload,
        values=_values(payload),
        answer_schema=DigestAnswer,
        item_schema=DigestItem,
        judge=judge.judge,
        alias="cheap",
    )


def _values(payload: CompactionPayload) -> dict[str, str]:
    return {
        "entity": payload.entity,
        "time_zone": payload.time_zone,
        "session": one_line(payload.session),
        "action": payload.action,
        "limit": str(payload.limit),
        "summary": quote(payload.summary) if payload.summary else NOTHING,
        "turns": show_turns(payload.turns),
    }


def offer_turns(entity: Entity, turns: Sequence[Message], characters: int) -> tuple[OfferedTurn, ...]:
    """Turns under handles; of each at most so many characters of what was said and as many of the rest."""
    handles, calls = Handles(), _Calls(characters // SHOWN_PARTS)
    offered: list[OfferedTurn] = []
    known: set[UUID] = set()
    for turn in turns:
        made = calls.offer(turn)
        answered = calls.answered_by(turn)
        offered.append(
            OfferedTurn(
                handle=handles.offer(Kind.MESSAGE, turn.pk),
                role=cast(MessageRole, turn.role),
                speaker=turn.speaker,
                said_at=turn.occurred_at and turn.occurred_at.astimezone(entity.zone),
                text=without_middle(said_text(turn).strip(), characters),
                attachment_text=without_middle(attached_text(turn).strip(), calls.room),
                tool_name=turn.tool_name or (answered.name if answered else ""),
                result_of=answered.handle if answered else "",
                calls=made,
                under=handles.handle(turn.parent_id) if turn.parent_id in known else "",
            )
        )
        known.add(turn.pk)
    return tuple(offered)


class _Calls:
    """The calls of tools seen so far. An id that comes again means the newer call."""

    def __init__(self, room: int) -> None:
        self.room = room
        """Characters of arguments that are shown."""
        self._count = 0
        self._by_id: dict[str, OfferedCall] = {}

    def offer(self, turn: Message) -> tuple[OfferedCall, ...]:
        """The calls that a turn makes, each under the next handle."""
        return tuple(self._offered(call) for call in read_tool_calls(turn.tool_calls))

    def answered_by(self, turn: Message) -> OfferedCall | None:
        """The call whose result a turn is."""
        return self._by_id.get(turn.tool_call_id) if turn.role == Message.Role.TOOL else None

    def _offered(self, call: ToolCall) -> OfferedCall:
        self._count += 1
        offered = OfferedCall(call.name, without_middle(call.arguments, self.room), f"c{self._count}")
        self._by_id[call.id] = offered
        return offered


def show_turns(turns: Sequence[OfferedTurn]) -> str:
    """`m1 user (Alice), 2026-06-02 09:00 Tuesday: "…"`, one a line, with the calls that it makes."""
    return "\n".join(_shown(turn) for turn in turns) or NOTHING


def _shown(turn: OfferedTurn) -> str:
    who = f"{turn.role} ({one_line(turn.speaker)})" if turn.speaker else turn.role
    tool = f" «{one_line(turn.tool_name)}»" if turn.tool_name else ""
    tool += f" result of {turn.result_of}" if turn.result_of else ""
    under = f" under {turn.under}" if turn.under else ""
    said = [quote(turn.text)] if turn.text or not turn.calls else []
    said += [f"[attachment: {quote(turn.attachment_text)}]"] if turn.attachment_text else []
    said += [_shown_call(call) for call in turn.calls]
    return f"{turn.handle} {who}{tool}{under}, {moment(turn.said_at)}: {' '.join(said)}"


def _shown_call(call: OfferedCall) -> str:
    handle = f" as {call.handle}" if call.handle else ""
    return f"[calls «{one_line(call.name)}»{handle} with {quote(call.arguments)}]"
