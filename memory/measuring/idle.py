"""A layer grew, the step above it is idle: told entity by entity, so that a busy one hides no stuck one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, F, Min, OuterRef, Q
from django.utils import timezone

from memory.cascade.stages import stage_of
from memory.cascade.work import INPUTS
from memory.measuring.waiting import OF_NO_SHADOW, Inputs, inputs
from memory.models import Run, Step, Work

IDLE_AFTER = timedelta(minutes=2)
"""Twice the longest regular pause: what waits longer is not just waiting for its turn."""
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Idle:
    """A step of an entity that should have begun."""

    step: Step
    rows: str
    entity: str
    oldest: datetime


def idle_steps() -> list[Idle]:
    """Steps that nothing keeps from running and that do not run, the longest waiting first; five a step.

    An entity's step is idle when an input of it came more than two minutes ago, no step before it has inputs
    of its own, and for two minutes it has not begun, nobody has held it, and it was not planned for a time
    that lies ahead or has just passed. A person's pause, a used-up budget and the pause after a failure are
    no idleness: the first is asked here, the others are such a time.
    """
    return [idle for found in inputs() for idle in _idle(found)]


def _idle(found: Inputs) -> Iterator[Idle]:
    now = timezone.now()
    before = now - IDLE_AFTER
    step = Step(found.step)
    rows = found.pending.filter(OF_NO_SHADOW).alias(since=found.since).filter(since__lt=before)
    stuck = rows.exclude(_has_run(step, before) | _is_in_hand(step, now) | _waits_below(step))
    open_ones = stuck.exclude(entity__paused_steps__contains=[step.value]).order_by()
    oldest = open_ones.values(name=F("entity__name")).annotate(oldest=Min(found.since)).order_by("oldest")
    for row in oldest[:SHOWN]:
        yield Idle(step, found.rows, row["name"], row["oldest"])


def _has_run(step: Step, since: datetime) -> Q:
    return Q(Exists(Run.objects.filter(entity=OuterRef("entity"), step=step, started_at__gte=since)))


def _is_in_hand(step: Step, now: datetime) -> Q:
    planned = Q(lease_until__gt=now) | Q(due_at__gt=now - IDLE_AFTER)
    return Q(Exists(Work.objects.filter(planned, entity=OuterRef("entity"), step=step)))


def _waits_below(step: Step) -> Q:
    """Whether a step before this one still has inputs: then that one is to blame, if anyone."""
    condition = Q(pk__in=[])
    for earlier in stage_of(step).upstream:
        condition |= Q(Exists(INPUTS[earlier].objects.pending().filter(entity=OuterRef("entity"))))
    return condition
