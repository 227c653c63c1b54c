"""The ids of a reply: all that is kept of it for whoever sends the same write again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NUMBERS = frozenset({"seq", "ordinal", "number"})
FLAGS = frozenset({"created"})
FREE_FORM = frozenset(
    {
        *("value", "metadata", "tool_calls", "content", "counts", "redacted", "before", "after"),
        *("manifest", "decisions", "inputs", "outputs"),
    }
)
"""Fields whose inner names are made up by whoever writes."""
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NAME = re.compile(r"[a-z_]{1,40}")


def ids_in(body: Any) -> dict[str, Any]:
    """The ids of a body, its record numbers and whether something was made, under their names; no text.

    Every other field is left out, and objects and lists in which nothing is left.
    """
    found = _kept("", body)
    return found if isinstance(found, dict) else {}


def _kept(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return value if ID.fullmatch(value) else None
    if isinstance(value, bool):
        return value if name in FLAGS else None
    if isinstance(value, int):
        return value if name in NUMBERS else None
    if isinstance(value, list):
        return [part for item in value if (part := _kept(name, item)) is not None] or None
    return _kept_fields(value) or None if isinstance(value, Mapping) else None


def _kept_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        name: _kept(name, value)
        for name, value in fields.items()
        if name not in FREE_FORM and NAME.fullmatch(name)
    }
    return {name: value for name, value in kept.items() if value is not None}
