"""Message lists of OpenAI's and Anthropic's shape: one conversation a row, or one message a row.

Rows are lines or the items of one JSON array; a message row names the session it belongs to. Messages that
name no session are one conversation, named like their file.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.ingest.importers.content_blocks import alone
from memory.ingest.importers.json_rows import Row, read_rows
from memory.ingest.importers.openai_messages import read_fields, read_time
from memory.ingest.importers.records import BadRow, Found, LeftOut, ReadMessage
from memory.ingest.importers.times import from_iso
from memory.ingest.instants import in_utc
from memory.ingest.storable import is_blank

SESSION_FIELDS = ("session", "session_id", "conversation_id", "thread_id")
MESSAGE_ID_FIELDS = ("id", "message_id")
MESSAGE_INTERVAL = timedelta(seconds=1)
"""A conversation with one time: its messages follow each other by this, so that their order holds."""

DIGEST_SHOWN = 16
STEM_SHOWN = 96

Translate = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Whose message lists they are. `translate` makes a message of this dialect one of OpenAI's."""

    name: str
    translate: Translate = lambda message: message


OPENAI = Dialect("openai")


def read_openai(path: Path) -> Iterator[Found]:
    """Every message of the file, whether its rows are lines or the items of one array."""
    return read_message_lists(path, OPENAI)


def read_openai_jsonl(path: Path) -> Iterator[Found]:
    """Every message of a file that is read line by line whatever it looks like."""
    return read_message_lists(path, OPENAI, is_lines=True)


def read_message_lists(path: Path, dialect: Dialect, *, is_lines: bool | None = None) -> Iterator[Found]:
    """Every message of the file.

    A conversation without a name is named by its content, so that reading it again finds it again.
    """
    reading = _Reading(dialect, path.stem[:STEM_SHOWN])
    for row in read_rows(path, is_lines=is_lines):
        if isinstance(row, BadRow):
            yield row
        else:
            yield from reading.row(row)


@dataclass(slots=True)
class _Reading:
    """One file under way: how many messages of each session came by."""

    dialect: Dialect
    file_name: str
    seen: Counter[str] = field(default_factory=Counter)

    def row(self, row: Row) -> Iterator[Found]:
        """The messages of one row."""
        value = row.value
        if not isinstance(value, dict):
            yield BadRow(row.place, "is no JSON object")
        elif "messages" in value:
            yield from self._conversation(value, row)
        else:
            yield from self._single(self.dialect.translate(value), row)

    def _conversation(self, value: Mapping[str, Any], row: Row) -> Iterator[Found]:
        if not isinstance(value["messages"], list):
            yield BadRow(row.place, "has messages that are no list")
            return
        session = _session(value, (*SESSION_FIELDS, "id"))
        session = session or f"conversation-{_digest(row.content or _bytes_of(value))}"
        started_at = _instant(read_time(value))
        if isinstance(value.get("system"), (str, list)) and value["system"]:
            system = {"role": "system", "content": value["system"]}
            yield from self._found(system, session, "system", started_at, row)
        for index, message in enumerate(value["messages"]):
            place = Row(f"{row.place} message {index + 1}", row.fraction, None)
            if not isinstance(message, dict):
                yield BadRow(place.place, "is no object")
                continue
            said = self.dialect.translate(message)
            said_at = read_time(said) or _following(started_at, index)
            yield from self._found(said, session, str(index), said_at, place)

    def _single(self, message: Mapping[str, Any], row: Row) -> Iterator[Found]:
        session = _session(message, SESSION_FIELDS)
        if session is None and "role" not in message:
            fields = ", ".join(SESSION_FIELDS)
            yield BadRow(row.place, f"has neither messages, nor a role, nor one of {fields}")
            return
        session = session or self.file_name
        index = self.seen[session]
        self.seen[session] += 1
        identifier = next((str(message[name]) for name in MESSAGE_ID_FIELDS if message.get(name)), None)
        key = f"id-{_digest(identifier.encode(errors='surrogatepass'))}" if identifier else str(index)
        yield from self._found(message, session, key, read_time(message), row)

    def _found(
        self, message: Mapping[str, Any], session: str, key: str, said_at: Any, row: Row
    ) -> Iterator[Found]:
        """The messages in one; further ones than the first have the number of their part in their key."""
        for number, fields in enumerate(read_fields(message)):
            if is_only_left_out(fields):
                yield LeftOut(alone(fields["metadata"]["left_out"]))
                continue
            part = f".{number}" if number else ""
            address = {
                "session": session,
                "occurred_at": said_at,
                "dedupe_key": f"{self.dialect.name}:{key}{part}:{session}",
            }
            yield ReadMessage("", row.place, row.fraction, fields | address)


def is_only_left_out(fields: Mapping[str, Any]) -> bool:
    """Whether a message holds nothing but what is left out: pictures, sound, thoughts."""
    says_nothing = isinstance(fields["text"], str) and is_blank(fields["text"])
    has_more = fields["tool_calls"] or fields["attachment_text"]
    return says_nothing and not has_more and bool(fields["metadata"].get("left_out"))


def _session(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    found = next(
        (row[name] for name in names if isinstance(row.get(name), (str, int)) and row[name] != ""), None
    )
    return None if found is None else str(found)


def _instant(value: Any) -> Any:
    """A time where the value is one; what is none becomes a text, to be refused with its messages."""
    time = from_iso(value) if isinstance(value, str) else value
    if not isinstance(time, datetime):
        return None if time is None else str(time)
    try:
        in_utc(time if time.tzinfo else time.replace(tzinfo=UTC))
    except ValueError:
        return str(value)
    return time


def _following(started_at: Any, index: int) -> Any:
    return started_at + index * MESSAGE_INTERVAL if isinstance(started_at, datetime) else started_at


def _bytes_of(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST_SHOWN]
