"""The rows behind the skill loop, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, Subquery, Window

from memory.models import (
    Entity,
    Feedback,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Review,
    SkillInput,
    TraceStep,
    Use,
)
from memory.skills.records import Citation
from memory.skills.versions import citations_of

PROCEDURES_SHOWN = 20
VERSIONS_SHOWN = 4
TRACES_SHOWN = 6
USES_SHOWN = 6
FEEDBACK_SHOWN = 12
Status = ProcedureVersion.Status


@dataclass(frozen=True, slots=True)
class Rows:
    """One procedure with the newest of its versions and what belongs to them."""

    procedure: Any
    versions: Sequence[ProcedureVersion]
    """The newest first."""
    has_older: bool
    lines: Mapping[UUID, Sequence[ProcedureLine]]
    """By version; those of versions that were built on are among them."""
    cited: Mapping[UUID, Sequence[Citation]]
    steps: Sequence[TraceStep]
    """All steps of the traces that lines rest on."""
    uses: Sequence[Any]
    feedback: Sequence[Any]


def procedures_of(entity: Entity) -> list[Any]:
    """The newest procedures with `title`, `newest_number`, `active_number` and `draft_number`."""
    versions = ProcedureVersion.objects.filter(procedure=OuterRef("pk")).order_by("-number")
    rows = Procedure.objects.for_entity(entity).annotate(
        title=Subquery(versions.exclude(title="").values("title")[:1]),
        newest_number=Subquery(versions.values("number")[:1]),
        active_number=Subquery(versions.filter(status=Status.ACTIVE).values("number")[:1]),
        draft_number=Subquery(versions.filter(status=Status.DRAFT).values("number")[:1]),
    )
    return list(rows.order_by("-pk")[:PROCEDURES_SHOWN])


def inputs_waiting(entity: Entity) -> int:
    """How many traces and pieces of feedback no draft was made of yet."""
    return SkillInput.objects.for_entity(entity).pending().count()


def rows_of(entity: Entity, procedure: Any, *, before: int | None) -> Rows:
    """What the page of a procedure needs, in seven statements; versions below a number on request."""
    versions, has_older = _versions(procedure, before)
    lines = _lines([*versions, *(row.base for row in versions if row.base is not None)])
    cited = citations_of([line for found in lines.values() for line in found])
    traces = {one.trace for citations in cited.values() for one in citations if one.trace is not None}
    return Rows(
        procedure=procedure,
        versions=versions,
        has_older=has_older,
        lines=lines,
        cited=cited,
        steps=_steps(entity, sorted(traces)[-TRACES_SHOWN:]),
        uses=_uses(entity, versions),
        feedback=_feedback(entity, procedure, cited),
    )


def _versions(procedure: Any, before: int | None) -> tuple[list[ProcedureVersion], bool]:
    reviews = Review.objects.select_related("user", "key").order_by("created_at")
    rows = ProcedureVersion.objects.filter(procedure=procedure).select_related("base")
    rows = rows.prefetch_related(Prefetch("reviews", queryset=reviews))
    asked = rows.filter(number__lt=before) if before else rows
    found = list(asked.order_by("-number")[: VERSIONS_SHOWN + 1])
    return found[:VERSIONS_SHOWN], len(found) > VERSIONS_SHOWN


def _lines(versions: Sequence[ProcedureVersion]) -> Mapping[UUID, Sequence[ProcedureLine]]:
    found: dict[UUID, list[ProcedureLine]] = {row.pk: [] for row in versions}
    rows = ProcedureLine.objects.filter(version__in=list(found), erased_at__isnull=True)
    for line in rows.order_by("position"):
        found[line.version_id].append(line)
    return found


def _steps(entity: Entity, traces: Sequence[UUID]) -> list[TraceStep]:
    rows = TraceStep.objects.for_entity(entity).filter(trace__in=traces).select_related("trace")
    return list(rows.order_by("trace__created_at", "trace", "position"))


def _uses(entity: Entity, versions: Sequence[ProcedureVersion]) -> list[Any]:
    """The newest uses of the versions; each knows how many there are (`total`)."""
    rows = Use.objects.for_entity(entity).filter(procedure_versions__overlap=[row.pk for row in versions])
    told = rows.defer("manifest", "text", "request", "records").annotate(total=Window(Count("*")))
    return list(told.order_by("-created_at", "-pk")[:USES_SHOWN])


def _feedback(entity: Entity, procedure: Any, cited: Mapping[UUID, Sequence[Citation]]) -> list[Any]:
    """What shown lines rest on, and the newest beside it; each knows `total` and whether it waits."""
    rested_on = [one.id for found in cited.values() for one in found if one.kind == "feedback"]
    rows = Feedback.objects.for_entity(entity).filter(
        Q(procedure_version__procedure=procedure) | Q(pk__in=rested_on)
    )
    waits = SkillInput.objects.pending().filter(feedback=OuterRef("pk"))
    told = rows.select_related("user", "key").annotate(total=Window(Count("*")), is_waiting=Exists(waits))
    return list(told.order_by("-created_at", "-pk")[:FEEDBACK_SHOWN])
