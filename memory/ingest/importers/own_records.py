"""This project's own JSON lines: on each a message, as `POST /records` takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.ingest.importers.json_rows import read_rows
from memory.ingest.importers.records import BadRow, Found, ReadMessage
from memory.ingest.incoming import IncomingMessage

FIELDS = frozenset(IncomingMessage.model_fields)


def read_own_records(path: Path) -> Iterator[Found]:
    """Every line as it is; a field that no message has is refused by name, as over HTTP.

    A line without a key of its own gets one from its place in its session. Without a time its time stays
    unknown: a file is not said at the moment it is read.
    """
    seen: Counter[str] = Counter()
    for row in read_rows(path):
        if isinstance(row, BadRow):
            yield row
        elif not isinstance(row.value, dict):
            yield BadRow(row.place, "is no JSON object")
        else:
            session = str(row.value.get("session", ""))
            yield ReadMessage("", row.place, row.fraction, _message(row.value, seen[session]))
            seen[session] += 1


def _message(value: Mapping[str, Any], index: int) -> dict[str, Any]:
    key = value.get("dedupe_key")
    session = value.get("session", "")
    return {
        **value,
        "occurred_at": value.get("occurred_at"),
        "dedupe_key": key or f"records:{index}:{session}",
    }
