"""What ran since midnight (UTC): the day of the budgets, and as much as one statement can add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum
from django.utils import timezone

from memory.models import Run

LONGEST_RUN = timedelta(hours=1)
BUCKETS_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Finished runs of one step, outcome and model, added up."""

    step: str
    status: str
    error_kind: str
    model: str
    runs: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    milliseconds: int
    within: tuple[int, ...]
    """How many took no longer than each of BUCKETS_SECONDS."""


def midnight() -> datetime:
    """When today began, in UTC."""
    return timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def runs_today() -> list[RunTotals]:
    """All runs that ended today, in one statement over the time index of runs."""
    began = midnight()
    rows = Run.objects.filter(started_at__gte=began - LONGEST_RUN, finished_at__gte=began).order_by()
    sums = rows.values("step", "status", "error_kind", "model").annotate(
        runs=Count("id"),
        **{f"sum_{name}": Sum(name) for name in ("tokens_in", "tokens_out", "cost", "milliseconds")},
        **{
            f"within_{place}": Count("id", filter=Q(milliseconds__lte=int(seconds * 1_000)))
            for place, seconds in enumerate(BUCKETS_SECONDS)
        },
    )
    return [_totals(row) for row in sums]


def _totals(row: Mapping[str, Any]) -> RunTotals:
    return RunTotals(
        step=row["step"],
        status=row["status"],
        error_kind=row["error_kind"],
        model=row["model"],
        runs=row["runs"],
        tokens_in=row["sum_tokens_in"] or 0,
        tokens_out=row["sum_tokens_out"] or 0,
        cost=row["sum_cost"] or Decimal(0),
        milliseconds=row["sum_milliseconds"] or 0,
        within=tuple(row[f"within_{place}"] for place in range(len(BUCKETS_SECONDS))),
    )
