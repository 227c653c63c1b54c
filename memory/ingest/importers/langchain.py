"""Message dumps of LangChain: `messages_to_dict` (type and data) and `dumps` (constructor and kwargs)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.ingest.importers.content_blocks import Part, add_call
from memory.ingest.importers.openai_jsonl import Dialect, read_message_lists
from memory.ingest.importers.records import Found

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
CLASS_ENDING = "message"
KEPT = ("name", "tool_call_id", "id", "session_id", "session", "created_at", "timestamp", "metadata")


def read_langchain(path: Path) -> Iterator[Found]:
    """Every message of the dump; a dump that names no session is one, named like its file."""
    return read_message_lists(path, Dialect("langchain", as_openai))


def as_openai(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of either dump in OpenAI's shape; what is of neither stays as it is, to be refused."""
    inner = message.get("kwargs", message.get("data"))
    if not isinstance(inner, Mapping):
        return message
    more = inner.get("additional_kwargs")
    more = more if isinstance(more, Mapping) else {}
    said = {name: message[name] for name in KEPT if _is_given(message, name)}
    said |= {name: inner[name] for name in KEPT if _is_given(inner, name)}
    return {
        **said,
        "role": _role(message, inner),
        "content": inner.get("content"),
        "tool_calls": _calls(inner) or more.get("tool_calls"),
        "function_call": more.get("function_call"),
    }


def _is_given(holder: Mapping[str, Any], name: str) -> bool:
    """The id of a constructor is the path of its class, no id of a message."""
    return holder.get(name) is not None and not isinstance(holder[name], list)


def _role(message: Mapping[str, Any], inner: Mapping[str, Any]) -> Any:
    """By the word for the type, or by the name of the class; a chat message names its role itself."""
    path = message.get("id")
    names = [inner.get("type"), message.get("type"), path[-1] if isinstance(path, list) and path else None]
    for name in names:
        plain = str(name).casefold().removesuffix("chunk").removesuffix(CLASS_ENDING)
        if plain in ROLES:
            return ROLES[plain]
    return ROLES.get(str(inner.get("role")), inner.get("role"))


def _calls(inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls = inner.get("tool_calls")
    part = Part()
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, Mapping):
            add_call(part, name=call.get("name"), arguments=call.get("args"), call_id=call.get("id"))
    return part.calls
