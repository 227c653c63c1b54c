"""Traces, procedures, versions, uses and feedback as JSON values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from memory.api.cursors import id_cursor
from memory.recall.short_ids import short_id
from memory.skills.records import (
    FeedbackRecord,
    Page,
    ProcedureSummary,
    TraceRecord,
    UseRecord,
    VersionRecord,
    VersionSummary,
)

Record = TypeVar("Record")


def page_body(
    name: str, page: Page[Record], value: Callable[[Record], dict[str, Any]], **around: Any
) -> dict[str, Any]:
    """The body of a page. `next_after` leads to the next page; it is null on the last one."""
    return {
        **around,
        name: [value(record) for record in page.items],
        "next_after": id_cursor(name, page.next_after),
    }


def trace_value(record: TraceRecord) -> dict[str, Any]:
    """A trace with its steps."""
    return asdict(record)


def version_value(record: VersionSummary | None) -> dict[str, Any] | None:
    """A version by name; null for none."""
    return None if record is None else {**asdict(record), "short_id": short_id(record.id)}


def listed_version(record: VersionSummary) -> dict[str, Any]:
    """The same in a list."""
    return {**asdict(record), "short_id": short_id(record.id)}


def procedure_value(record: ProcedureSummary) -> dict[str, Any]:
    """A procedure by its active version and its draft."""
    return {
        **asdict(record),
        "active": version_value(record.active),
        "draft": version_value(record.draft),
    }


def version_body(entity_name: str, record: VersionRecord) -> dict[str, Any]:
    """A version in full."""
    told = asdict(record)
    return {"entity": entity_name, **told.pop("summary"), "short_id": short_id(record.summary.id), **told}


def use_value(record: UseRecord) -> dict[str, Any]:
    """What was handed out once."""
    return asdict(record)


def feedback_value(record: FeedbackRecord) -> dict[str, Any]:
    """What was said of it; the score as a number."""
    return {**asdict(record), "score": None if record.score is None else float(record.score)}


def redacted(value: dict[str, Any], counts: Mapping[str, int]) -> dict[str, Any]:
    """A stored row with what was taken out of its words before."""
    return {**value, "redacted": dict(counts)}
