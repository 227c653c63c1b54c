"""Replies as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.health import Health
from memory.ingest.messages import Appended
from memory.models import Entity
from memory.recall.timeline import Counts, TimelinePage
from memory.recall.timeline_records import Collection, TimelineRecord

State = Literal["ok", "unavailable"]


class HealthBody(TypedDict):
    """Whether the product answers."""

    status: State
    version: str
    database: State
    worker_seen_seconds: float | None
    """Age of the last worker's sign of life in seconds; null when none was ever seen."""


class TimelineBody(TypedDict):
    """A page of an entity's records, newest first."""

    entity: str
    records: tuple[TimelineRecord, ...]
    next_before: int | None
    """Give it as `before` to get older ones; null at the end."""
    counts: Mapping[Collection, Counts]
    """Of the whole memory, whatever was asked for."""


class StoredRecordBody(TypedDict):
    """Where a message of the batch is stored."""

    id: UUID
    seq: int
    session: str
    ordinal: int
    created: bool
    """Whether this call stored it: false for one that was stored before."""


class RecordsBody(TypedDict):
    """A stored batch, in the order of the request."""

    entity: str
    records: list[StoredRecordBody]
    redacted: Mapping[str, int]
    """How much of which kind was taken out of the words before they were stored."""
    erased: list[int]
    """Places in the batch, from 0, of messages that were erased before and stay so."""


def health_body(health: Health, *, version: str) -> HealthBody:
    """The body of `/health`."""
    state: State = "ok" if health.is_database_ok else "unavailable"
    return {
        "status": state,
        "version": version,
        "database": state,
        "worker_seen_seconds": health.worker_seen_seconds,
    }


def timeline_body(entity: Entity, page: TimelinePage) -> TimelineBody:
    """The body of `/timeline`."""
    return {
        "entity": entity.name,
        "records": page.records,
        "next_before": page.next_before,
        "counts": page.counts,
    }


def records_body(appended: Appended) -> RecordsBody:
    """The body of a stored batch."""
    return {
        "entity": appended.entity.name,
        "records": [
            {
                "id": message.id,
                "seq": message.seq,
                "session": message.session,
                "ordinal": message.ordinal,
                "created": message.is_new,
            }
            for message in appended.messages
        ],
        "redacted": dict(appended.redacted),
        "erased": list(appended.erased),
    }
