"""The data export of Claude: `conversations.json`, each conversation a list of chat messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.ingest.importers.content_blocks import Part, alone, read_content
from memory.ingest.importers.json_rows import Row, read_rows
from memory.ingest.importers.records import NOTHING_SAID, BadRow, Found, LeftOut, ReadMessage
from memory.ingest.importers.times import from_iso
from memory.ingest.storable import is_blank
from memory.models.messages import MESSAGE_TEXT_LIMIT

ROLES = {"human": "user", "assistant": "assistant"}


def read_claude(path: Path) -> Iterator[Found]:
    """The messages of each conversation in their order, with what was pasted into them as attachments."""
    for row in read_rows(path):
        yield from [row] if isinstance(row, BadRow) else _read_conversation(row)


def _read_conversation(row: Row) -> Iterator[Found]:
    value = row.value
    messages = value.get("chat_messages") if isinstance(value, dict) else None
    session = value.get("uuid") if isinstance(value, dict) else None
    if not isinstance(messages, list) or not isinstance(session, str):
        yield BadRow(row.place, "has no chat_messages or no uuid")
        return
    title = value.get("name") if isinstance(value.get("name"), str) else ""
    for index, message in enumerate(messages):
        place = f"{row.place} message {index + 1}"
        if not isinstance(message, dict):
            yield BadRow(place, "is no object")
            continue
        key = f"claude:{session}:{message.get('uuid') or index}"
        for number, part in enumerate(_parts(message)):
            fields = _fields(message, part, is_first=number == 0)
            if isinstance(fields, str):
                yield LeftOut(fields)
                continue
            part_key = f"{key}.{number}" if number else key
            address = {"session": session, "dedupe_key": part_key}
            yield ReadMessage("", place, row.fraction, fields | address, title)


def _parts(message: Mapping[str, Any]) -> list[Part]:
    """The parts of the content; older exports have the text alone."""
    content = message.get("content")
    return read_content(content if isinstance(content, list) and content else message.get("text"))


def _fields(message: Mapping[str, Any], part: Part, *, is_first: bool) -> dict[str, Any] | str:
    """The fields of one part without its address, or why it is left out; attachments go with the first."""
    attached, names, too_long = _attachments(message) if is_first else ("", [], [])
    left_out = [*part.left_out, *too_long]
    says_nothing = isinstance(part.text, str) and is_blank(part.text) and not part.calls
    if says_nothing and not attached:
        return alone([*left_out, *(["files"] if names else [])]) if left_out or names else NOTHING_SAID
    sender = message.get("sender")
    metadata: dict[str, Any] = {"attachments": names} if names else {}
    return {
        "role": "tool" if part.is_result else ROLES.get(str(sender), sender),
        "text": part.text,
        "speaker": "",
        "tool_name": "",
        "tool_calls": part.calls,
        "tool_call_id": part.call_id,
        "attachment_text": attached,
        "metadata": metadata | ({"left_out": left_out} if left_out else {}),
        "occurred_at": from_iso(message.get("created_at")),
    }


def _attachments(message: Mapping[str, Any]) -> tuple[str, list[str], list[str]]:
    """The text of attached documents, the names of all files, and the names of what is too long."""
    texts: list[str] = []
    names: list[str] = []
    too_long: list[str] = []
    room = MESSAGE_TEXT_LIMIT
    for file in [*_listed(message, "attachments"), *_listed(message, "files")]:
        name, text = str(file.get("file_name") or "file"), file.get("extracted_content")
        names.append(name)
        if not isinstance(text, str) or not text:
            continue
        if len(text) + 1 <= room:
            texts.append(text)
            room -= len(text) + 1
        else:
            too_long.append(f"text of {name}")
    return "\n".join(texts), names, too_long


def _listed(message: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = message.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
