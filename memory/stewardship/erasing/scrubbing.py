"""Rows that stay without their words: skills, uses, runs, corrections, names of sessions, the admin's log."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import Exists, OuterRef

from memory.models import (
    Correction,
    Entity,
    Erasure,
    Evidence,
    Feedback,
    ProcedureLine,
    ProcedureVersion,
    Review,
    Run,
    Session,
    Share,
    SkillInput,
    TaskTrace,
    TraceStep,
    Use,
    Work,
)
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.needles import Needles
from memory.stewardship.erasing.parts import delete_rows, found_by, in_parts, update_rows

ERASED = "erased"
"""In place of words where there must be some."""
_PENDING: dict[str, Any] = {"consumed_by": None, "parked_by": None, "parked_at": None}


def scrub_skills(entity: Entity, affected: Affected, now: datetime) -> None:
    """Within the erasing transaction, while the receipts still stand.

    A version that rested on what goes is not handed out any more; what it rested on besides waits to be
    drafted from again.
    """
    _draft_again(entity, affected)
    versions = ProcedureVersion.objects.for_entity(entity)
    hit = affected.procedure_versions
    update_rows(versions.filter(status="active"), hit, status=ProcedureVersion.Status.SUPERSEDED)
    update_rows(versions.filter(status="draft"), hit, status=ProcedureVersion.Status.STALE)
    update_rows(versions, hit, title="", boundary="", incidental=[], erased_at=now)
    update_rows(ProcedureLine.objects.for_entity(entity), affected.procedure_lines, text="", erased_at=now)
    update_rows(Review.objects.for_entity(entity), affected.reviews, reason=ERASED)


def _draft_again(entity: Entity, affected: Affected) -> None:
    lines = ProcedureLine.objects.for_entity(entity)
    of_versions = found_by(lines, "version_id", affected.procedure_versions, "pk")
    receipts = Evidence.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    cited = found_by(receipts, "of_procedure_line_id", of_versions, "trace_step_id", "feedback_id")
    steps = {step for step, _ in cited if step}
    traces = found_by(TraceStep.objects.for_entity(entity), "pk", steps, "trace_id") | affected.traces
    feedback = {row for _, row in cited if row} - affected.feedback
    inputs = SkillInput.objects.for_entity(entity)
    for column, ids in {"trace__in": traces, "feedback__in": feedback}.items():
        for part in in_parts(sorted(ids)):
            inputs.filter(**{column: part}).update(**_PENDING)


def remove_skill_inputs(entity: Entity, affected: Affected) -> None:
    """Steps and feedback that hold erased words, and traces that are left without a step."""
    steps, traces = TraceStep.objects.for_entity(entity), TaskTrace.objects.for_entity(entity)
    of_messages = found_by(steps.filter(message__isnull=False), "trace_id", affected.traces, "trace_id")
    delete_rows(steps, "pk", affected.trace_steps)
    bare = traces.exclude(Exists(TraceStep.objects.filter(trace=OuterRef("pk"))))
    delete_rows(traces, "pk", found_by(bare, "pk", affected.traces, "pk"))
    for part in in_parts(sorted(affected.traces)):
        for trace in traces.filter(pk__in=part):
            _scrub_trace(trace, affected.needles if trace.pk in of_messages else affected.telling)
    delete_rows(Feedback.objects.for_entity(entity), "pk", affected.feedback)


def _scrub_trace(trace: TaskTrace, needles: Needles) -> None:
    trace.note = ""
    if needles.are_in(trace.task):
        trace.task = ERASED
    if needles.are_in(trace.external_id):
        trace.external_id = _free_name(trace.pk)
    trace.save(update_fields=["note", "task", "external_id"])


def scrub_records(entity: Entity, affected: Affected, now: datetime) -> None:
    """Uses, runs, corrections and what is told of them: who, when and which ids stay."""
    update_rows(Use.objects.for_entity(entity), affected.uses, text="", request="", manifest={})
    update_rows(
        Run.objects.for_entity(entity),
        affected.runs,
        decisions=[],
        noop_reason="",
        error_text="",
        raw_answer="",
    )
    update_rows(
        Correction.objects.for_entity(entity),
        affected.corrections,
        reason="",
        before={},
        after={},
        erased_at=now,
    )
    Work.objects.for_entity(entity).update(last_error="")
    update_rows(Erasure.objects.filter(entity=entity), affected.erasures, reason="")
    update_rows(Share.objects.for_entity(entity), affected.shares, reason="")
    for entries in in_parts(sorted(affected.log_entries)):
        LogEntry.objects.filter(pk__in=entries).update(object_repr=ERASED, change_message="")


def rename_sessions(entity: Entity, affected: Affected) -> None:
    """Titles and external ids that hold erased words. A client that knows such an id opens a new session."""
    holds = affected.needles.are_in
    for session in Session.objects.for_entity(entity).filter(pk__in=affected.renamed_sessions):
        session.title = "" if holds(session.title) else session.title
        session.external_id = _free_name(session.pk) if holds(session.external_id) else session.external_id
        session.save(update_fields=["title", "external_id"])


def _free_name(row: UUID) -> str:
    return f"{ERASED}-{row.hex[-12:]}"
