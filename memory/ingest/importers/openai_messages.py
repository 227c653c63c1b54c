"""Messages in the chat formats of OpenAI and Anthropic, turned into the fields of incoming messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.ingest.importers.content_blocks import Part, read_content
from memory.ingest.importers.times import from_unix

ROLES = {"developer": "system", "function": "tool"}
"""Their words for ours, where they differ."""

TIME_FIELDS = ("occurred_at", "timestamp", "created_at", "created", "create_time")


def read_time(holder: Mapping[str, Any]) -> Any:
    """When a message or conversation says it was: an instant, a text to be checked later, or None."""
    for name in TIME_FIELDS:
        value = holder.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return from_unix(value)
        if value is not None:
            return value
    return None


def read_fields(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of each message in one: what was said, and apart from it what tools answered within it.

    What is no text stays as it is, to be refused with the others.
    """
    parts = read_content(message.get("content", message.get("text")))
    said = _said(message)
    fields = [_result(part) if part.is_result else said | _content(said, part) for part in parts]
    if all(part.is_result for part in parts) and _read_calls(message):
        fields.append(said | {"text": ""})
    return fields


def _said(message: Mapping[str, Any]) -> dict[str, Any]:
    role = message.get("role")
    name = message.get("name") or ""
    is_tool = role in ("tool", "function")
    return {
        "role": ROLES.get(role, role) if isinstance(role, str) else role,
        "text": "",
        "speaker": message.get("speaker") or ("" if is_tool else name),
        "tool_name": message.get("tool_name") or (name if is_tool else ""),
        "tool_calls": _read_calls(message),
        "tool_call_id": message.get("tool_call_id") or "",
        "attachment_text": message.get("attachment_text") or "",
        "metadata": dict(message["metadata"]) if isinstance(message.get("metadata"), dict) else {},
    }


def _content(said: Mapping[str, Any], part: Part) -> dict[str, Any]:
    """What a part adds to who said it."""
    left_out = {"left_out": part.left_out} if part.left_out else {}
    calls = said["tool_calls"] if isinstance(said["tool_calls"], list) else []
    return {
        "text": part.text,
        "tool_calls": [*calls, *part.calls] if part.calls else said["tool_calls"],
        "metadata": said["metadata"] | left_out,
    }


def _result(part: Part) -> dict[str, Any]:
    return {
        "role": "tool",
        "text": part.text,
        "speaker": "",
        "tool_name": "",
        "tool_calls": [],
        "tool_call_id": part.call_id,
        "attachment_text": "",
        "metadata": {"left_out": part.left_out} if part.left_out else {},
    }


def _read_calls(message: Mapping[str, Any]) -> Any:
    """Tool calls; the older single function call is one of them."""
    if message.get("tool_calls"):
        return message["tool_calls"]
    if message.get("function_call"):
        return [{"type": "function", "function": message["function_call"]}]
    return []
