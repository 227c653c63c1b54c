"""What one run of skill_extract takes in: inputs that wait, sorted by the procedure they belong to.

A procedure's draft is made from everything that no approved version of it rests on: what waits, what its
earlier drafts rest on, and earlier traces of the same kind of task that nothing rests on yet. So one draft
after the other says the same as a single one made from all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, prefetch_related_objects

from memory.cascade.stage import Question
from memory.models import (
    Entity,
    Feedback,
    Procedure,
    ProcedureVersion,
    SkillInput,
    TaskTrace,
    TraceStep,
)
from memory.skills.belonging import Kin, Shape, nearest
from memory.skills.cited import Cited
from memory.skills.version_writing import VersionText, stored_text
from memory.skills.versions import words_of

TRACES_LOOKED_AT = 200
"""The newest so many traces of an entity may lead to a draft."""
REJECTIONS_SHOWN = 3
Status = ProcedureVersion.Status


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft that was turned down, since the active version."""

    reason: str
    text: VersionText


@dataclass(slots=True)
class Group:
    """What leads to one draft."""

    procedure: Procedure | None = None
    """None for one that is about to begin."""
    active: ProcedureVersion | None = None
    base: VersionText | None = None
    """What the active version says."""
    draft: ProcedureVersion | None = None
    drafted: VersionText | None = None
    """What the open draft says."""
    rejected: tuple[Rejected, ...] = ()
    traces: list[TaskTrace] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    is_touched: bool = False
    """Something of it waits."""


@dataclass(frozen=True, slots=True)
class SkillBatch:
    """The inputs of one run, the groups that they lead to, and what leads nowhere, with reasons."""

    inputs: tuple[SkillInput, ...]
    groups: tuple[Group, ...] = ()
    passed: tuple[Mapping[str, Any], ...] = ()
    questions: tuple[Question[Any], ...] = ()

    @property
    def size(self) -> int:
        """Inputs that a split could separate."""
        return max(1, len(self.inputs))

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """For the run: what waited."""
        return {
            "traces": [row.trace_id for row in self.inputs if row.trace_id],
            "feedback": [row.feedback_id for row in self.inputs if row.feedback_id],
        }


def waiting_inputs(entity: Entity, size: int) -> tuple[SkillInput, ...]:
    """The inputs that have waited longest."""
    rows = SkillInput.objects.for_entity(entity).pending().order_by("id")
    return tuple(rows.select_related("feedback__procedure_version__procedure")[:size])


def sort_inputs(entity: Entity, inputs: Sequence[SkillInput], *, most_traces: int) -> SkillBatch:
    """The groups that the inputs touch, in a constant number of statements for each procedure touched."""
    sorting = _Sorting(entity, inputs)
    sorting.place_traces()
    sorting.place_feedback()
    touched = sorting.touched()
    for group in touched:
        group.traces = _bounded(group.traces, sorting.waiting_traces, most_traces)
    steps = Prefetch("steps", TraceStep.objects.order_by("position"))
    prefetch_related_objects([trace for group in touched for trace in group.traces], steps)
    groups = []
    for group in touched:
        reason = _leads_nowhere(group)
        if reason is None:
            groups.append(group)
        else:
            sorting.passed.append({"outcome": "passed over", "reason": reason, "traces": _ids(group.traces)})
    return SkillBatch(tuple(inputs), tuple(groups), tuple(sorting.passed))


def moment_of(trace: TaskTrace) -> tuple[datetime, UUID]:
    """When a task was carried out, as far as is known."""
    return (trace.occurred_at or trace.created_at, trace.pk)


def _ids(rows: Iterable[TaskTrace | Feedback]) -> list[str]:
    return [str(row.pk) for row in rows]


def _bounded(traces: Sequence[TaskTrace], waiting: set[UUID], most: int) -> list[TaskTrace]:
    """What waits, and the newest of the others up to the limit, in the order of the tasks."""
    ranked = sorted(traces, key=lambda trace: (trace.pk in waiting, *moment_of(trace)), reverse=True)
    kept = ranked[: max(most, sum(trace.pk in waiting for trace in traces))]
    return sorted(kept, key=moment_of)


def _leads_nowhere(group: Group) -> str | None:
    """Why no draft can come of a group; None when one can."""
    if group.active is not None or group.feedback:
        return None
    if all(trace.outcome == TaskTrace.Outcome.FAILURE for trace in group.traces):
        return "a task that failed begins no procedure"
    acted = any(step.kind == TraceStep.Kind.ACTION for trace in group.traces for step in trace.steps.all())
    return None if acted else "its traces hold no action"


