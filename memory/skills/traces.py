"""Traces in: how an agent carried out a task, step by step, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memory.cascade.work import mark_due
from memory.ingest.access import Access
from memory.ingest.attempts import in_transaction
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import TOOL_NAME_LIMIT, Text, VisibleText, read_instant
from memory.ingest.problems import IngestConflict, IngestError, Problem, refused
from memory.ingest.redaction import redact
from memory.ingest.storable import is_blank, text_problem
from memory.models import Entity, Message, Session, Step, TaskTrace, TraceStep
from memory.models.skills import NOTE_LIMIT, TASK_LIMIT, TRACE_STEP_LIMIT

STEPS_PER_TRACE = 200
EXTERNAL_ID_LIMIT = 128
ITEMS_NAME = "steps"


class IncomingStep(BaseModel):
    """One step of a trace as a caller hands it in; `message` is the id of the stored turn that it was."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: Literal["instruction", "action", "result", "check", "note"]
    text: VisibleText = Field(max_length=TRACE_STEP_LIMIT)
    tool_name: Text = Field(default="", max_length=TOOL_NAME_LIMIT)
    message: Annotated[
        UUID | None, BeforeValidator(lambda value: UUID(value) if isinstance(value, str) else value)
    ] = None


@dataclass(frozen=True, slots=True)
class IncomingTrace:
    """A trace as a caller hands it in."""

    task: str
    outcome: str
    steps: tuple[IncomingStep, ...]
    external_id: str = ""
    session: Session | None = None
    note: str = ""
    occurred_at: datetime | None = None

    def redacted(self) -> IncomingTrace:
        """The same without what the settings have taken out of words."""
        steps = (step.model_copy(update={"text": redact(step.text).text}) for step in self.steps)
        task, note = redact(self.task).text, redact(self.note).text
        return replace(self, task=task, note=note, steps=tuple(steps))

    def row(self, entity: Entity) -> TaskTrace:
        """As it is stored, without its steps."""
        return TaskTrace(
            workspace_id=entity.workspace_id,
            entity=entity,
            external_id=self.external_id or None,
            task=self.task,
            outcome=self.outcome,
            note=self.note,
            session=self.session,
            occurred_at=read_instant(self.occurred_at),
        )


def record_trace(
    *,
    entity: Entity,
    task: str,
    outcome: str,
    steps: Sequence[IncomingStep],
    external_id: str = "",
    session: Session | None = None,
    note: str = "",
    occurred_at: datetime | None = None,
) -> TaskTrace:
    """Store a trace of 1 to 200 steps; skill_extract is woken for it. Must not run in a transaction.

    The same `external_id` with the same payload gives the trace that is stored. Raises IngestError naming
    field and step, IngestConflict when the id stands for another payload.
    """
    given = IncomingTrace(task, outcome, tuple(steps), external_id, session, note, occurred_at)
    return _record(lambda: entity, given)


def record_trace_with(*, access: Access, entity_name: str, trace: IncomingTrace) -> TaskTrace:
    """The same for the holder of a key; the entity is made with its first trace, or not at all.

    Raises UnknownEntityError as well: a key that is bound to entities makes no others.
    """

    def entity() -> Entity:
        if access.is_bound:
            return access.entity(entity_name)
        return ensure_entity(workspace=access.workspace, name=entity_name)

    return _record(entity, trace)


def _record(entity: Callable[[], Entity], given: IncomingTrace) -> TaskTrace:
    trace = given.redacted()
    _refuse_problems(trace)
    return in_transaction(lambda: _store(entity(), trace, given))


def wake_skills(entity: Entity) -> None:
    """Within the transaction that stores a trace or feedback: have skill_extract look at it."""
    mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.SKILL_EXTRACT)


