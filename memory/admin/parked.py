"""Batches that failed for good: the run's error and raw answer, its inputs, and the way back in line."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from memory.admin.links import id_link
from memory.admin.membership import Duty, may, visible
from memory.cascade.work import INPUTS
from memory.models import Run, Step

MOST_INPUTS = 200
ANSWER_SHOWN = 4_000
INPUTS_SHOWN = 12


@dataclass
class Batch:
    """What one run parked."""

    run_id: UUID | None
    step: Step
    entity: Any
    since: datetime
    run: Run | None = None
    inputs: list[UUID | int] = field(default_factory=list)

    @property
    def links(self) -> list[str]:
        """The first inputs, each a link to its page."""
        table = str(INPUTS[self.step]._meta.model_name)
        return [
            id_link(table, pk) if isinstance(pk, UUID) else f"{table} {pk}"
            for pk in self.inputs[:INPUTS_SHOWN]
        ]

    @property
    def more(self) -> int:
        """Inputs beyond those that are linked."""
        return max(0, len(self.inputs) - INPUTS_SHOWN)


def parked_view(request: HttpRequest) -> HttpResponse:
    """All parked batches of the person's workspaces, the oldest first, each with what went wrong.

    One statement for each kind of input and one for their runs, whatever there is.
    """
    batches = parked_batches(request)
    context = {
        **admin.site.each_context(request),
        "title": "Parked batches",
        "batches": batches,
        "may_retry": any(may(request, Duty.RETRY, batch.entity.workspace_id) for batch in batches),
        "most": MOST_INPUTS,
    }
    return TemplateResponse(request, "admin/memory/work/parked.html", context)


def parked_batches(request: HttpRequest) -> list[Batch]:
    """Parked inputs, by the run that parked them."""
    found: list[Batch] = []
    for step, model in INPUTS.items():
        rows = visible(request, model.objects.parked(), "workspace")
        found += _batches(step, rows.filter(entity__shadow_of__isnull=True))
    runs = _runs([batch.run_id for batch in found if batch.run_id])
    for batch in found:
        batch.run = runs.get(batch.run_id) if batch.run_id else None
    return sorted(found, key=lambda batch: batch.since)


def _batches(step: Step, parked: QuerySet[Any]) -> list[Batch]:
    rows = (
        parked.select_related("entity").only("pk", "parked_at", "parked_by", "entity").order_by("parked_at")
    )
    by_run: defaultdict[tuple[UUID | None, UUID], list[Any]] = defaultdict(list)
    for row in rows[:MOST_INPUTS]:
        by_run[row.parked_by_id, row.entity_id].append(row)
    return [
        Batch(run, step, some[0].entity, some[0].parked_at, inputs=[row.pk for row in some])
        for (run, _), some in by_run.items()
    ]


def _runs(ids: list[UUID]) -> Mapping[UUID, Run]:
    """The runs with the beginning of what they answered; retention may have removed some."""
    heavy = ("inputs", "outputs", "decisions", "raw_answer")
    rows = Run.objects.filter(pk__in=ids).defer(*heavy).annotate(answered=Left("raw_answer", ANSWER_SHOWN))
    return {run.pk: run for run in rows}
