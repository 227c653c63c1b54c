"""Traces, procedures, versions, uses and feedback as JSON values.

In pages `next_after` leads to the next page; it is null on the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import id_cursor
from memory.api.encoding import fields_of
from memory.models import Entity, Procedure
from memory.recall.short_ids import short_id
from memory.skills.records import (
    FeedbackRecord,
    InputState,
    LineRecord,
    Page,
    ProcedureSummary,
    TraceRecord,
    UseRecord,
    VersionDifference,
    VersionRecord,
    VersionSummary,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTraceBody(TraceRecord):
    """How a task was carried out, and whether it has been learnt from."""

    entity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTraceBody(TaskTraceBody):
    """A trace that was stored."""

    redacted: Mapping[str, int]
    """How much of which kind was taken out of its words before."""


class TracesBody(TypedDict):
    """A page of traces, newest first."""

    entity: str
    traces: tuple[TraceRecord, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionNameBody(VersionSummary):
    """A version of a procedure by name, and what became of it."""

    short_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionBody(VersionNameBody):
    """A version in full: what it says, what each line rests on, and what it changes."""

    entity: str
    boundary: str
    incidental: tuple[str, ...]
    """Details of single tasks that were left out of it on purpose."""
    lines: tuple[LineRecord, ...]
    markdown: str
    difference: VersionDifference
    """To the version that it was drafted on; to nothing, for a first one."""


class ProcedureBody(TypedDict):
    """A procedure by its active version and the draft that waits, if there are any."""

    id: UUID
    slug: str
    status: str
    active: VersionNameBody | None
    draft: VersionNameBody | None
    created_at: datetime


class NamedProcedureBody(ProcedureBody):
    """A procedure, and whose it is."""

    entity: str


class ProceduresBody(TypedDict):
    """A page of procedures, newest first."""

    entity: str
    procedures: list[ProcedureBody]
    next_after: str | None


class VersionsBody(TypedDict):
    """A page of a procedure's versions, newest first."""

    procedure: UUID
    versions: list[VersionNameBody]
    next_after: str | None


class DraftsBody(TypedDict):
    """A page of drafts that wait for a review, newest first."""

    entity: str
    drafts: list[VersionNameBody]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UseBody(UseRecord):
    """What was handed out once."""

    entity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOutBody(UseBody):
    """A procedure that was handed out."""

    markdown: str
    """For the agent."""


class UsesBody(TypedDict):
    """A page of what was handed out, newest first."""

    entity: str
    uses: tuple[UseRecord, ...]
    next_after: str | None


class FeedbackBody(TypedDict):
    """What somebody said, of what, and whether it has been learnt from."""

    id: UUID
    use: UUID | None
    procedure_version: UUID | None
    kind: str
    source: str
    score: float | None
    """From 0 to 1."""
    label: str
    comment: str
    expected: str
    actual: str
    by: str
    state: InputState
    created_at: datetime


class StoredFeedbackBody(FeedbackBody):
    """Feedback that was stored."""

    entity: str
    redacted: Mapping[str, int]
    """How much of which kind was taken out of its words before."""


class FeedbackListBody(TypedDict):
    """A page of feedback, newest first."""

    entity: str
    feedback: list[FeedbackBody]
    next_after: str | None


def trace_body(entity: Entity, record: TraceRecord) -> TaskTraceBody:
    """The body of `/traces/{id}`."""
    return TaskTraceBody(**fields_of(record), entity=entity.name)


def stored_trace_body(entity: Entity, record: TraceRecord, redacted: Mapping[str, int]) -> StoredTraceBody:
    """The body of a stored trace."""
    return StoredTraceBody(**fields_of(record), entity=entity.name, redacted=dict(redacted))


def traces_body(entity: Entity, page: Page[TraceRecord]) -> TracesBody:
    """The body of `/traces`."""
    return {
        "entity": entity.name,
        "traces": page.items,
        "next_after": id_cursor("traces", page.next_after),
    }


def version_name(record: VersionSummary) -> VersionNameBody:
    """A version by name."""
    return VersionNameBody(**fields_of(record), short_id=short_id(record.id))


def version_body(entity_name: str, record: VersionRecord) -> VersionBody:
    """A version in full."""
    told = fields_of(record)
    summary = told.pop("summary")
    return VersionBody(**fields_of(summary), **told, entity=entity_name, short_id=short_id(summary.id))


def procedure_value(record: ProcedureSummary) -> ProcedureBody:
    """A procedure by its active version and its draft."""
    return {
        "id": record.id,
        "slug": record.slug,
        "status": record.status,
        "active": version_name(record.active) if record.active else None,
        "draft": version_name(record.draft) if record.draft else None,
        "created_at": record.created_at,
    }


def procedure_body(entity: Entity, record: ProcedureSummary) -> NamedProcedureBody:
    """The body of `/procedures/{id}`."""
    return {**procedure_value(record), "entity": entity.name}


def procedures_body(entity: Entity, page: Page[ProcedureSummary]) -> ProceduresBody:
    """The body of `/procedures`."""
    return {
        "entity": entity.name,
        "procedures": [procedure_value(record) for record in page.items],
        "next_after": id_cursor("procedures", page.next_after),
    }


def versions_body(procedure: Procedure, page: Page[VersionSummary]) -> VersionsBody:
    """The body of `/procedures/{id}/versions`."""
    return {
        "procedure": procedure.pk,
        "versions": [version_name(record) for record in page.items],
        "next_after": id_cursor("versions", page.next_after),
    }


def drafts_body(entity: Entity, page: Page[VersionSummary]) -> DraftsBody:
    """The body of `/drafts`."""
    return {
        "entity": entity.name,
        "drafts": [version_name(record) for record in page.items],
        "next_after": id_cursor("drafts", page.next_after),
    }


def use_body(entity: Entity, record: UseRecord) -> UseBody:
    """The body of `/uses/{id}`."""
    return UseBody(**fields_of(record), entity=entity.name)


def handed_out_body(entity: Entity, record: UseRecord, markdown: str) -> HandedOutBody:
    """The body of a procedure that was handed out."""
    return HandedOutBody(**fields_of(record), entity=entity.name, markdown=markdown)


def uses_body(entity: Entity, page: Page[UseRecord]) -> UsesBody:
    """The body of `/uses`."""
    return {"entity": entity.name, "uses": page.items, "next_after": id_cursor("uses", page.next_after)}


def feedback_value(record: FeedbackRecord) -> FeedbackBody:
    """What was said of it; the score as a number."""
    return {
        "id": record.id,
        "use": record.use,
        "procedure_version": record.procedure_version,
        "kind": record.kind,
        "source": record.source,
        "score": None if record.score is None else float(record.score),
        "label": record.label,
        "comment": record.comment,
        "expected": record.expected,
        "actual": record.actual,
        "by": record.by,
        "state": record.state,
        "created_at": record.created_at,
    }


def stored_feedback_body(
    entity: Entity, record: FeedbackRecord, redacted: Mapping[str, int]
) -> StoredFeedbackBody:
    """The body of stored feedback."""
    return {**feedback_value(record), "entity": entity.name, "redacted": dict(redacted)}


def feedback_body(entity: Entity, page: Page[FeedbackRecord]) -> FeedbackListBody:
    """The body of `/feedback`."""
    return {
        "entity": entity.name,
        "feedback": [feedback_value(record) for record in page.items],
        "next_after": id_cursor("feedback", page.next_after),
    }
