"""Turns as chat messages: in whole exchanges with tools, the newest that fit. Pure."""

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
STRIDE = 8
"""The window of turns begins at every so-many-th: it moves seldom, so that a prompt cache keeps it."""
CUT = " …"
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


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


@dataclass(frozen=True, slots=True)
class Window:
    """The newest exchanges of a session, and the turns before them that are not shown."""

    shown: tuple[Exchange, ...]
    left_out: tuple[Turn, ...]
    budget: int
    cut: UUID | None = None
    """The turn that was too long to be shown whole."""

    @property
    def tokens(self) -> int:
        """Of all that is shown."""
        return sum(exchange.tokens for exchange in self.shown)


def exchanges(turns: Sequence[Turn], count: Count) -> list[Exchange]:
    """Turns in their order, a call drawn together with its results.

    A chat is refused by models where a call has no result or a result no call. Such a call is told in words,
    and so is such a result.
    """
    drawn: set[UUID] = set()
    found: list[Exchange] = []
    for turn in turns:
        if turn.id in drawn:
            continue
        calls = read_tool_calls(turn.tool_calls) if turn.role == "assistant" else ()
        results = _results(calls, [other for other in turns if _answers_after(other, turn, drawn)])
        if results:
            drawn |= {result.id for result in results}
            messages = (_call(turn, calls), *map(_result, results))
            found.append(_exchange((turn, *results), messages, count))
        else:
            found.append(_exchange((turn,), (_plain(turn, calls),), count))
    return found


def _answers_after(other: Turn, call: Turn, drawn: Collection[UUID]) -> bool:
    """Whether a turn may be a result of a call: a tool's, later, and not of another call."""
    return bool(
        call.tool_calls
        and other.role == "tool"
        and other.tool_call_id
        and other.ordinal > call.ordinal
        and other.id not in drawn
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


def window(found: Sequence[Exchange], *, first_ordinal: int, budget: int) -> Window:
    """The newest exchanges that fit. The newest one is always there; its cutting is the caller's work.

    Older ones are left out by whole strides from `first_ordinal` on, so that the same window stands for
    several turns.
    """
    start = len(found)
    used = 0
    while start > 0 and (used + found[start - 1].tokens <= budget or start == len(found)):
        start -= 1
        used += found[start].tokens
    start = _aligned(found, start, first_ordinal) if start else 0
    left_out = tuple(turn for exchange in found[:start] for turn in exchange.turns)
    return Window(tuple(found[start:]), left_out, budget)


def cut_newest(chosen: Window, count: Count) -> Window:
    """A window whose newest exchange does not fit in the budget, cut in its longest text."""
    *before, newest = chosen.shown
    budget = chosen.budget - sum(exchange.tokens for exchange in before)
    place = max(range(len(newest.messages)), key=lambda index: len(newest.messages[index]["content"] or ""))
    low, high = 0, len(newest.messages[place]["content"] or "")
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if _cut(newest, place, middle, count).tokens <= budget else (low, middle - 1)
        )
    shown = (*before, _cut(newest, place, low, count))
    return Window(shown, chosen.left_out, chosen.budget, cut=newest.turns[0].id)


def _cut(exchange: Exchange, place: int, characters: int, count: Count) -> Exchange:
    content = f"{exchange.messages[place]['content'][:characters].rstrip()}{CUT}"
    cut = {**exchange.messages[place], "content": content}
    messages = (*exchange.messages[:place], cut, *exchange.messages[place + 1 :])
    return _exchange(exchange.turns, messages, count)


def _aligned(found: Sequence[Exchange], start: int, first_ordinal: int) -> int:
    """The first place from `start` on where a stride begins; `start` itself when there is none."""
    for place in range(start, len(found)):
        before = found[place - 1].ordinal - first_ordinal
        if (found[place].ordinal - first_ordinal) // STRIDE > before // STRIDE:
            return place
    return start


def message_tokens(message: Mapping[str, Any], count: Count) -> int:
    """The tokens of a chat message with its frame."""
    told = [message.get("content") or "", message.get("name") or "", message.get("tool_call_id") or ""]
    calls = message.get("tool_calls")
    if calls:
        told.append(json.dumps(calls, ensure_ascii=False))
    return MESSAGE_TOKENS + sum(count(text) for text in told if text)


def _exchange(turns: tuple[Turn, ...], messages: tuple[ChatMessage, ...], count: Count) -> Exchange:
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
    message: ChatMessage = {"role": turn.role, "content": "\n".join(told) or "[call of a tool]"}
    if turn.role in ("user", "assistant") and NAME.fullmatch(turn.speaker):
        message["name"] = turn.speaker
    return message


def words(turn: Turn) -> str:
    """What was said, without memory that came back in it, and what was attached."""
    text = strip_recalled(turn.text).strip()
    attached = strip_recalled(turn.attachment_text).strip()
    return "\n".join(part for part in (text, f"[attached: {attached}]" if attached else "") if part)
