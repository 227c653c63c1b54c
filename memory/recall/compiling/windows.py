"""The newest exchanges that fit in a budget, and how those that are too long are cut. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory.recall.compiling.turns import Count, Exchange, Turn, exchange_of, in_words

STRIDE = 8
"""The window of turns begins at every so-many-th: it moves seldom, so that a prompt cache keeps it."""
CUT = " … "
HEAD_SHARE = 2 / 3
"""So much of a text that is cut is its beginning; the rest is its end, where a question often stands."""


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
        cut = _longest_cut(in_words(exchange, count), budget, count)
    return cut


def _longest_cut(exchange: Exchange, budget: int, count: Count) -> Exchange:
    longest = max(len(message["content"] or "") for message in exchange.messages)
    return _cut(exchange, _most(longest, lambda size: _cut(exchange, size, count).tokens <= budget), count)


def _most(longest: int, fits: Callable[[int], bool]) -> int:
    """The largest size up to `longest` that fits; 0 when none does."""
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _cut(exchange: Exchange, characters: int, count: Count) -> Exchange:
    messages = [
        {**message, "content": _cut_text(message["content"], characters)} for message in exchange.messages
    ]
    return exchange_of(exchange.turns, tuple(messages), count)


def _cut_text(text: str | None, characters: int) -> str | None:
    """A text with its middle taken out: so many characters of its beginning and its end."""
    if not text or len(text) <= characters:
        return text
    head = round(characters * HEAD_SHARE)
    tail = text[len(text) - (characters - head) :] if characters > head else ""
    return f"{text[:head].rstrip()}{CUT}{tail.lstrip()}".rstrip() if characters else CUT.strip()


def cut_to(text: str, budget: int, count: Count) -> str:
    """As much of a text as fits in a budget, with a sign where there was more."""
    if count(text) <= budget:
        return text
    most = _most(len(text), lambda size: count(_cut_text(text, size) or "") <= budget)
    return _cut_text(text, most) or ""


def _aligned(found: Sequence[Exchange], start: int, first_ordinal: int) -> int:
    """The first place from `start` on where a stride begins; `start` itself when there is none."""
    for place in range(start, len(found)):
        before = found[place - 1].ordinal - first_ordinal
        if (found[place].ordinal - first_ordinal) // STRIDE > before // STRIDE:
            return place
    return start