def _refuse_problems(trace: IncomingTrace) -> None:
    external_id, steps = trace.external_id, trace.steps
    problems = [
        *_text_problems("task", trace.task, TASK_LIMIT, may_be_blank=False),
        *_text_problems("note", trace.note, NOTE_LIMIT),
        *_text_problems("external_id", external_id, EXTERNAL_ID_LIMIT, may_be_blank=not external_id),
    ]
    if trace.outcome not in TaskTrace.Outcome.values:
        problems.append(Problem(None, "outcome", f"is none of {', '.join(TaskTrace.Outcome.values)}"))
    if not 1 <= len(steps) <= STEPS_PER_TRACE:
        words = f"holds {len(steps)} steps, 1 to {STEPS_PER_TRACE} are taken"
        problems.append(Problem(None, ITEMS_NAME, words))
    # Redaction may have made a step longer than it came.
    problems += [
        Problem(place, "text", f"has {len(step.text)} characters, at most {TRACE_STEP_LIMIT} are stored")
        for place, step in enumerate(steps)
        if len(step.text) > TRACE_STEP_LIMIT
    ]
    if problems:
        raise _named(IngestError(problems))


def _text_problems(field: str, text: str, limit: int, *, may_be_blank: bool = True) -> list[Problem]:
    if not may_be_blank and is_blank(text):
        return [Problem(None, field, "is blank")]
    if len(text) > limit:
        return [Problem(None, field, f"has {len(text)} characters, at most {limit} are stored")]
    problem = text_problem(text)
    return [Problem(None, field, problem)] if problem else []


def _named(error: IngestError) -> IngestError:
    error.items_name = ITEMS_NAME
    return error


def _store(entity: Entity, given: IncomingTrace, as_sent: IncomingTrace) -> TaskTrace:
    """Within a transaction: the stored trace of this external id, or this one.

    What was sent counts as well as what is left of it: it may have come before redaction was switched on.
    """
    known = None
    if given.external_id:
        known = TaskTrace.objects.for_entity(entity).filter(external_id=given.external_id).first()
    if known is not None:
        stored = _payload(known, _stored_steps(known))
        if all(stored != _payload(sent.row(entity), _given_steps(sent.steps)) for sent in (given, as_sent)):
            raise IngestConflict([Problem(None, "external_id", "stands for another trace already")])
        return known
    return _insert(given.row(entity), given.steps)


def _insert(trace: TaskTrace, steps: Sequence[IncomingStep]) -> TaskTrace:
    _refuse_foreign_rows(trace, steps)
    trace.save(force_insert=True)
    TraceStep.objects.bulk_create(
        TraceStep(
            workspace_id=trace.workspace_id,
            entity_id=trace.entity_id,
            trace=trace,
            position=position,
            kind=step.kind,
            tool_name=step.tool_name,
            text=step.text,
            message_id=step.message,
        )
        for position, step in enumerate(steps)
    )
    wake_skills(trace.entity)
    return trace


def _payload(trace: TaskTrace, steps: Sequence[tuple[Any, ...]]) -> tuple[object, ...]:
    return (trace.task, trace.outcome, trace.note, trace.session_id, trace.occurred_at, tuple(steps))


def _stored_steps(trace: TaskTrace) -> list[tuple[Any, ...]]:
    rows = TraceStep.objects.filter(trace=trace).order_by("position")
    return list(rows.values_list("kind", "tool_name", "text", "message_id"))


def _given_steps(steps: Sequence[IncomingStep]) -> list[tuple[Any, ...]]:
    return [(step.kind, step.tool_name, step.text, step.message) for step in steps]


def _refuse_foreign_rows(trace: TaskTrace, steps: Sequence[IncomingStep]) -> None:
    """A trace points to its entity's own session and turns, or is refused."""
    if trace.session is not None and trace.session.entity_id != trace.entity_id:
        raise refused("session", "is no session of this entity")
    wanted = {step.message for step in steps if step.message}
    found = set(Message.objects.for_entity(trace.entity).filter(pk__in=wanted).values_list("pk", flat=True))
    missing = [place for place, step in enumerate(steps) if step.message and step.message not in found]
    if missing:
        words = "is no stored message of this entity"
        raise _named(IngestError([Problem(place, "message", words) for place in missing]))
