"""Reading what a model answered: a list of items, somewhere in a text.

The text may hold thinking, prose and code fences around the JSON. What cannot be read with certainty is
an error, never an empty list: a cut answer, a refusal, damage that has two readings, two different
answers. Within a readable answer each item stands for itself: bad ones are told with their reason, good
ones are kept.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from memory.cascade.rules.answer_scan import (
    KEPT_ANSWER_CHARACTERS,
    CutOffAnswer,
    EmptyAnswer,
    NoAnswer,
    Scan,
    UnreadableAnswer,
    outside,
    scan_answer,
)
from memory.cascade.rules.tolerant_json import Read, holds_refused

__all__ = [
    "KEPT_ANSWER_CHARACTERS",
    "BadItem",
    "CutOffAnswer",
    "EmptyAnswer",
    "NoAnswer",
    "Reading",
    "UnreadableAnswer",
    "read_items",
]

# How much of one bad item is kept for people to look at.
KEPT_ITEM_CHARACTERS = 1_000
KEPT_REASON_CHARACTERS = 500
MOST_ERRORS_TOLD = 4
CUT_OFF_REASONS = frozenset({"length", "max_tokens", "max_output_tokens"})
FILTER_REASONS = frozenset({"content_filter", "refusal", "safety"})

Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class BadItem:
    """An item that does not have the wanted shape; `raw` is its JSON, cut to a limit."""

    index: int
    raw: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reading(Generic[Item]):
    """What an answer holds. `index` is an item's place in the answer, good and bad counted together."""

    items: tuple[tuple[int, Item], ...]
    bad: tuple[BadItem, ...]
    nothing_reason: str | None
    repairs: tuple[str, ...]


def read_items(
    text: str, *, item_schema: type[Item], finish_reason: str | None, key: str = "items"
) -> Reading[Item]:
    """Read an answer that should be an object with a list of items under `key`.

    Read too, with a word on it: a bare list, bare items, an object wrapped in another, another key.
    Raises CutOffAnswer, NoAnswer or EmptyAnswer. An empty list is a success; its `nothing_reason` is
    the answer's own, if it gave one.
    """
    _check_finish(text, finish_reason)
    scan = scan_answer(text)
    if scan.is_cut:
        raise CutOffAnswer("The answer ends inside its JSON.", text)
    shape = _choose(text, scan, item_schema, key)
    return _read_shape(shape, item_schema)


def _check_finish(text: str, finish_reason: str | None) -> None:
    ended = (finish_reason or "").casefold()
    if ended in CUT_OFF_REASONS:
        raise CutOffAnswer("The answer reached the output limit.", text)
    if ended in FILTER_REASONS:
        raise NoAnswer("The provider withheld the answer.", text)
    if not text.strip():
        raise EmptyAnswer("The answer is empty.", text)


# Choosing the value that was meant


@dataclass(frozen=True, slots=True)
class _Shape:
    """A way to read a value as a list of items; the lower the rank, the closer to what was asked."""

    rank: int
    start: int
    items: list[Any]
    nothing_reason: str | None
    repairs: tuple[str, ...]


_ASKED, _WRAPPED, _OTHER_KEY, _BARE_LIST, _BARE_ITEM = range(5)


def _choose(text: str, scan: Scan, schema: type[BaseModel], key: str) -> _Shape:
    is_whole = len(scan.values) == 1 and not re.search(r"\w", outside(text, *scan.values[0]))
    shapes = [shape for start, read in scan.values for shape in _shapes(start, read, schema, key, is_whole)]
    if scan.damage is not None:
        # What is not labelled as the answer may be a part of the damaged one.
        shapes = [shape for shape in shapes if shape.rank == _ASKED and shape.start > scan.damaged_at]
        shapes = [shape for shape in shapes if shape.items]
    telling = [shape for shape in shapes if shape.items] or shapes
    if not telling:
        raise NoAnswer(_why_none(scan), text)
    best = [shape for shape in telling if shape.rank == min(other.rank for other in telling)]
    if best[0].rank == _BARE_ITEM and len(best) > 1:
        return _together(best)
    if any(shape.items != best[0].items for shape in best[1:]):
        raise NoAnswer("The text holds two different answers.", text)
    return best[-1]


