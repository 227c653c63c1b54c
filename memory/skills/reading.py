"""Reading skills for the doors: pages of traces, procedures, drafts, uses and feedback, and versions in full.

Pages hold the newest first and take a number of statements that does not depend on their length.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Prefetch, QuerySet

from memory.ingest.access import Access
from memory.models import (
    Entity,
    Feedback,
    Procedure,
    ProcedureVersion,
    Review,
    SkillInput,
    TaskTrace,
    Use,
)
from memory.models.base import Owned, OwnedQuerySet
from memory.recall.trace import NoRecordError
from memory.skills.records import (
    FeedbackRecord,
    InputState,
    LineRecord,
    Page,
    ProcedureSummary,
    ReviewRecord,
    TraceRecord,
    TraceStepRecord,
    UseRecord,
    VersionRecord,
    VersionSummary,
)
from memory.skills.versions import citations_of, difference_of, lines_of, rendered

Row = TypeVar("Row", bound=Owned)
Record = TypeVar("Record")
Status = ProcedureVersion.Status


def opened(rows: OwnedQuerySet[Row], access: Access, id: UUID, *, is_reading: bool = False) -> Row:
    """The row of this id among those of entities that a key opens; NoRecordError for any other.

    With `is_reading` also among those of entities that are shared with the key's own: nothing may be written
    then.
    """
    reached = rows.for_workspace(access.workspace.pk).filter(pk=id, entity__shadow_of__isnull=True)
    found = reached.select_related("entity").first()
    is_reached = access.reads if is_reading else access.opens
    if found is None or not is_reached(found.entity_id):
        raise NoRecordError(str(id))
    found.entity.workspace = access.workspace
    return found


def version_of(entity: Entity, id: UUID) -> ProcedureVersion:
    """The entity's version of this id; NoRecordError for any other."""
    found = ProcedureVersion.objects.for_entity(entity).filter(pk=id).first()
    if found is None:
        raise NoRecordError(str(id))
    return found


def list_traces(entity: Entity, *, after: UUID | None, limit: int) -> Page[TraceRecord]:
    """A page of traces with their steps."""
    rows = TaskTrace.objects.for_entity(entity).prefetch_related("steps")
    return _page(rows, after, limit, trace_records)


def trace_records(traces: Iterable[TaskTrace]) -> tuple[TraceRecord, ...]:
    """Traces as records, in their order."""
    found = list(traces)
    states = _states("trace_id", found)
    return tuple(_trace(trace, states.get(trace.pk, "done")) for trace in found)


def list_procedures(
    entity: Entity,
    *,
    statuses: Iterable[str],
    among: Collection[UUID] | None = None,
    after: UUID | None,
    limit: int,
) -> Page[ProcedureSummary]:
    """A page of procedures, each with its active version and its waiting draft; `among` names some alone."""
    rows = Procedure.objects.for_entity(entity).filter(status__in=list(statuses))
    if among is not None:
        rows = rows.filter(pk__in=among)
    return _page(rows.prefetch_related(_current()), after, limit, _procedures)


def procedure_record(procedure: Procedure) -> ProcedureSummary:
    """One procedure; four statements."""
    rows = Procedure.objects.for_entity(procedure.entity).filter(pk=procedure.pk)
    [found] = _procedures(rows.prefetch_related(_current()))
    return found


def list_versions(procedure: Procedure, *, after: UUID | None, limit: int) -> Page[VersionSummary]:
    """A page of a procedure's versions."""
    return _page(_with_reviews(procedure.versions.all()), after, limit, _versions)


def list_drafts(entity: Entity, *, after: UUID | None, limit: int) -> Page[VersionSummary]:
    """A page of the drafts that wait for a review."""
    rows = ProcedureVersion.objects.for_entity(entity).drafts()
    return _page(_with_reviews(rows), after, limit, _versions)


def version_record(version: ProcedureVersion) -> VersionRecord:
    """A version in full; a number of statements that does not depend on its length."""
    [row] = _with_reviews(ProcedureVersion.objects.filter(pk=version.pk))
    lines = lines_of(row)
    cited = citations_of(lines)
    return VersionRecord(
        summary=_version(row),
        boundary=row.boundary,
        incidental=tuple(map(str, row.incidental)),
        lines=tuple(LineRecord(line.pk, line.section, line.text, cited.get(line.pk, ())) for line in lines),
        markdown=rendered(row),
        difference=difference_of(row.base, row),
    )


def list_uses(entity: Entity, *, after: UUID | None, limit: int) -> Page[UseRecord]:
    """A page of what was handed out; expired uses are among them until they are removed."""
    return _page(Use.objects.for_entity(entity), after, limit, lambda rows: tuple(map(use_record, rows)))


