"""From a use to the next draft, with a model that is told what to say and shown what it may cite."""

from __future__ import annotations

import pytest

from memory.models import Entity, Feedback, ProcedureVersion, SkillInput
from memory.recall.context import ContextRequest, render_context
from memory.skills.feedback import give_feedback
from memory.skills.review import approve
from memory.skills.uses import record_context
from memory.skills.versions import difference_of
from tests.skills.skilled import DEPLOY, PERSON, an_entity, described, learn, line, trace

ASKED = "attach a rollback plan"
FIRST = (
    described("Deploy a service", boundary="From the request to a calm error rate."),
    line("when", "A service is to be deployed to production.", "t1.s1"),
    line("procedure", "Run the test suite.", "t1.s2"),
    line("procedure", "Deploy the canary.", "t1.s3"),
    line("validation", "The error rate stays flat.", "t1.s4"),
)
NEXT = (line("procedure", "Attach a rollback plan.", "f1"),)


@pytest.fixture
def entity(transactional_db: None) -> Entity:
    return an_entity()


def context_of(entity: Entity) -> tuple[str, ProcedureVersion | None]:
    """What an agent gets for the task, and the only version in it."""
    context = render_context(entity, ContextRequest(DEPLOY, uses_meaning=False))
    use = record_context(entity=entity, context=context, task=DEPLOY)
    versions = list(ProcedureVersion.objects.filter(pk__in=use.procedure_versions))
    return context.text, versions[0] if versions else None


def test_feedback_on_a_use_stands_in_the_next_draft_and_is_cited(entity: Entity) -> None:
    trace(entity)
    learn(entity, {"items": list(FIRST)})
    draft = ProcedureVersion.objects.drafts().get()
    assert context_of(entity)[1] is None
    first = approve(draft=draft, actor=PERSON, base=None)
    assert context_of(entity)[1] == first

    context = render_context(entity, ContextRequest(DEPLOY, uses_meaning=False))
    use = record_context(entity=entity, context=context, task=DEPLOY)
    said = give_feedback(
        entity=entity, use=use, kind="correction", source="end_user", comment=ASKED, actor=PERSON
    )
    assert (said.procedure_version, SkillInput.objects.pending().get().feedback) == (first, said)
    model = learn(entity, {"items": list(NEXT)})
    assert ASKED in model.requests[0].user

    following = ProcedureVersion.objects.drafts().get()
    change = difference_of(first, following)
    assert [(row.change, row.section, row.after) for row in change.lines if row.change != "unchanged"] == [
        ("added", "procedure", "Attach a rollback plan.")
    ]
    [cited] = [row.citations for row in change.lines if row.after == "Attach a rollback plan."]
    assert [(row.kind, row.id, row.says) for row in cited] == [("feedback", said.pk, ASKED)]
    assert "Attach a rollback plan." not in context_of(entity)[0]
    second = approve(draft=following, actor=PERSON, base=1)
    text, handed_out = context_of(entity)
    assert handed_out == second
    assert "Attach a rollback plan." in text


def test_a_draft_that_ignores_the_feedback_is_asked_once_more(entity: Entity) -> None:
    trace(entity)
    learn(entity, {"items": list(FIRST)})
    first = approve(draft=ProcedureVersion.objects.drafts().get(), actor=PERSON, base=None)
    give_feedback(
        entity=entity,
        procedure_version=first,
        kind="thumbs_down",
        source="operator",
        comment=ASKED,
        actor=PERSON,
    )
    uncited = line("procedure", "Attach a rollback plan.", "t9.s1")
    model = learn(entity, {"items": [uncited]}, {"items": list(NEXT)})
    assert len(model.requests) == 2
    assert Feedback.objects.get().cited_by.count() == 1
