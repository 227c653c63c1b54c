"""OpenAI-style messages: one conversation a line, or one message a line with the session it belongs to.

The same rows in one JSON array are read as well.

Messages that name no session are one conversation, named like their file.
"""

from __future__ import annotations

import codecs
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory.ingest.importers.json_files import first_line, load_json
from memory.ingest.importers.openai_messages import read_fields, read_time
from memory.ingest.importers.records import BadRow, ReadMessage, UnreadableFileError
from memory.ingest.incoming import read_instant

SESSION_FIELDS = ("session", "session_id", "conversation_id", "thread_id")
MESSAGE_ID_FIELDS = ("id", "message_id")
MESSAGE_INTERVAL = timedelta(seconds=1)
"""A conversation with one time: its messages follow each other by this, so that their order holds."""

DIGEST_SHOWN = 16


def is_chat(row: Any) -> bool:
    """Whether a row looks like a message or a conversation of this format."""
    return isinstance(row, dict) and ("role" in row or "messages" in row)


def read_openai(path: Path) -> Iterator[ReadMessage | BadRow]:
    """Every message of the file, whether its rows are lines or the items of one array."""
    if first_line(path).startswith("["):
        try:
            items = load_json(path)
        except UnreadableFileError:
            pass  # several lines, the first of them a bad one
        else:
            return _read_items(items, path.stem)
    return read_openai_jsonl(path)


def _read_items(items: Sequence[Any], file_name: str) -> Iterator[ReadMessage | BadRow]:
    seen: Counter[str] = Counter()
    for number, row in enumerate(items, start=1):
        yield from _read_row(row, f"item {number}", number / len(items), seen, file_name)


def read_openai_jsonl(path: Path) -> Iterator[ReadMessage | BadRow]:
    """Every message of the file, read line by line.

    A conversation without a name is named by its content, so that reading it again finds it again.
    """
    size = max(1, path.stat().st_size)
    seen: Counter[str] = Counter()
    done = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            done += len(line)
            content = line.removeprefix(codecs.BOM_UTF8).strip()
            if content:
                yield from _read_line(content, f"line {number}", done / size, seen, path.stem)


def _read_line(
    line: bytes, place: str, fraction: float, seen: Counter[str], file_name: str
) -> Iterator[ReadMessage | BadRow]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        yield BadRow(place, "is no JSON")
        return
    yield from _read_row(row, place, fraction, seen, file_name, content=line)


def _read_row(
    row: Any,
    place: str,
    fraction: float,
    seen: Counter[str],
    file_name: str,
    content: bytes | None = None,
) -> Iterator[ReadMessage | BadRow]:
    """One row; `content` is what it looked like in the file, if it had a line of its own."""
    if not isinstance(row, dict):
        yield BadRow(place, "is no JSON object")
    elif "messages" in row:
        yield from _read_conversation(row, content or _bytes_of(row), place, fraction)
    else:
        yield _read_single(row, place, fraction, seen, file_name)


def _read_conversation(
    row: Mapping[str, Any], content: bytes, place: str, fraction: float
) -> Iterator[ReadMessage | BadRow]:
    if not isinstance(row["messages"], list):
        yield BadRow(place, "has messages that are no list")
        return
    session = _session(row, (*SESSION_FIELDS, "id"))
    session = session or f"conversation-{_digest(content)}"
    started_at = _instant(read_time(row))
    for index, message in enumerate(row["messages"]):
        message_place = f"{place} message {index + 1}"
        if not isinstance(message, dict):
            yield BadRow(message_place, "is no object")
            continue
        said_at = read_time(message) or _following(started_at, index)
        yield _found(message, session, str(index), said_at, message_place, fraction)


def _read_single(
    row: Mapping[str, Any], place: str, fraction: float, seen: Counter[str], file_name: str
) -> ReadMessage | BadRow:
    session = _session(row, SESSION_FIELDS)
    if session is None and "role" not in row:
        return BadRow(place, f"has neither messages, nor a role, nor one of {', '.join(SESSION_FIELDS)}")
    session = session or file_name
    index = seen[session]
    seen[session] += 1
    identifier = next((str(row[name]) for name in MESSAGE_ID_FIELDS if row.get(name)), None)
    place_in_session = (
        f"id-{_digest(identifier.encode(errors='surrogatepass'))}" if identifier else str(index)
    )
    return _found(row, session, place_in_session, read_time(row), place, fraction)


def _session(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    found = next(
        (row[name] for name in names if isinstance(row.get(name), (str, int)) and row[name] != ""), None
    )
    return None if found is None else str(found)


def _instant(value: Any) -> Any:
    """An instant where the value is one; what is none becomes a text, to be refused with its messages."""
    try:
        return read_instant(value)
    except ValueError:
        return str(value)


def _following(started_at: Any, index: int) -> Any:
    return started_at + index * MESSAGE_INTERVAL if isinstance(started_at, datetime) else started_at


def _found(
    message: Mapping[str, Any],
    session: str,
    place_in_session: str,
    said_at: Any,
    place: str,
    fraction: float,
) -> ReadMessage:
    fields = read_fields(message) | {
        "session": session,
        "occurred_at": said_at,
        "dedupe_key": f"openai:{place_in_session}:{session}",
    }
    return ReadMessage("", place, fraction, fields)


def _bytes_of(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST_SHOWN]
