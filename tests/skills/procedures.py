"""Procedures for tests, as people have approved them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from memory.models import (
    Entity,
    Evidence,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Review,
    TaskTrace,
    TraceStep,
)
from memory.models.base import new_id

DEPLOY: Mapping[str, Sequence[str]] = {
    "when": ["A service is to be deployed to production."],
    "when_not": ["The deploy goes to staging alone."],
    "procedure": ["Ask for a written approval.", "Run the release checklist.", "Deploy one route at a time."],
    "validation": ["Telemetry shows no errors for ten minutes."],
    "escalation": ["Page the owner of the service when a check fails."],
}


def make_trace(entity: Entity, task: str = "Deploy the billing service", **values: Any) -> TaskTrace:
    """A trace of one step."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    trace = TaskTrace.objects.create(**owner, task=task, **({"outcome": "success"} | values))
    TraceStep.objects.create(**owner, trace=trace, position=0, kind="action", text="Ran the checklist.")
    return trace


@transaction.atomic
def make_procedure(
    entity: Entity,
    title: str = "Deploying a service",
    sections: Mapping[str, Sequence[str]] = DEPLOY,
    *,
    by: str | None = "Olivia",
    at: datetime | None = None,
    **values: Any,
) -> ProcedureVersion:
    """An active first version of a procedure with its review; with `by=None` without one."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    procedure = Procedure.objects.create(**owner, slug=f"p{new_id().hex[-12:]}")
    version = make_procedure_version(procedure, title, sections, **({"status": "active"} | values))
    if by is not None:
        times = {} if at is None else {"created_at": at}
        Review.objects.create(**owner, version=version, verdict="approved", by=by, **times)
    return version


@transaction.atomic
def make_procedure_version(
    procedure: Procedure,
    title: str = "Deploying a service",
    sections: Mapping[str, Sequence[str]] = DEPLOY,
    **values: Any,
) -> ProcedureVersion:
    """Another version, a draft unless told otherwise; its lines rest on a trace of its own."""
    owner = {"workspace_id": procedure.workspace_id, "entity": procedure.entity}
    step = make_trace(procedure.entity).steps.get()
    version = ProcedureVersion.objects.create(
        **owner,
        procedure=procedure,
        title=title,
        **({"number": procedure.versions.count() + 1} | values),
    )
    texts = [(section, text) for section, lines in sections.items() for text in lines]
    for position, (section, text) in enumerate(texts):
        line = ProcedureLine.objects.create(
            **owner, version=version, section=section, position=position, text=text
        )
        Evidence.objects.create(**owner, of_procedure_line=line, trace_step=step)
    return version
