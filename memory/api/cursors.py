"""Where a page ended, as one opaque word: clients hand it back and need not know what is in it."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any
from uuid import UUID

from memory.api.errors import RequestRefused
from memory.ingest.storable import text_problem
from memory.recall.records import RuleCursor

LARGEST_NUMBER = 2**63 - 1
HIGHEST_PRIORITY = 100


def write_cursor(kind: str, *place: int | str) -> str:
    """The word for a place in a list of that kind."""
    text = json.dumps([kind, *place], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def rule_cursor(cursor: RuleCursor | None) -> str | None:
    """After this rule."""
    return None if cursor is None else write_cursor("rules", cursor.priority, cursor.seq)


def read_rule_cursor(word: str | None) -> RuleCursor | None:
    """The rule that a page ended with; RequestRefused for a word of another list."""
    if word is None:
        return None
    priority, seq = _numbers(word, "rules", 2)
    if priority > HIGHEST_PRIORITY:
        raise _refusal()
    return RuleCursor(priority, seq)


def number_cursor(kind: str, number: int | None) -> str | None:
    """After the row of this number."""
    return None if number is None else write_cursor(kind, number)


def read_number_cursor(word: str | None, kind: str) -> int | None:
    """The number of the row that a page ended with; RequestRefused for a word of another list."""
    return None if word is None else _numbers(word, kind, 1)[0]


def id_cursor(kind: str, id: UUID | None) -> str | None:
    """After the row of this id."""
    return None if id is None else write_cursor(kind, id.hex)


def read_id_cursor(word: str | None, kind: str) -> UUID | None:
    """The id of the row that a page ended with; RequestRefused for a word of another list."""
    if word is None:
        return None
    try:
        (id,) = _place(word, kind)
        return UUID(id)
    except (ValueError, AttributeError, TypeError) as error:
        raise _refusal() from error


def name_cursor(kind: str, name: str | None) -> str | None:
    """After the row of this name."""
    return None if name is None else write_cursor(kind, name)


def read_name_cursor(word: str | None, kind: str) -> str | None:
    """The name of the row that a page ended with; RequestRefused for a word of another list."""
    if word is None:
        return None
    place = _place(word, kind)
    if len(place) != 1 or not isinstance(place[0], str) or text_problem(place[0]):
        raise _refusal()
    return place[0]


def place_cursor(kind: str, number: int, id: UUID) -> str:
    """After the row of this id among those of a number."""
    return write_cursor(kind, number, id.hex)


def read_place_cursor(word: str | None, kind: str) -> tuple[int, UUID] | None:
    """Number and id of the row that a page ended with; RequestRefused for a word of another list."""
    if word is None:
        return None
    try:
        number, id = _place(word, kind)
        if type(number) is not int or not 0 <= number <= LARGEST_NUMBER:
            raise _refusal()
        return number, UUID(id)
    except (ValueError, AttributeError, TypeError) as error:
        raise _refusal() from error


def _numbers(word: str, kind: str, count: int) -> list[int]:
    place = _place(word, kind)
    are_numbers = all(type(number) is int and 0 <= number <= LARGEST_NUMBER for number in place)
    if len(place) != count or not are_numbers:
        raise _refusal()
    return place


def _place(word: str, kind: str) -> list[Any]:
    try:
        text = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
        found, *place = list(json.loads(text))
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise _refusal() from error
    if found != kind:
        raise _refusal()
    return place


def _refusal() -> RequestRefused:
    return RequestRefused("after: is no cursor of this list.")
