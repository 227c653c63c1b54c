"""What waits for each step, what was set aside, and which steps a used-up budget holds up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from memory.models import Atom, Message, SceneVersion, Session, SkillInput, Step, Unindexed, Unpromoted, Work

MOST_COUNTED = 100_000
"""Beyond so many, counting costs more than the number tells: then it means «at least»."""
DAILY_BUDGET = "daily_tokens"
OF_NO_SHADOW = Q(entity__shadow_of__isnull=True)
"""An open rebuild waits for whoever began it, not for a worker."""
INDEX = "index"


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where the inputs of a step lie, and which of their columns says when they came."""

    step: str
    rows: str
    pending: QuerySet[Any]
    parked: QuerySet[Any]
    since: Coalesce | F


@dataclass(frozen=True, slots=True)
class Waiting:
    """The inputs of one step: how many are pending and parked, and since when the oldest waits."""

    step: str
    rows: str
    pending: int
    parked: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Pause:
    """A step that waits for midnight (UTC) in so many workspaces, for so many entities."""

    step: str
    workspaces: int
    entities: int


def inputs() -> list[Inputs]:
    """The inputs of every step over all workspaces."""
    messages, atoms, scenes = Message.objects, Atom.objects, SceneVersion.objects
    sessions, changed, told = Session.objects, Unpromoted.objects, SkillInput.objects
    asked = Coalesce("fold_asked_at", "ended_at")
    return [
        Inputs(Step.L1_EXTRACT, "messages", messages.pending(), messages.parked(), F("recorded_at")),
        Inputs(Step.SCENE_SYNTHESIS, "atoms", atoms.pending(), atoms.parked(), F("created_at")),
        Inputs(Step.PERSONA, "scenes", scenes.pending().heads(), scenes.parked().heads(), F("created_at")),
        Inputs(Step.COMPACTION, "sessions", sessions.pending(), sessions.parked(), asked),
        Inputs(Step.PROMOTION, "changed atoms", changed.pending(), changed.parked(), F("queued_at")),
        Inputs(Step.SKILL_EXTRACT, "traces and feedback", told.pending(), told.parked(), F("queued_at")),
    ]


def waiting() -> list[Waiting]:
    """How much waits for each step and since when, in two statements a step."""
    return [_counted(found) for found in inputs()]


def waiting_for_index() -> Waiting:
    """The rows that search has not read yet."""
    rows = Unindexed.objects.filter(has_terms=False)
    return _counted(Inputs(INDEX, "rows", rows, rows.none(), F("queued_at")))


def _counted(found: Inputs) -> Waiting:
    pending = found.pending.filter(OF_NO_SHADOW).order_by().values(since=found.since)[:MOST_COUNTED]
    seen = pending.aggregate(count=Count("*"), oldest=Min("since"))
    parked = found.parked.filter(OF_NO_SHADOW).order_by()[:MOST_COUNTED].count()
    return Waiting(str(found.step), found.rows, seen["count"], parked, seen["oldest"])


def budget_pauses() -> list[Pause]:
    """The steps that wait because a workspace has used its tokens of today."""
    held_up = Work.objects.filter(due_at__isnull=False, last_error_kind=DAILY_BUDGET)
    found = held_up.order_by("step").values("step")
    counted = found.annotate(entities=Count("id"), workspaces=Count("workspace", distinct=True))
    return [Pause(row["step"], row["workspaces"], row["entities"]) for row in counted]
