"""What waits, step by step of every entity: when it is due, who holds it, how it failed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, F, Func, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Now

from memory.cascade.work import INPUTS
from memory.models import Entity, Work, Workspace

PAGE_SIZE = 50
MOST_COUNTED = 1_000
"""Beyond so many inputs of one step the number tells no more: one more means «at least»."""

WorkState = Literal["waiting", "due", "leased", "failing", "paused"]
STATES: dict[WorkState, Q] = {
    "waiting": Q(due_at__isnull=False),
    "due": Q(due_at__lte=Now()),
    "leased": Q(lease_until__gt=Now()),
    "failing": Q(failures__gt=0),
    "paused": Q(entity__paused_steps__contains=[F("step")]),
}


@dataclass(frozen=True, slots=True)
class WorkFilter:
    """Which work is listed. What is empty or None filters nothing."""

    entities: Collection[UUID] | None = None
    steps: tuple[str, ...] = ()
    states: tuple[WorkState, ...] = ()
    """In one of these states."""

    def condition(self) -> Q:
        """As the database takes it."""
        wanted: dict[str, Any] = {"entity__in": self.entities, "step__in": self.steps or None}
        condition = Q(**{name: value for name, value in wanted.items() if value is not None})
        states = Q()
        for state in self.states:
            states |= STATES[state]
        return condition & states


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """A step of an entity."""

    id: UUID
    entity: str
    step: str
    pending: int
    """Inputs that wait, 1,001 for more than 1,000."""
    parked: int
    """Inputs set aside after failures, counted as far."""
    is_paused: bool
    due_at: datetime | None
    is_flushing: bool
    """A session or an import has ended: no waiting until nothing is pending."""
    lease_until: datetime | None
    """Until when a worker holds it."""
    worker: str
    """Who held it last."""
    failures: int
    """In a row."""
    last_error_kind: str
    last_error: str
    last_started_at: datetime | None
    last_finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class WorkPage:
    """Work in the order in which the entities were made."""

    work: tuple[WorkRecord, ...]
    next_after: UUID | None


def list_work(
    workspace: Workspace, wanted: WorkFilter, *, after: UUID | None = None, limit: int = PAGE_SIZE
) -> WorkPage:
    """One page in one statement. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one row.")
    rows = Work.objects.for_workspace(workspace.pk).filter(wanted.condition(), entity__shadow_of__isnull=True)
    rest = rows if after is None else rows.filter(pk__gt=after)
    found = list(with_counts(rest).select_related("entity").order_by("pk")[: limit + 1])
    shown = found[:limit]
    return WorkPage(tuple(map(_record, shown)), shown[-1].pk if len(found) > limit else None)


def with_counts(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Work that knows how many inputs are pending and parked, `MOST_COUNTED` and one more at most."""
    counted: QuerySet[Any] = rows.annotate(
        pending_count=_count_for_step("pending"), parked_count=_count_for_step("parked")
    )
    return counted


def _count_for_step(state: str) -> Case:
    whens = []
    for step, model in INPUTS.items():
        inputs: QuerySet[Any] = getattr(model._default_manager, state)()
        some = inputs.filter(workspace=OuterRef("workspace"), entity=OuterRef("entity"))
        ids = ArraySubquery(some.order_by().values("pk")[: MOST_COUNTED + 1])
        whens.append(When(step=step, then=Func(ids, function="CARDINALITY")))
    return Case(*whens, default=Value(0), output_field=IntegerField())


def _record(work: Any) -> WorkRecord:
    entity: Entity = work.entity
    same = (
        *("id", "step", "due_at", "is_flushing", "lease_until", "worker", "failures", "last_error_kind"),
        *("last_error", "last_started_at", "last_finished_at"),
    )
    return WorkRecord(
        entity=entity.name,
        pending=work.pending_count,
        parked=work.parked_count,
        is_paused=work.step in entity.paused_steps,
        **{name: getattr(work, name) for name in same},
    )
