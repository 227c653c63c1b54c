"""Batches that failed for good: what one run set aside, and why. They wait for a person to retry them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import CharField, F, Min, Q, QuerySet, Value
from django.db.models.functions import Cast

from memory.cascade.work import INPUTS
from memory.ingest.access import Access
from memory.models import Entity, Run, Step, Workspace
from memory.recall.trace import NoRecordError

PAGE_SIZE = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class ParkedCursor:
    """Where a page ended: when the batch was parked, in microseconds since 1970, and by which run."""

    since: int
    run: UUID


@dataclass(frozen=True, slots=True)
class ParkedFilter:
    """Which batches are listed. What is empty or None filters nothing."""

    entities: Collection[UUID] | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class ParkedBatch:
    """What one run set aside."""

    run: UUID
    """Names the batch; the run itself may be gone by its retention."""
    entity: str
    step: str
    since: datetime
    inputs: tuple[str, ...]
    """Ids of what was set aside: messages, atoms, versions of scenes, sessions."""
    error_kind: str
    error_text: str
    model: str
    attempt: int


@dataclass(frozen=True, slots=True)
class ParkedPage:
    """Batches, those that wait longest first."""

    batches: tuple[ParkedBatch, ...]
    next_after: ParkedCursor | None


def list_parked(
    workspace: Workspace,
    wanted: ParkedFilter,
    *,
    after: ParkedCursor | None = None,
    limit: int = PAGE_SIZE,
) -> ParkedPage:
    """One page in two statements. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one batch.")
    steps = wanted.steps or tuple(INPUTS)
    first, *others = (_batches(step, workspace, wanted, after) for step in steps)
    union = first.union(*others, all=True) if others else first
    found = list(union.order_by("since", "parked_by")[: limit + 1])
    shown = found[:limit]
    runs = Run.objects.for_workspace(workspace.pk).defer("inputs", "outputs", "decisions", "raw_answer")
    known = runs.in_bulk([row["parked_by"] for row in shown])
    last = ParkedCursor(microseconds(shown[-1]["since"]), shown[-1]["parked_by"]) if shown else None
    return ParkedPage(
        tuple(_batch(row, known.get(row["parked_by"])) for row in shown),
        last if len(found) > limit else None,
    )


def find_batch(access: Access, run: UUID) -> tuple[Entity, Step]:
    """Whose batch a run parked, and of which step; NoRecordError where nothing of it is parked any more."""
    for step, model in INPUTS.items():
        rows: QuerySet[Any] = model.objects.for_workspace(access.workspace.pk).parked()
        row = rows.filter(parked_by=run, entity__shadow_of__isnull=True).select_related("entity").first()
        if row is not None and access.opens(row.entity_id):
            return row.entity, step
    raise NoRecordError(str(run))


def microseconds(moment: datetime) -> int:
    """Since 1970, exactly."""
    return (moment - EPOCH) // MICROSECOND


def _batches(
    step: Step, workspace: Workspace, wanted: ParkedFilter, after: ParkedCursor | None
) -> QuerySet[Any, dict[str, Any]]:
    """The batches of a step as (parked_by, name, parked_step, since, inputs)."""
    rows: QuerySet[Any] = INPUTS[step].objects.for_workspace(workspace.pk).parked()
    # What no run parked cannot be told apart: no step leaves such a row.
    rows = rows.filter(entity__shadow_of__isnull=True, parked_by__isnull=False)
    if wanted.entities is not None:
        rows = rows.filter(entity__in=wanted.entities)
    ids = ArrayAgg(Cast("pk", CharField()), order_by="pk")
    grouped = rows.order_by().values("parked_by", name=F("entity__name"))
    named = Value(str(step), output_field=CharField())
    batches: QuerySet[Any, Any] = grouped.annotate(parked_step=named, since=Min("parked_at"), ids=ids)
    if after is None:
        return batches
    moment = EPOCH + after.since * MICROSECOND
    rest: QuerySet[Any, Any] = batches.filter(Q(since__gt=moment) | Q(since=moment, parked_by__gt=after.run))
    return rest


def _batch(row: Mapping[str, Any], run: Run | None) -> ParkedBatch:
    return ParkedBatch(
        run=row["parked_by"],
        entity=row["name"],
        step=row["parked_step"],
        since=row["since"],
        inputs=tuple(row["ids"]),
        error_kind=run.error_kind if run else "",
        error_text=run.error_text if run else "",
        model=run.model if run else "",
        attempt=run.attempt if run else 0,
    )
