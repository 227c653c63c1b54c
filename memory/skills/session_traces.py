"""A trace from the turns of a session: what was asked, what was called, what came back, what was checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from memory.cascade.rules.digest_text import without_middle
from memory.ingest.problems import refused
from memory.ingest.recalled import strip_recalled
from memory.ingest.tool_calls import ToolCall, read_tool_calls
from memory.models import Message, Session, TaskTrace
from memory.models.skills import TRACE_STEP_LIMIT
from memory.skills.traces import STEPS_PER_TRACE, IncomingStep, record_trace

CHECKING_TOOL = re.compile(
    r"(?:^|[^a-z])(?:check|test|verif|validat|lint|assert|health|smoke|audit|diff|status)", re.IGNORECASE
)
CHECKING_WORDS = re.compile(
    r"^(?:i |we )?(?:have )?(?:checked|verified|confirmed|tested|made sure)\b", re.IGNORECASE
)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
NO_ARGUMENTS = frozenset({"", "{}", "null", "[]"})


def trace_of_session(*, session: Session, task: str, outcome: str, note: str = "") -> TaskTrace:
    """Store what a session's turns show of a task as a trace; again, it is the same one.

    Users' words are instructions, calls of tools actions (checks where the tool's name says so), their
    results results, and what the assistant says is a note. System texts and recalled blocks are left out.
    A session of more steps than a trace takes gives its newest ones. Raises IngestError for a session
    without a turn.
    """
    turns = list(_turns(session))
    steps = [step for turn in turns for step in _steps(turn, _called(turns))]
    if not steps:
        raise refused("session", "holds no turn that shows how a task was carried out")
    times = [turn.occurred_at for turn in turns if turn.occurred_at]
    return record_trace(
        entity=session.entity,
        task=task,
        outcome=outcome,
        steps=steps[-STEPS_PER_TRACE:],
        external_id=_external_id(turns[-1], task),
        session=session,
        note=note,
        occurred_at=max(times, default=None),
    )


def _external_id(last: Message, task: str) -> str:
    """Names the session up to its last turn and the task: a longer one, or another task, is a new trace."""
    digest = hashlib.sha256(task.encode()).hexdigest()[:16]
    return f"session.{last.session_id.hex}.{last.ordinal}.{digest}"


def _turns(session: Session) -> Iterator[Message]:
    rows = Message.objects.for_entity(session.entity).filter(session=session)
    newest = rows.exclude(role=Message.Role.SYSTEM).order_by("-ordinal")[:STEPS_PER_TRACE]
    return reversed(newest)


def _called(turns: Sequence[Message]) -> dict[str, ToolCall]:
    return {call.id: call for turn in turns for call in read_tool_calls(turn.tool_calls)}


def _steps(turn: Message, calls: dict[str, ToolCall]) -> Iterator[IncomingStep]:
    said = strip_recalled(turn.text).strip()
    if turn.role == Message.Role.USER:
        yield from _step("instruction", said, turn.pk)
    elif turn.role == Message.Role.TOOL:
        call = calls.get(turn.tool_call_id)
        yield from _step("result", said, turn.pk, turn.tool_name or (call.name if call else ""))
    else:
        yield from _step("check" if CHECKING_WORDS.match(said) else "note", said, turn.pk)
        for call in read_tool_calls(turn.tool_calls):
            kind = "check" if CHECKING_TOOL.search(CAMEL.sub("_", call.name)) else "action"
            given = "" if call.arguments.strip() in NO_ARGUMENTS else call.arguments
            yield from _step(kind, given or call.name, turn.pk, call.name)


def _step(kind: str, text: str, message: UUID, tool_name: str = "") -> Iterator[IncomingStep]:
    if text.strip():
        words = without_middle(text, TRACE_STEP_LIMIT)
        yield IncomingStep.model_validate(
            {"kind": kind, "text": words, "tool_name": tool_name[:128], "message": message}
        )
