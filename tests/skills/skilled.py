"""Traces and feedback of an entity in a line or two, and a model that says what drafts should say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.cascade import work
from memory.cascade.engine import Outcome, drain
from memory.models import Entity, Feedback, ProcedureVersion, Run, Step, TaskTrace
from memory.skills.traces import IncomingStep, record_trace
from memory.stewardship.actors import Actor
from tests.cascade.story import an_entity
from tests.scripted_model import Script, ScriptedModel

PERSON = Actor(name="Robin")
DEPLOY = "Deploy the billing service to production"
DEPLOY_STEPS = (
    ("instruction", "Deploy the billing service to production."),
    ("action", "Ran the test suite"),
    ("action", "Deployed the canary"),
    ("check", "The error rate stayed flat"),
)

__all__ = ["DEPLOY", "PERSON", "an_entity"]


def trace(
    entity: Entity,
    task: str = DEPLOY,
    steps: Sequence[tuple[str, ...]] = DEPLOY_STEPS,
    *,
    outcome: str = "success",
    **values: Any,
) -> TaskTrace:
    """A trace of steps as (kind, text) or (kind, text, tool)."""
    given = [
        IncomingStep.model_validate(dict(zip(("kind", "text", "tool_name"), step, strict=False)))
        for step in steps
    ]
    return record_trace(entity=entity, task=task, outcome=outcome, steps=given, **values)


def feedback(
    version: ProcedureVersion, comment: str = "", kind: str = "correction", **values: Any
) -> Feedback:
    """Feedback on a version, and the step woken for it."""
    row = Feedback.objects.create(
        workspace_id=version.workspace_id,
        entity_id=version.entity_id,
        procedure_version=version,
        kind=kind,
        comment=comment,
        **{"source": "end_user", **values},
    )
    entity = version.entity
    work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.SKILL_EXTRACT)
    return row


def line(section: str, text: str, *sources: str) -> dict[str, Any]:
    """A line of an answer."""
    return {"action": "line", "section": section, "text": text, "sources": list(sources)}


def described(title: str, **values: Any) -> dict[str, Any]:
    """What a draft is about."""
    return {"action": "describe", "title": title, **values}


def learn(entity: Entity, *script: Script) -> ScriptedModel:
    """Run the step with these answers, all of them."""
    model = ScriptedModel(script)
    assert Outcome.FAILED not in run(entity, model)
    mistakes = (
        Run.objects.for_entity(entity).filter(error_kind="internal").values_list("error_text", flat=True)
    )
    assert list(mistakes) == []
    assert model.script == []
    return model


def run(entity: Entity, model: Any) -> list[Outcome]:
    """Run the step now, whatever time was planned."""
    work.flush(entity)
    work.pull_in(entity=entity, step=Step.SKILL_EXTRACT)
    return drain(entity_id=entity.pk, step=Step.SKILL_EXTRACT, model=model)


def draft_of(entity: Entity) -> ProcedureVersion:
    """The one open draft."""
    return ProcedureVersion.objects.for_entity(entity).drafts().select_related("procedure", "entity").get()


def said(version: ProcedureVersion) -> list[tuple[str, str]]:
    """Its lines as (section, text)."""
    return list(version.lines.order_by("position").values_list("section", "text"))


def last_run(entity: Entity) -> Run:
    """The newest run of the step."""
    return Run.objects.for_entity(entity).filter(step=Step.SKILL_EXTRACT).latest("started_at")


def outcomes(entity: Entity) -> list[Mapping[str, Any]]:
    """What the newest run decided, without ids."""
    ids = ("procedure", "traces", "feedback", "answer")
    return [
        {key: value for key, value in note.items() if key not in ids} for note in last_run(entity).decisions
    ]