class _Sorting:
    """Reads what an entity has learned so far, and places what waits."""

    def __init__(self, entity: Entity, inputs: Sequence[SkillInput]) -> None:
        self.entity = entity
        self.passed: list[Mapping[str, Any]] = []
        self.waiting_traces = {row.trace_id for row in inputs if row.trace_id}
        self._waiting_feedback = [row.feedback for row in inputs if row.feedback]
        self._traces = self._read_traces()
        self._shapes = self._read_shapes()
        self._procedures = list(Procedure.objects.for_entity(entity).live().order_by("created_at", "pk"))
        self._cited = Cited(entity)
        self._groups = [Group(procedure=procedure) for procedure in self._procedures]
        self._kin = [self._kin_of(procedure) for procedure in self._procedures]

    def _read_traces(self) -> dict[UUID, TaskTrace]:
        """The newest traces, and those that wait; none that waits for another run, or is parked."""
        rows = TaskTrace.objects.for_entity(self.entity)
        waiting = rows.filter(pk__in=self.waiting_traces)
        unread = SkillInput.objects.for_entity(self.entity).filter(consumed_by__isnull=True)
        read = rows.exclude(pk__in=unread.filter(trace__isnull=False).values("trace"))
        newest = read.order_by("-created_at")[:TRACES_LOOKED_AT]
        return {trace.pk: trace for trace in (*newest, *waiting)}

    def _read_shapes(self) -> dict[UUID, Shape]:
        """What the traces are compared by: their actions alone are read."""
        actions: dict[UUID, list[tuple[str, str]]] = {pk: [] for pk in self._traces}
        rows = TraceStep.objects.filter(trace__in=self._traces, kind=TraceStep.Kind.ACTION)
        for trace, tool, text in rows.order_by("position").values_list("trace", "tool_name", "text"):
            actions[trace].append((tool, text))
        return {pk: Shape.of(trace.task, actions[pk]) for pk, trace in self._traces.items()}

    def _kin_of(self, procedure: Procedure) -> Kin:
        kin = Kin([self._shapes[pk] for pk in self._cited.traces(procedure) if pk in self._shapes])
        kin.name(self._cited.names(procedure))
        return kin

    def place_traces(self) -> None:
        """Every trace that no approved version rests on goes to its procedure, or begins a new one."""
        for place, procedure in enumerate(self._procedures):
            drafted = [pk for pk in self._cited.unsettled_traces(procedure) if pk in self._traces]
            self._groups[place].traces += [self._traces[pk] for pk in drafted]
            self._groups[place].is_touched = not self.waiting_traces.isdisjoint(drafted)
        free = [trace for pk, trace in self._traces.items() if pk not in self._cited.all_traces]
        for trace in sorted(free, key=moment_of):
            self._place(trace)

    def _place(self, trace: TaskTrace) -> None:
        shape = self._shapes[trace.pk]
        place = nearest(shape, self._kin)
        if place is None:
            place = len(self._groups)
            self._groups.append(Group())
            self._kin.append(Kin())
        self._kin[place].shapes.append(shape)
        self._groups[place].traces.append(trace)
        self._groups[place].is_touched |= trace.pk in self.waiting_traces

    def place_feedback(self) -> None:
        """Feedback goes to the procedure that it is about, unless it asks for nothing."""
        places = {procedure.pk: place for place, procedure in enumerate(self._procedures)}
        for feedback in self._waiting_feedback:
            version = feedback.procedure_version
            reason = _asks_nothing(feedback, version)
            if reason is None and version is not None and version.procedure_id in places:
                group = self._groups[places[version.procedure_id]]
                group.feedback.append(feedback)
                group.is_touched = True
            else:
                reason = reason or "the procedure is retired"
                self.passed.append(
                    {"outcome": "passed over", "reason": reason, "feedback": [str(feedback.pk)]}
                )

    def touched(self) -> list[Group]:
        """The groups of which something waits, with what their procedures say."""
        found = [group for group in self._groups if group.is_touched]
        for group in found:
            if group.procedure is not None:
                self._complete(group, group.procedure)
        return found

    def _complete(self, group: Group, procedure: Procedure) -> None:
        versions = self._cited.versions[procedure.pk]
        group.active = next((one for one in versions if one.status == Status.ACTIVE), None)
        group.draft = next((one for one in versions if one.status == Status.DRAFT), None)
        group.base = stored_text(group.active) if group.active else None
        group.drafted = stored_text(group.draft) if group.draft else None
        since = group.active.number if group.active else 0
        rejected = [one for one in versions if one.status == Status.REJECTED and one.number > since]
        group.rejected = tuple(_rejected(version) for version in rejected[-REJECTIONS_SHOWN:])
        earlier = Feedback.objects.filter(pk__in=self._cited.unsettled_feedback(procedure))
        known = {feedback.pk for feedback in group.feedback}
        group.feedback += [feedback for feedback in earlier if feedback.pk not in known]
        group.feedback.sort(key=lambda feedback: (feedback.created_at, feedback.pk))


def _rejected(version: ProcedureVersion) -> Rejected:
    review = version.reviews.order_by("-created_at").first()
    return Rejected(review.reason if review else "", stored_text(version))


def _asks_nothing(feedback: Feedback, version: ProcedureVersion | None) -> str | None:
    """Why feedback leads to no draft; None when it may lead to one."""
    if version is None:
        return "it is about no procedure"
    return None if words_of(feedback) else f"{feedback.kind} without words asks for nothing"
