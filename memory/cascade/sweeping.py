"""The sweep: whatever waits is found by looking at rows, so that no lost task, worker or broker matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from memory.cascade.failures import TRANSIENT_PARKED_RETRY_SECONDS
from memory.cascade.stages import WITHOUT_MODEL
from memory.cascade.wakeups import send
from memory.cascade.work import INPUTS, mark_due
from memory.llm.registry import configured_model
from memory.models import Run, Step, Work

OVERDUE_SECONDS = 5.0
"""A due row whose task is under way is left alone for so long."""
SWEEP_LIMIT = 1_000
FARTHEST_DUE_SECONDS = 2 * 3_600.0


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found and woke."""

    overdue: int = 0
    vanished: int = 0
    """Leases that ran out: their worker is gone."""
    unmarked: int = 0
    """Inputs that wait although nothing was marked due."""
    unparked: int = 0
    """Inputs parked because the endpoint failed, put back in line."""

    @property
    def total(self) -> int:
        """Everything found."""
        return self.overdue + self.vanished + self.unmarked + self.unparked


def sweep() -> Swept:
    """Look once, wake what has to be woken; without a model only what needs none."""
    steps = tuple(Step) if configured_model() is not None else tuple(WITHOUT_MODEL)
    return Swept(
        vanished=_end_endless(steps) + _mark_vanished(steps) + _pull_in(steps),
        unparked=_unpark(steps),
        unmarked=sum(_mark_unmarked(step) for step in steps),
        overdue=_wake_overdue(steps),
    )


def farthest_lease() -> timedelta:
    """A lease is renewed long before its end: one that ends later than this was given by a wrong clock."""
    return timedelta(seconds=FARTHEST_DUE_SECONDS + settings.MEMSEEK.waking.lease_seconds)


def _end_endless(steps: Sequence[Step]) -> int:
    """A worker that lives has renewed such a lease by the right clock; nobody else would ever end it."""
    endless = Work.objects.filter(lease_until__gt=Now() + farthest_lease(), step__in=steps)
    return endless.update(lease_until=Now(), due_at=Now())


def _pull_in(steps: Sequence[Step]) -> int:
    """No pause is longer than an hour: a due time beyond was set by a clock that stood wrong."""
    far = Now() + timedelta(seconds=FARTHEST_DUE_SECONDS)
    return Work.objects.filter(due_at__gt=far, step__in=steps).update(due_at=Now())


def _mark_vanished(steps: Sequence[Step]) -> int:
    """Work whose lease ran out is due again; the next claim records the run as abandoned."""
    gone = Work.objects.filter(lease_until__lt=Now(), due_at__isnull=True, step__in=steps)
    return gone.update(due_at=Now())


def _wake_overdue(steps: Sequence[Step]) -> int:
    late = Now() - timedelta(seconds=OVERDUE_SECONDS)
    # A shadow is worked on by its rebuild alone.
    rows = Work.objects.filter(entity__shadow_of__isnull=True, step__in=steps)
    rows = rows.filter(Q(due_at__lt=late) | Q(due_at__lte=Now(), lease_until__lt=Now()))
    free = rows.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=Now())).order_by("due_at")
    found = list(free.values_list("workspace_id", "entity_id", "step")[:SWEEP_LIMIT])
    for workspace_id, entity_id, step in found:
        send(workspace_id=workspace_id, entity_id=entity_id, step=Step(step))
    return len(found)


def _mark_unmarked(step: Step) -> int:
    """Mark entities whose inputs wait although their work row is neither due nor leased."""
    waiting = (
        INPUTS[step]
        .objects.pending()
        .filter(workspace_id=OuterRef("workspace_id"), entity_id=OuterRef("entity_id"))
    )
    rows = Work.objects.filter(Exists(waiting), step=step, due_at__isnull=True, lease_until__isnull=True)
    found = list(
        rows.select_related("entity").only("workspace_id", "entity_id", "entity__paused_steps")[:SWEEP_LIMIT]
    )
    return sum(
        _mark(row.workspace_id, row.entity_id, step) for row in found if step not in row.entity.paused_steps
    )


def _mark(workspace_id: UUID, entity_id: UUID, step: Step) -> bool:
    with transaction.atomic():
        return mark_due(workspace_id=workspace_id, entity_id=entity_id, step=step)


def _unpark(steps: Sequence[Step]) -> int:
    """Retry after a while what was parked while the endpoint failed; bad answers wait for a person."""
    long_ago = Now() - timedelta(seconds=TRANSIENT_PARKED_RETRY_SECONDS)
    transient = Run.objects.filter(pk=OuterRef("parked_by"), is_transient=True)
    return sum(
        model.objects.parked()
        .filter(Exists(transient), parked_at__lt=long_ago)
        .update(parked_at=None, parked_by=None)
        for model in (INPUTS[step] for step in steps)
    )
