"""Turns as chat messages, in whole exchanges with tools. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.ingest.recalled import strip_recalled
from memory.ingest.tool_calls import ToolCall, read_tool_calls

ChatMessage = dict[str, Any]
Count = Callable[[str], int]
MESSAGE_TOKENS = 4
"""What the frame of a chat message takes besides its text."""
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What models take as the name of a speaker or a tool."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A stored turn, as far as a chat shows it."""

    id: UUID
    ordinal: int
    role: str
    text: str
    speaker: str = ""
    attachment_text: str = ""
    tool_name: str = ""
    tool_calls: Sequence[Any] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Turns that are shown together or not at all: a turn, or a call with its results."""

    turns: tuple[Turn, ...]
    messages: tuple[ChatMessage, ...]
    is_user: bool
    tokens: int

    @property
    def ordinal(self) -> int:
        """Where it begins in its session."""
        return self.turns[0].ordinal


def exchanges(turns: Sequence[Turn], count: Count) -> list[Exchange]:
    """Turns in their order, a call drawn together with its results.

    A chat is refused by models where a call has no result, a result no call, or a tool a name of other signs
    than theirs. Such a call is told in words, and so is such a result.
    """
    drawn: set[UUID] = set()
    found: list[Exchange] = []
    for turn in turns:
        if turn.id in drawn:
            continue
        calls = read_tool_calls(turn.tool_calls) if turn.role == "assistant" else ()
        answers = [other for other in turns if _answers_after(other, turn, drawn)] if calls else []
        results = _results(calls, answers)
        if results:
            drawn |= {result.id for result in results}
            messages = (_call(turn, calls), *map(_result, results))
            exchange = exchange_of((turn, *results), messages, count)
            found.append(exchange if _are_named(calls) else in_words(exchange, count))
        else:
            found.append(exchange_of((turn,), (_plain(turn, calls),), count))
    return found


def _answers_after(other: Turn, call: Turn, drawn: Collection[UUID]) -> bool:
    """Whether a turn may be a result of a call: a tool's, later, and not of another call."""
    return bool(
        other.role == "tool" and other.tool_call_id and other.ordinal > call.ordinal and other.id not in drawn
    )


def _results(calls: Sequence[ToolCall], answers: Sequence[Turn]) -> tuple[Turn, ...]:
    """The first result of each call in the order of the session; none when a call has none."""
    first: dict[str, Turn] = {}
    for answer in answers:
        first.setdefault(answer.tool_call_id, answer)
    ids = {call.id for call in calls}
    if len(ids) < len(calls) or not ids <= first.keys():
        return ()
    return tuple(answer for id, answer in first.items() if id in ids)


def _are_named(calls: Sequence[ToolCall]) -> bool:
    """Whether models take the names of the tools."""
    return all(NAME.fullmatch(call.name) for call in calls)


def in_words(exchange: Exchange, count: Count) -> Exchange:
    """A call with its results as words of the assistant."""
    call, *results = exchange.turns
    told = [
        words(call),
        *(f"[call of {call.name}: {call.arguments}]" for call in read_tool_calls(call.tool_calls)),
    ]
    told += [_plain(result, ())["content"] for result in results]
    content = "\n".join(text for text in told if text)
    return exchange_of(exchange.turns, ({"role": "assistant", "content": content},), count)


def message_tokens(message: Mapping[str, Any], count: Count) -> int:
    """The tokens of a chat message with its frame."""
    told = [message.get("content") or "", message.get("name") or "", message.get("tool_call_id") or ""]
    calls = message.get("tool_calls")
    if calls:
        told.append(json.dumps(calls, ensure_ascii=False))
    return MESSAGE_TOKENS + sum(count(text) for text in told if text)


def exchange_of(turns: tuple[Turn, ...], messages: tuple[ChatMessage, ...], count: Count) -> Exchange:
    tokens = sum(message_tokens(message, count) for message in messages)
    return Exchange(turns, messages, is_user=turns[0].role == "user", tokens=tokens)


def _call(turn: Turn, calls: Sequence[ToolCall]) -> ChatMessage:
    return {
        "role": "assistant",
        "content": words(turn) or None,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ],
    }


def _result(turn: Turn) -> ChatMessage:
    return {"role": "tool", "tool_call_id": turn.tool_call_id, "content": words(turn)}


def _plain(turn: Turn, calls: Sequence[ToolCall]) -> ChatMessage:
    if turn.role == "tool":
        return {"role": "assistant", "content": f"[result of {turn.tool_name or 'a tool'}] {words(turn)}"}
    told = [words(turn)] if words(turn) else []
    told += [f"[call of {call.name}, without a result: {call.arguments}]" for call in calls]
    nothing = "[call of a tool]" if turn.tool_calls else "[recalled memory alone]"
    message: ChatMessage = {"role": turn.role, "content": "\n".join(told) or nothing}
    if turn.role in ("user", "assistant") and NAME.fullmatch(turn.speaker):
        message["name"] = turn.speaker
    return message


def words(turn: Turn) -> str:
    """What was said, without memory that came back in it, and what was attached."""
    text = strip_recalled(turn.text).strip()
    attached = strip_recalled(turn.attachment_text).strip()
    return "\n".join(part for part in (text, f"[attached: {attached}]" if attached else "") if part)
