"""Traces of runs, uses and procedures, which stand beside the ladder."""

from uuid import UUID

import pytest
from django.http import Http404
from django.test import Client

from memory.models import Entity, Evidence, Feedback, ProcedureLine, ProcedureVersion, TaskTrace, Use
from memory.skills.review import approve
from showcase.access import Place, Scope
from showcase.links import record_url, trace_url
from showcase.records.traces import TracePage, trace_page
from tests.cascade.story import an_entity
from tests.factories import make_run
from tests.showcase.records.conftest import Told
from tests.showcase.skills.looping import learn, use_and_say
from tests.showcase.statements import STATEMENTS_LIMIT, statements
from tests.skills.skilled import PERSON, trace


def page_of(entity: Entity, id: UUID) -> TracePage:
    return trace_page(Scope(entity, Place.DEMO), id)


def kinds(page: TracePage) -> tuple[list[str], list[str]]:
    return [branch.kind for branch in page.below], [branch.kind for branch in page.above]


@pytest.fixture
def active(transactional_db: None) -> ProcedureVersion:
    """A version that was drafted from two traces, approved, used, and of which something was said."""
    entity = an_entity("agent.alice-demo")
    for _ in range(2):
        trace(entity)
    learn(entity)
    draft = ProcedureVersion.objects.drafts().select_related("procedure__entity__workspace").get()
    version = approve(draft=draft, actor=PERSON, base=None)
    use_and_say(version)
    learn(entity)
    return version


def test_a_run_is_traced_to_what_it_read_and_what_it_wrote(told: Told, client: Client) -> None:
    gone = "00000000-0000-0000-0000-00000000000a"
    run = make_run(
        told.entity,
        model="quiet-model",
        inputs={"messages": [str(told.messages[0].pk), gone], "note": "no list"},
        outputs={"atoms": [str(told.rule.pk)], "scene_versions": [str(told.head.pk)], "odd": ["x", 1]},
    )
    page = page_of(told.entity, run.pk)
    assert (page.root.kind, page.root.text, page.own_url) == ("run", "L1 Extract", "")
    assert [(one.kind, one.id, one.text, one.layer) for one in page.below] == [
        ("message", told.messages[0].pk, told.messages[0].text, "L0")
    ]
    assert [(one.kind, one.id, one.layer) for one in page.above] == [
        ("atom", told.rule.pk, "L1"),
        ("scene version", told.head.pk, "L2"),
    ]
    assert "quiet-model" in page.outline.text
    scope = Scope(told.entity, Place.DEMO)
    content = client.get(trace_url(scope, run.pk)).content.decode()
    assert ("What it read" in content, "What it wrote" in content) == (True, True)


def test_records_lead_to_the_run_that_made_or_read_them(told: Told, client: Client) -> None:
    scope = Scope(told.entity, Place.DEMO)
    for url, run in (
        (record_url(scope, "atom", told.rule.pk), told.rule.run_id),
        (record_url(scope, "message", told.messages[0].pk), told.rule.run_id),
        (record_url(scope, "scene", told.head.scene_id), told.head.run_id),
    ):
        assert run is not None
        assert f'href="{trace_url(scope, run)}"' in client.get(url).content.decode()


def test_everything_of_the_skill_loop_has_a_trace(active: ProcedureVersion, client: Client) -> None:
    entity, use = active.entity, Use.objects.get()
    said, line = Feedback.objects.get(), active.lines.first()
    assert line is not None
    receipt = Evidence.objects.filter(of_procedure_line__version=active, trace_step__isnull=False).first()
    assert receipt is not None
    assert receipt.trace_step is not None
    seen = {
        "use": kinds(page_of(entity, use.pk)),
        "feedback": kinds(page_of(entity, said.pk)),
        "version": kinds(page_of(entity, active.pk)),
        "procedure": kinds(page_of(entity, active.procedure_id)),
    }
    lines = ProcedureLine.objects.filter(version=active).count()
    over = Evidence.objects.filter(feedback=said).values("of_procedure_line").distinct().count()
    assert seen == {
        "use": (["procedure version"], ["feedback"]),
        "feedback": (["use", "procedure version"], ["procedure line"] * over),
        "version": (["procedure"] + ["procedure line"] * lines, ["use"]),
        "procedure": (["procedure version"] * 2, []),
    }
    assert over > 0
    assert set(kinds(page_of(entity, line.pk))[0]) <= {"trace step", "feedback", "correction"}
    below, above = kinds(page_of(entity, receipt.trace_step.pk))
    assert (below, set(above)) == (["task trace"], {"procedure line"})
    task = TaskTrace.objects.filter(steps=receipt.trace_step).get()
    assert set(kinds(page_of(entity, task.pk))[0]) == {"trace step"}
    scope = Scope(entity, Place.DEMO)
    assert page_of(entity, active.procedure_id).own_url == record_url(scope, "procedure", active.procedure_id)
    for id in (use.pk, said.pk, active.pk, active.procedure_id, line.pk, receipt.trace_step.pk, task.pk):
        assert statements(client, trace_url(scope, id)) <= STATEMENTS_LIMIT


def test_of_other_memories_nothing_is_found(told: Told, bob: Entity) -> None:
    run = make_run(bob)
    with pytest.raises(Http404):
        page_of(told.entity, run.pk)
    mine = make_run(told.entity, inputs={"runs": [str(run.pk)]})
    assert page_of(told.entity, mine.pk).below == ()
