"""Calls of tools in a stored turn, in whichever of the two usual shapes they came."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOOL_CALL_ID_LIMIT = 128


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call: its id within the session, the tool's name, and the arguments as JSON text."""

    id: str
    name: str
    arguments: str


def read_tool_call(item: Mapping[str, Any]) -> ToolCall | None:
    """A call in OpenAI's shape or as a plain object with id, name and arguments; None for anything else."""
    function = item.get("function")
    source = function if isinstance(function, Mapping) else item
    name, call_id = source.get("name"), item.get("id")
    if not (isinstance(name, str) and name.strip() and isinstance(call_id, str) and call_id.strip()):
        return None
    if len(call_id) > TOOL_CALL_ID_LIMIT:
        return None
    given = source.get("arguments", source.get("input", {}))
    return ToolCall(call_id, name, given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def read_tool_calls(items: Sequence[Any]) -> tuple[ToolCall, ...]:
    """The calls among some JSON values; what is none is left out."""
    found = (read_tool_call(item) for item in items if isinstance(item, Mapping))
    return tuple(call for call in found if call is not None)
