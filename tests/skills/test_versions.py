"""Versions as people read them: what they say, what changed, and what each line rests on."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from memory.models import Entity, ProcedureLine, ProcedureVersion, Review
from memory.skills.review import approve
from memory.skills.versions import difference_of, lines_of, rendered
from memory.stewardship.actors import RefusedChangeError
from tests.skills.skilled import PERSON, an_entity, described, draft_of, feedback, learn, line, trace


@pytest.fixture
def entity(db: None) -> Entity:
    return an_entity()


def first_draft(entity: Entity) -> ProcedureVersion:
    trace(entity)
    answer = {
        "items": [
            described("Deploy a service"),
            line("procedure", "Run the tests.", "t1.s2"),
            line("procedure", "Deploy the canary.", "t1.s3"),
        ]
    }
    learn(entity, answer)
    return draft_of(entity)


def test_a_first_version_is_all_new_with_what_each_line_rests_on(entity: Entity) -> None:
    draft = first_draft(entity)
    found = difference_of(None, draft)
    assert (found.title, found.boundary, found.is_empty) == (("", "Deploy a service"), None, False)
    assert [(one.change, one.section, one.after) for one in found.lines] == [
        ("added", "procedure", "Run the tests."),
        ("added", "procedure", "Deploy the canary."),
    ]
    [citation] = found.lines[0].citations
    step = lines_of(draft)[0].evidence.get().trace_step
    assert (citation.kind, citation.id, citation.says, citation.of, citation.trace) == (
        "trace_step",
        step.pk,
        "Ran the test suite",
        "Deploy the billing service to production",
        step.trace_id,
    )


def test_the_next_version_is_told_line_by_line(entity: Entity, django_assert_num_queries: Any) -> None:
    active = approve(draft=first_draft(entity), actor=PERSON, base=None)
    feedback(active, "attach a plan", expected="a plan", actual="nothing")
    items = [
        line("procedure", "Deploy the canary slowly.", "v.l2", "f1"),
        {"action": "remove", "sources": ["v.l1"], "reason": "the pipeline does it"},
        line("validation", "A plan is attached.", "f1"),
    ]
    learn(entity, {"items": items})
    draft = draft_of(entity)
    with django_assert_num_queries(3):
        found = difference_of(active, draft)
    assert [(one.change, one.before, one.after) for one in found.lines] == [
        ("removed", "Run the tests.", ""),
        ("reworded", "Deploy the canary.", "Deploy the canary slowly."),
        ("added", "", "A plan is attached."),
    ]
    says = [(one.kind, one.says, one.of) for one in found.lines[2].citations]
    assert says == [
        ("feedback", "attach a plan; expected: a plan; actual: nothing", "correction from end_user")
    ]
    assert difference_of(active, active).is_empty


def test_erased_lines_are_not_shown(entity: Entity) -> None:
    version = approve(draft=first_draft(entity), actor=PERSON, base=None)
    ProcedureLine.objects.filter(version=version, position=0).update(text="", erased_at=timezone.now())
    assert rendered(version) == "# Deploy a service\n\n## Procedure\n\n1. Deploy the canary.\n"
    assert [one.after for one in difference_of(None, version).lines] == ["Deploy the canary."]


@pytest.mark.django_db(transaction=True)
def test_of_two_approvals_at_once_one_is_refused() -> None:
    draft = first_draft(an_entity())
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def decide() -> None:
        try:
            start.wait()
            approve(draft=ProcedureVersion.objects.get(pk=draft.pk), actor=PERSON, base=None)
            outcomes.append("approved")
        except RefusedChangeError:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=decide) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["approved", "refused"]
    assert Review.objects.count() == 1
