"""Which texts and JSON values PostgreSQL can give back as they came.

They are refused, not mended; but for half a character in what somebody said, which a client left behind when
it cut the text: the rest of the words must not be lost for it.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator
from typing import Any

JSON_DEPTH_LIMIT = 32
JOINERS = "\u200c\u200d"
"""Invisible, but part of how Persian, Hindi and emoji are written."""
UNCLEAR = "begins or ends with a space, or holds a character that cannot be seen"

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co"})


def text_problem(text: str) -> str | None:
    """Why a text cannot be stored, or None when it can."""
    if "\0" in text:
        return "holds the character U+0000"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair"
    return None


def mended(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair; a pair becomes the character that it means."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text: white space and invisible marks only."""
    return all(character.isspace() or unicodedata.category(character) == "Cf" for character in text)


def is_hidden(character: str) -> bool:
    """Whether a character cannot be seen, or turns the direction of what follows."""
    return unicodedata.category(character) in _HIDDEN and character not in JOINERS


def is_unclear(identifier: str) -> bool:
    """Whether another identifier may look the same: it is `UNCLEAR`."""
    return identifier != identifier.strip() or any(map(is_hidden, identifier))


def json_problem(value: Any, *, bytes_limit: int) -> str | None:
    """Why a JSON value cannot be stored, or None when it can."""
    for part in _parts(value):
        problem = _part_problem(part)
        if problem:
            return problem
    size = len(canonical_json(value))
    return f"is {size} bytes of JSON, at most {bytes_limit} are stored" if size > bytes_limit else None


def canonical_json(value: Any) -> bytes:
    """The same bytes for equal values, whatever the order of their keys."""
    return _CANONICAL.encode(value).encode()


_TOO_DEEP = object()


def _parts(value: Any) -> Iterator[Any]:
    """Every key and value inside, without recursion; ends with `_TOO_DEEP` beyond the limit."""
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        if depth > JSON_DEPTH_LIMIT:
            yield _TOO_DEEP
            return
        yield part
        if isinstance(part, dict):
            yield from part
            waiting.extend((inner, depth + 1) for inner in part.values())
        elif isinstance(part, list):
            waiting.extend((inner, depth + 1) for inner in part)


def _part_problem(part: Any) -> str | None:
    if part is _TOO_DEEP:
        return f"is nested more than {JSON_DEPTH_LIMIT} levels deep"
    if isinstance(part, str):
        return text_problem(part)
    if isinstance(part, float):
        return None if math.isfinite(part) else "holds a number that is not finite"
    if part is None or isinstance(part, (bool, int, dict, list)):
        return None
    return f"holds a {type(part).__name__}, which is no JSON"
