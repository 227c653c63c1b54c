"""Whether the product answers: for load balancers, connectors and people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import DatabaseError, InterfaceError
from django.db.models import Max

from memory.models import Process


@dataclass(frozen=True, slots=True)
class Health:
    """`worker_seen_seconds` is the age of the last worker's sign of life, None when none was ever seen."""

    is_database_ok: bool
    worker_seen_seconds: float | None


def read_health() -> Health:
    """Ask the database in one statement."""
    workers = Process.objects.filter(kind=Process.Kind.WORKER)
    try:
        seen_at = workers.aggregate(seen_at=Max("seen_at"))["seen_at"]
    except (DatabaseError, InterfaceError):
        return Health(is_database_ok=False, worker_seen_seconds=None)
    if seen_at is None:
        return Health(is_database_ok=True, worker_seen_seconds=None)
    return Health(True, max(0.0, round((datetime.now(UTC) - seen_at).total_seconds(), 1)))