def _why_none(scan: Scan) -> str:
    if scan.damage is not None:
        return f"The JSON is damaged: {scan.damage}."
    if scan.values:
        return "No JSON in the answer has the wanted shape."
    return "The answer is thinking alone." if scan.is_thinking else "There is no JSON in the answer."


def _together(shapes: list[_Shape]) -> _Shape:
    repairs = tuple(repair for shape in shapes for repair in shape.repairs)
    items = [item for shape in shapes for item in shape.items]
    return _Shape(_BARE_ITEM, shapes[0].start, items, None, tuple(dict.fromkeys(repairs)))


def _shapes(start: int, read: Read, schema: type[BaseModel], key: str, is_whole: bool) -> Iterator[_Shape]:
    value, repairs = read.value, read.repairs
    if isinstance(value, list):
        if all(isinstance(item, dict) for item in value) and (is_whole or _any_fits(value, schema)):
            words = "A bare list was read as the items."
            yield _Shape(_BARE_LIST, start, value, None, (*repairs, words))
        return
    if isinstance(value.get(key), list | dict):
        yield _asked(_ASKED, start, value, key, repairs)
        return
    yield from _misnamed(start, value, schema, key, repairs)


def _misnamed(
    start: int, value: dict[str, Any], schema: type[BaseModel], key: str, repairs: tuple[str, ...]
) -> Iterator[_Shape]:
    wrapped = [name for name in value if isinstance(value[name], dict) and key in value[name]]
    if len(wrapped) == 1 and isinstance(value[wrapped[0]][key], list):
        words = f"The answer was wrapped in “{wrapped[0]}”."
        yield _asked(_WRAPPED, start, value[wrapped[0]], key, (*repairs, words))
        return
    if _fits(value, schema):
        yield _Shape(_BARE_ITEM, start, [value], None, (*repairs, "A bare item was read as the only one."))
        return
    listed = [name for name in value if isinstance(value[name], list) and _any_fits(value[name], schema)]
    if len(listed) == 1:
        words = f"The items were listed as “{listed[0]}”."
        yield _asked(_OTHER_KEY, start, value, listed[0], (*repairs, words))


def _asked(rank: int, start: int, value: dict[str, Any], key: str, repairs: tuple[str, ...]) -> _Shape:
    items = value[key]
    if isinstance(items, dict):
        items, repairs = [items], (*repairs, "A single item was read as a list of one.")
    unread = [name for name in value if name not in (key, "nothing_reason")]
    if unread:
        shown = ", ".join(f"“{name[:60]}”" for name in unread[:5])
        repairs = (*repairs, f"Beside the items these were not read: {shown}.")
    return _Shape(rank, start, items, _nothing_reason(value), repairs)


def _nothing_reason(value: dict[str, Any]) -> str | None:
    reason = value.get("nothing_reason")
    said = " ".join(reason.split())[:KEPT_REASON_CHARACTERS] if isinstance(reason, str) else ""
    return said or None


def _any_fits(items: list[Any], schema: type[BaseModel]) -> bool:
    return any(_fits(item, schema) for item in items)


def _fits(item: Any, schema: type[BaseModel]) -> bool:
    return isinstance(item, dict) and not isinstance(_validate(item, schema), str)


# Items


def _read_shape(shape: _Shape, schema: type[Item]) -> Reading[Item]:
    good: list[tuple[int, Item]] = []
    bad: list[BadItem] = []
    for index, raw in enumerate(shape.items):
        item = _validate(raw, schema)
        if isinstance(item, str):
            shown = json.dumps(raw, ensure_ascii=False, default=repr)
            bad.append(BadItem(index, shown[:KEPT_ITEM_CHARACTERS], item))
        else:
            good.append((index, item))
    reason = None if shape.items else shape.nothing_reason
    return Reading(tuple(good), tuple(bad), reason, shape.repairs)


def _validate(raw: Any, schema: type[Item]) -> Item | str:
    """Return the item, or in words what is wrong with it."""
    if not isinstance(raw, dict):
        return "An item must be an object."
    if holds_refused(raw):
        return "NaN, Infinity and numbers without end are no values."
    try:
        return schema.model_validate(raw)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
        return "; ".join(_error_words(dict(one)) for one in told[:MOST_ERRORS_TOLD])


def _error_words(error: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in error["loc"])
    words = str(error["msg"])[:KEPT_REASON_CHARACTERS]
    return f"{place}: {words}" if place else words
