"""Replies as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from memory.api.health import Health
from memory.ingest.messages import Appended
from memory.models import Entity
from memory.recall.timeline import TimelinePage


def health_body(health: Health, *, version: str) -> dict[str, Any]:
    """The body of `/health`."""
    return {
        "status": "ok" if health.is_database_ok else "unavailable",
        "version": version,
        "database": "ok" if health.is_database_ok else "unavailable",
        "worker_seen_seconds": health.worker_seen_seconds,
    }


def timeline_body(entity: Entity, page: TimelinePage) -> dict[str, Any]:
    """The body of `/timeline`."""
    return {
        "entity": entity.name,
        "records": [asdict(record) for record in page.records],
        "next_before": page.next_before,
        "counts": {collection: asdict(counts) for collection, counts in page.counts.items()},
    }


def records_body(appended: Appended) -> dict[str, Any]:
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
