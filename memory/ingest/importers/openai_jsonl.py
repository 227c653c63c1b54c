"""OpenAI-style JSONL: one conversation a line, or one message a line with the session it belongs to."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory.ingest.importers.openai_messages import read_fields, read_time
from memory.ingest.importers.records import BadRow, ReadMessage
from memory.ingest.incoming import read_instant

SESSION_FIELDS = ("session", "session_id", "conversation_id", "thread_id")
MESSAGE_ID_FIELDS = ("id", "message_id")
MESSAGE_INTERVAL = timedelta(seconds=1)
"""A conversation with one time: its messages follow each other by this, so that their order holds."""

DIGEST_SHOWN = 16


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
            if line.strip():
                yield from _read_line(line, f"line {number}", done / size, seen)


def _read_line(
    line: bytes, place: str, fraction: float, seen: Counter[str]
) -> Iterator[ReadMessage | BadRow]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        yield BadRow(place, "is no JSON")
        return
    if not isinstance(row, dict):
        yield BadRow(place, "is no JSON object")
    elif "messages" in row:
        yield from _read_conversation(row, line, place, fraction)
    else:
        yield _read_single(row, place, fraction, seen)


def _read_conversation(
    row: Mapping[str, Any], line: bytes, place: str, fraction: float
) -> Iterator[ReadMessage | BadRow]:
    if not isinstance(row["messages"], list):
        yield BadRow(place, "has messages that are no list")
        return
    session = _session(row, (*SESSION_FIELDS, "id"))
    session = session or f"conversation-{_digest(line.strip())}"
    started_at = _instant(read_time(row))
    for index, message in enumerate(row["messages"]):
        message_place = f"{place} message {index + 1}"
        if not isinstance(message, dict):
            yield BadRow(message_place, "is no object")
            continue
        said_at = read_time(message) or _following(started_at, index)
        yield _found(message, session, str(index), said_at, message_place, fraction)


def _read_single(
    row: Mapping[str, Any], place: str, fraction: float, seen: Counter[str]
) -> ReadMessage | BadRow:
    session = _session(row, SESSION_FIELDS)
    if session is None:
        return BadRow(place, f"has neither messages nor one of {', '.join(SESSION_FIELDS)}")
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
    """An instant where the value is one; what is none stays, to be refused with its messages."""
    try:
        return read_instant(value)
    except ValueError:
        return value


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


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST_SHOWN]