def use_record(use: Use) -> UseRecord:
    """A use as a record."""
    return UseRecord(
        id=use.pk,
        kind=use.kind,
        sha256=use.sha256,
        tokens=use.tokens,
        procedure_versions=tuple(use.procedure_versions),
        records=tuple(use.records),
        manifest=use.manifest,
        text=use.text,
        request=use.request,
        session=use.session_id,
        created_at=use.created_at,
        expires_at=use.expires_at,
    )


def list_feedback(
    entity: Entity, *, use: UUID | None, procedure: UUID | None, after: UUID | None, limit: int
) -> Page[FeedbackRecord]:
    """A page of feedback; of one use or about one procedure, where these are given."""
    wanted = {"use": use, "procedure_version__procedure": procedure}
    rows = Feedback.objects.for_entity(entity).filter(
        **{name: id for name, id in wanted.items() if id is not None}
    )
    return _page(rows.select_related("user", "key"), after, limit, feedback_records)


def feedback_records(given: Iterable[Feedback]) -> tuple[FeedbackRecord, ...]:
    """Feedback as records, in its order."""
    found = list(given)
    states = _states("feedback_id", found)
    return tuple(_feedback(row, states.get(row.pk, "done")) for row in found)


def _page(
    rows: QuerySet[Any, Any],
    after: UUID | None,
    limit: int,
    records: Callable[[Iterable[Any]], tuple[Record, ...]],
) -> Page[Record]:
    rest = rows if after is None else rows.filter(pk__lt=after)
    found = list(rest.order_by("-pk")[: limit + 1])
    shown = found[:limit]
    return Page(records(shown), shown[-1].pk if len(found) > limit else None)


def _states(column: str, rows: Iterable[Owned]) -> Mapping[UUID, InputState]:
    """Which of the rows skill_extract has in front of it still; one statement."""
    inputs = SkillInput.objects.filter(**{f"{column}__in": [row.pk for row in rows]})
    waiting = inputs.filter(consumed_by__isnull=True)
    return {
        row: "waiting" if parked_at is None else "parked"
        for row, parked_at in waiting.values_list(column, "parked_at")
    }


def _with_reviews(rows: QuerySet[ProcedureVersion]) -> QuerySet[ProcedureVersion]:
    reviews = Review.objects.select_related("user", "key").order_by("created_at")
    return rows.select_related("base", "entity").prefetch_related(Prefetch("reviews", queryset=reviews))


def _current() -> Prefetch[Any]:
    """The versions that a procedure is told by."""
    rows = ProcedureVersion.objects.filter(status__in=[Status.ACTIVE, Status.DRAFT])
    return Prefetch("versions", queryset=_with_reviews(rows), to_attr="current")


def _procedures(rows: Iterable[Any]) -> tuple[ProcedureSummary, ...]:
    return tuple(_procedure(row) for row in rows)


def _procedure(row: Any) -> ProcedureSummary:
    by_status = {version.status: _version(version) for version in row.current}
    return ProcedureSummary(
        id=row.pk,
        slug=row.slug,
        status=row.status,
        active=by_status.get(Status.ACTIVE),
        draft=by_status.get(Status.DRAFT),
        created_at=row.created_at,
    )


def _versions(rows: Iterable[ProcedureVersion]) -> tuple[VersionSummary, ...]:
    return tuple(_version(row) for row in rows)


def _version(row: ProcedureVersion) -> VersionSummary:
    return VersionSummary(
        id=row.pk,
        procedure=row.procedure_id,
        number=row.number,
        status=row.status,
        title=row.title,
        base=row.base.number if row.base is not None else None,
        created_at=row.created_at,
        reviews=tuple(
            ReviewRecord(review.verdict, review.reason, who(review), review.created_at)
            for review in row.reviews.all()
        ),
    )


def who(row: Review | Feedback) -> str:
    """Who decided or said it: an account, a name at a terminal, or a key by its label; empty when gone."""
    if row.user is not None:
        return row.user.get_username()
    name = row.by if isinstance(row, Review) else ""
    return name or (row.key.label if row.key is not None else "")


def _trace(trace: TaskTrace, state: InputState) -> TraceRecord:
    return TraceRecord(
        id=trace.pk,
        external_id=trace.external_id or "",
        task=trace.task,
        outcome=trace.outcome,
        note=trace.note,
        session=trace.session_id,
        state=state,
        occurred_at=trace.occurred_at,
        created_at=trace.created_at,
        steps=tuple(
            TraceStepRecord(step.pk, step.kind, step.tool_name, step.text, step.message_id)
            for step in sorted(trace.steps.all(), key=lambda step: step.position)
        ),
    )


def _feedback(row: Feedback, state: InputState) -> FeedbackRecord:
    names = ("kind", "source", "score", "label", "comment", "expected", "actual", "created_at")
    return FeedbackRecord(
        id=row.pk,
        use=row.use_id,
        procedure_version=row.procedure_version_id,
        by=who(row),
        state=state,
        **{name: getattr(row, name) for name in names},
    )
