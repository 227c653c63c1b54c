"""Memories exported from mem0: statements of another memory, without the words they were made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.ingest.importers.json_rows import Row, read_rows
from memory.ingest.importers.records import BadRow, Found, ReadClaim
from memory.ingest.importers.times import from_iso, from_unix

LISTS = ("results", "memories")
OWNER_FIELDS = ("user_id", "agent_id")
TIME_FIELDS = ("updated_at", "created_at")
TRAIT_WORDS = ("preference", "personality", "habit", "character")
EPISODIC, PERSONA = "episodic", "persona"


def read_mem0(path: Path) -> Iterator[Found]:
    """Every memory as a claim of the user it names; categories about the person make it a trait."""
    for row in read_rows(path, under=LISTS):
        yield row if isinstance(row, BadRow) else _read_memory(row)


def _read_memory(row: Row) -> Found:
    value = row.value
    if not isinstance(value, dict):
        return BadRow(row.place, "is no object")
    text, identifier = value.get("memory"), value.get("id")
    if not isinstance(text, str) or not text.strip() or not isinstance(identifier, (str, int)):
        return BadRow(row.place, "has no memory or no id")
    said_at = _said_at(value)
    if isinstance(said_at, str):
        return BadRow(row.place, f"has the time {said_at[:40]!r}, which is none")
    categories = _categories(value)
    owner = next((str(value[name]) for name in OWNER_FIELDS if value.get(name)), "")
    return ReadClaim(
        entity=owner,
        place=row.place,
        fraction=row.fraction,
        reference=str(identifier),
        text=text.strip(),
        kind=PERSONA if _is_trait(categories) else EPISODIC,
        topic=categories[0].replace("_", " ") if categories else "",
        subject=owner,
        said_at=said_at,
    )


def _said_at(value: Mapping[str, Any]) -> datetime | str | None:
    """When it was changed last, else made."""
    given = next((value[name] for name in TIME_FIELDS if value.get(name)), None)
    return from_unix(given) if isinstance(given, (int, float)) else from_iso(given)


def _categories(value: Mapping[str, Any]) -> list[str]:
    """Its categories, which some versions keep among the metadata."""
    metadata = value.get("metadata")
    inner = metadata if isinstance(metadata, dict) else {}
    given = value.get("categories") or inner.get("categories") or inner.get("category") or []
    names = given if isinstance(given, list) else [given]
    return [name for name in names if isinstance(name, str) and name]


def _is_trait(categories: list[str]) -> bool:
    return any(word in category.casefold() for category in categories for word in TRAIT_WORDS)
