"""Recorded attempts of steps, listed and in full: what was decided, what it cost, what went wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.ingest.access import Access
from memory.models import Run, Workspace
from memory.recall.trace import NoRecordError

PAGE_SIZE = 50
HEAVY = ("inputs", "outputs", "decisions", "raw_answer")


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are listed. What is empty or None filters nothing."""

    entities: Collection[UUID] | None = None
    steps: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    since: datetime | None = None
    """Begun at this time or later."""
    until: datetime | None = None
    """Begun before this time."""

    def condition(self) -> Q:
        """As the database takes it."""
        wanted: dict[str, Any] = {
            "entity__in": self.entities,
            "step__in": self.steps or None,
            "status__in": self.statuses or None,
            "started_at__gte": self.since,
            "started_at__lt": self.until,
        }
        return Q(**{name: value for name, value in wanted.items() if value is not None})


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One attempt of a step, good or bad."""

    id: UUID
    entity: str
    step: str
    status: str
    attempt: int
    design: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None where the model has no price."""
    milliseconds: int
    noop_reason: str
    """Why it wrote nothing although nothing failed."""
    error_kind: str
    error_text: str
    is_transient: bool
    worker: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FullRun(RunRecord):
    """The same with all that was recorded."""

    inputs: Mapping[str, Any]
    """Ids of what it read, by layer."""
    outputs: Mapping[str, Any]
    """Ids of what it wrote, by layer."""
    decisions: list[Any]
    """Item by item: what was taken, skipped, dropped or repaired, and why."""
    raw_answer: str
    """What a failed call answered, cut to a length."""
    design_hash: str
    prompt_hash: str
    schema_hash: str


@dataclass(frozen=True, slots=True)
class RunsPage:
    """Runs, newest first."""

    runs: tuple[RunRecord, ...]
    next_after: UUID | None
    """Give it to the next call; None on the last page."""


def list_runs(
    workspace: Workspace, wanted: RunFilter, *, after: UUID | None = None, limit: int = PAGE_SIZE
) -> RunsPage:
    """One page in one statement; ids are ordered by time. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one run.")
    rows = Run.objects.for_workspace(workspace.pk).filter(wanted.condition(), entity__shadow_of__isnull=True)
    rest = rows if after is None else rows.filter(pk__lt=after)
    found = list(rest.select_related("entity").defer(*HEAVY).order_by("-pk")[: limit + 1])
    shown = found[:limit]
    return RunsPage(
        tuple(RunRecord(**_told(run)) for run in shown), shown[-1].pk if len(found) > limit else None
    )


def read_run(access: Access, id: UUID) -> FullRun:
    """A run in full; NoRecordError for one of an entity that the key does not open."""
    rows = Run.objects.for_workspace(access.workspace.pk).select_related("entity")
    run = rows.filter(pk=id, entity__shadow_of__isnull=True).first()
    if run is None or not access.opens(run.entity_id):
        raise NoRecordError(str(id))
    more = (*HEAVY, "design_hash", "prompt_hash", "schema_hash")
    return FullRun(**_told(run), **{name: getattr(run, name) for name in more})


def _told(run: Run) -> dict[str, Any]:
    names = (name for name in RunRecord.__slots__ if name not in ("id", "entity", "cost"))
    return {
        "id": run.pk,
        "entity": run.entity.name,
        "cost": None if run.cost is None else float(run.cost),
        **{name: getattr(run, name) for name in names},
    }
