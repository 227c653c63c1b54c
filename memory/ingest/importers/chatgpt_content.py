"""One message of a ChatGPT export as the fields of an incoming one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory.ingest.importers.content_blocks import Part, add_call, alone
from memory.ingest.importers.records import NOTHING_SAID
from memory.ingest.storable import is_blank

THOUGHT_TYPES = frozenset({"thoughts", "reasoning_recap"})
SETTINGS_TYPES = frozenset({"user_editable_context", "model_editable_context"})
TEXT_FIELDS = ("text", "result")
SETTINGS = "copies of custom instructions"
EVERYBODY = "all"

_RENDERER_MARK = re.compile("\ue200[^\ue201]*\ue201")
"""Where the page draws a citation or a card: signs for a program in the private use area, no words."""


def read_message(message: Mapping[str, Any]) -> dict[str, Any] | str:
    """The fields of a message without its address, or the reason why it is left out."""
    content = message.get("content")
    content = content if isinstance(content, dict) else {}
    kind = str(content.get("content_type", ""))
    if kind in SETTINGS_TYPES:
        return SETTINGS
    part = Part(left_out=[kind] if kind in THOUGHT_TYPES else [])
    for text in () if part.left_out else _texts(content, part):
        part.texts.append(text)
    fields = _fields(message, part)
    if not is_blank(fields["text"]) or fields["tool_calls"]:
        return fields
    return alone(part.left_out) if part.left_out else NOTHING_SAID


def _texts(content: Mapping[str, Any], part: Part) -> Iterator[str]:
    """What the content says in words; the rest is noted in the part."""
    for name in TEXT_FIELDS:
        if isinstance(content.get(name), str) and content[name]:
            yield content[name]
    parts = content.get("parts")
    for piece in parts if isinstance(parts, list) else []:
        text = piece.get("text") if isinstance(piece, dict) else piece
        if isinstance(text, str):
            yield from [text] if text else []
        else:
            part.left_out.append(_kind(piece))


def _kind(piece: Any) -> str:
    return str(piece.get("content_type", "part")) if isinstance(piece, dict) else "part"


def _fields(message: Mapping[str, Any], part: Part) -> dict[str, Any]:
    author = message.get("author")
    author = author if isinstance(author, dict) else {}
    role, name = author.get("role"), author.get("name")
    recipient = message.get("recipient") or EVERYBODY
    text = _RENDERER_MARK.sub("", part.text)
    if role == "assistant" and recipient != EVERYBODY and not is_blank(text):
        add_call(part, name=recipient, arguments=text)
        text = "" if part.calls else text
    is_tool = role == "tool"
    return {
        "role": role,
        "text": text,
        "speaker": name if isinstance(name, str) and not is_tool else "",
        "tool_name": str(name or "") if is_tool else "",
        "tool_calls": part.calls,
        "tool_call_id": "",
        "attachment_text": "",
        "metadata": _metadata(message, part),
    }


def _metadata(message: Mapping[str, Any], part: Part) -> dict[str, Any]:
    """What a person may want to know of it: the model, the names of files, and what was left out."""
    given = message.get("metadata")
    given = given if isinstance(given, dict) else {}
    attachments = given.get("attachments")
    names = [
        str(found.get("name"))
        for found in (attachments if isinstance(attachments, list) else [])
        if isinstance(found, dict) and found.get("name")
    ]
    kept: dict[str, Any] = {}
    if isinstance(given.get("model_slug"), str):
        kept["model"] = given["model_slug"]
    if names:
        kept["attachments"] = names
    if part.left_out:
        kept["left_out"] = part.left_out
    return kept
