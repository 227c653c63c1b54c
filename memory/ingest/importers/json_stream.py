"""JSON documents of any size, one item at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, BinaryIO

import ijson
from ijson.common import ObjectBuilder

from memory.ingest.importers.export_files import BROKEN_FILE_ERRORS

DEPTH_LIMIT = 128
"""No export nests deeper; a hundred thousand brackets would otherwise be built, and then walked."""

TOO_LONG_A_NUMBER = (ValueError, SystemError)
"""What a whole number of thousands of digits raises: the parser notices it late, in whoever reads on."""

_OPENING = ("start_map", "start_array")
_CLOSING = ("end_map", "end_array")

Event = tuple[int, str, Any]


class BrokenJsonError(Exception):
    """From here on the document is no JSON; what came before it was."""


def read_items(stream: BinaryIO, *, under: Collection[str] = ()) -> Iterator[Any]:
    """The items of the array at the top, or of the arrays that an object at the top has under these names.

    An object with none of the names asked for is one item by itself when no names are asked for, and holds
    no items otherwise. Raises BrokenJsonError at the place where the JSON ends to be one.
    """
    events = read_events(stream)
    try:
        for depth, event, value in events:
            if event == "start_array":
                yield from _items_of_array(events, depth)
            elif event == "start_map" and under:
                yield from _items_under(events, under)
            else:
                yield _build(events, depth, event, value)
    except TOO_LONG_A_NUMBER as error:
        raise BrokenJsonError("holds a number with too many digits") from error


def read_events(stream: BinaryIO, *, is_several: bool = False) -> Iterator[Event]:
    """Depth, kind and value of every event; `is_several` for one document after the other."""
    depth = 0
    try:
        for event, value in ijson.basic_parse(stream, multiple_values=is_several):
            depth -= event in _CLOSING
            # As decimals the parser takes whole numbers of any size; what has a fraction is a float here.
            yield depth, event, float(value) if isinstance(value, Decimal) else value
            depth += event in _OPENING
            if depth > DEPTH_LIMIT:
                raise BrokenJsonError(f"is nested more than {DEPTH_LIMIT} levels deep")
    except ijson.JSONError as error:
        raise BrokenJsonError(_first_line(error)) from error
    except BROKEN_FILE_ERRORS as error:
        raise BrokenJsonError(f"cannot be read: {error}") from error


def _first_line(error: Exception) -> str:
    said = str(error.args[0] if error.args else error)
    return said.strip().splitlines()[0] if said.strip() else "ends too early"


def _items_of_array(events: Iterator[Event], floor: int) -> Iterator[Any]:
    for depth, event, value in events:
        if depth == floor:
            return
        yield _build(events, depth, event, value)


def _items_under(events: Iterator[Event], under: Collection[str]) -> Iterator[Any]:
    name = ""
    for depth, event, value in events:
        if depth == 1 and event == "map_key":
            name = value
        elif depth == 1 and event == "start_array" and name in under:
            yield from _items_of_array(events, depth)


def _build(events: Iterator[Event], floor: int, event: str, value: Any) -> Any:
    """The value that begins with this event; takes its events, and no others."""
    if event not in _OPENING:
        return value
    builder = ObjectBuilder()
    builder.event(event, value)
    for depth, inner, inner_value in events:
        builder.event(inner, inner_value)
        if depth == floor:
            break
    return builder.value
