"""Messages in OpenAI's chat format, turned into the fields of an incoming message."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

ROLES = {"developer": "system", "function": "tool"}
"""Their words for ours, where they differ."""

TIME_FIELDS = ("occurred_at", "timestamp", "created_at", "created", "create_time")
MILLISECONDS_FROM = 10**11
"""Unix times as large as this are in milliseconds: in seconds it would be the year 5138."""


def read_time(holder: Mapping[str, Any]) -> Any:
    """When a message or conversation says it was: an instant, a text to be checked later, or None."""
    for name in TIME_FIELDS:
        value = holder.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _from_unix(value)
        if value is not None:
            return value
    return None


def _from_unix(value: float) -> datetime | str:
    try:
        seconds = value / 1000 if value >= MILLISECONDS_FROM else value
        return datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return str(value)


def read_fields(message: Mapping[str, Any]) -> dict[str, Any]:
    """Role, texts and tool use; what is no text stays as it is, to be refused with the others."""
    content = message.get("content", message.get("text"))
    text, left_out = _read_content(content)
    role = message.get("role")
    name = message.get("name") or ""
    is_tool = role in ("tool", "function")
    metadata = dict(message["metadata"]) if isinstance(message.get("metadata"), dict) else {}
    if left_out:
        metadata["left_out"] = left_out
    return {
        "role": ROLES.get(role, role) if isinstance(role, str) else role,
        "text": text,
        "speaker": message.get("speaker") or ("" if is_tool else name),
        "tool_name": message.get("tool_name") or (name if is_tool else ""),
        "tool_calls": _read_calls(message),
        "tool_call_id": message.get("tool_call_id") or "",
        "attachment_text": message.get("attachment_text") or "",
        "metadata": metadata,
    }


def _read_content(content: Any) -> tuple[Any, list[str]]:
    """The text of a message, and the kinds of its parts that are none (pictures, sound, files)."""
    if content is None:
        return "", []
    if not isinstance(content, list):
        return content, []
    texts: list[str] = []
    left_out: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("text", part.get("refusal")) if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(text)
        else:
            left_out.append(str(kind))
    return "\n".join(texts), left_out


def _read_calls(message: Mapping[str, Any]) -> Any:
    """Tool calls; the older single function call is one of them."""
    if message.get("tool_calls"):
        return message["tool_calls"]
    if message.get("function_call"):
        return [{"type": "function", "function": message["function_call"]}]
    return []
