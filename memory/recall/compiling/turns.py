"""Turns as chat messages: in whole exchanges with tools, the newest that fit. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Window:
    """The newest exchanges of a session, and the turns before them that are not shown."""

    shown: tuple[Exchange, ...]
    left_out: tuple[Turn, ...]
    budget: int
    cut: tuple[UUID, ...] = ()
    """The turns that were too long to be shown whole."""

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
    if not all(NAME.fullmatch(call.name) for call in calls):
        return ()
    return tuple(answer for id, answer in first.items() if id in ids)


def window(found: Sequence[Exchange], *, first_ordinal: int, budget: int) -> Window:
    """The newest exchanges that fit. The newest one is always there, whether it fits or not.

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


def conversation(found: Sequence[Exchange], *, first_ordinal: int, budget: int, count: Count) -> Window:
    """The window with the newest words of a user in it, however much was done since; never above the budget.

    Where they lie further back they stand before it, in half of the tokens at most.
    """
    chosen = _fitted(window(found, first_ordinal=first_ordinal, budget=budget), count)
    asked = max((place for place, exchange in enumerate(found) if exchange.is_user), default=None)
    if asked is None or any(exchange.is_user for exchange in chosen.shown):
        return chosen
    words = shortened(found[asked], budget // 2, count)
    after = window(found[asked + 1 :], first_ordinal=first_ordinal, budget=budget - words.tokens)
    rest = _fitted(after, count)
    before = tuple(turn for exchange in found[:asked] for turn in exchange.turns)
    cut = () if words is found[asked] else (words.turns[0].id,)
    return Window((words, *rest.shown), (*before, *rest.left_out), budget, cut=(*cut, *rest.cut))


def _fitted(chosen: Window, count: Count) -> Window:
    """A window whose newest exchange is cut where it does not fit."""
    if chosen.tokens <= chosen.budget or not chosen.shown:
        return chosen
    newest = chosen.shown[-1]
    shown = (shortened(newest, chosen.budget, count),)
    return replace(chosen, shown=shown, cut=(newest.turns[0].id,))


def shortened(exchange: Exchange, budget: int, count: Count) -> Exchange:
    """An exchange within a budget: its long texts are cut, all to one length.

    Arguments of a call cannot be cut, and many calls take much: where nothing else helps, such an exchange
    is told in words.
    """
    if exchange.tokens <= budget:
        return exchange
    cut = _longest_cut(exchange, budget, count)
    if cut.tokens > budget and len(exchange.messages) > 1:
        cut = _longest_cut(_exchange(exchange.turns, (_told(exchange),), count), budget, count)
    return cut


def _longest_cut(exchange: Exchange, budget: int, count: Count) -> Exchange:
    low, high = 0, max(len(message["content"] or "") for message in exchange.messages)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _cut(exchange, middle, count).tokens <= budget else (low, middle - 1)
    return _cut(exchange, low, count)


def _cut(exchange: Exchange, characters: int, count: Count) -> Exchange:
    messages = tuple(_cut_message(message, characters) for message in exchange.messages)
    return _exchange(exchange.turns, messages, count)


def _cut_message(message: ChatMessage, characters: int) -> ChatMessage:
    return {**message, "content": cut_text(message["content"], characters)}


def cut_text(text: str | None, characters: int) -> str | None:
    """A text of at most so many characters, and a sign where it was longer."""
    return text if not text or len(text) <= characters else f"{text[:characters].rstrip()}{CUT}"


def _told(exchange: Exchange) -> ChatMessage:
    """A call with its results as words of the assistant."""
    call, *results = exchange.turns
    told = [
        words(call),
        *(f"[call of {call.name}: {call.arguments}]" for call in read_tool_calls(call.tool_calls)),
    ]
    told += [_plain(result, ())["content"] for result in results]
    return {"role": "assistant", "content": "\n".join(text for text in told if text)}


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
