"""skill_extract: what waits leads to drafts, each input to one, and every failure is seen."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.engine import drain
from memory.cascade.sweeping import sweep
from memory.models import Entity, Evidence, Procedure, ProcedureVersion, SkillInput, Step, TaskTrace, Work
from memory.skills.review import approve, edit_and_approve, reject, retire_procedure
from memory.skills.versions import active_version, rendered
from tests.scripted_model import ScriptedModel
from tests.skills.skilled import (
    PERSON,
    an_entity,
    described,
    draft_of,
    feedback,
    last_run,
    learn,
    line,
    outcomes,
    run,
    said,
    trace,
)

pytestmark = pytest.mark.django_db

INVOICE = (
    ("instruction", "Send the monthly invoice to the customer."),
    ("action", "Looked up open orders"),
    ("action", "Wrote the invoice"),
)


@pytest.fixture
def entity() -> Entity:
    return an_entity()


def answer(*items: dict[str, Any], nothing_reason: str | None = None) -> dict[str, Any]:
    return {"items": list(items), "nothing_reason": nothing_reason}


FIRST = answer(
    described("Deploy a service", incidental=["billing"]),
    line("when", "A service is to be deployed.", "t1.s1"),
    line("procedure", "Run the tests.", "t1.s2"),
    line("procedure", "Deploy the canary.", "t1.s3"),
)


@pytest.fixture
def active(entity: Entity) -> ProcedureVersion:
    trace(entity)
    learn(entity, FIRST)
    return approve(draft=draft_of(entity), actor=PERSON, base=None)


def cited(version: ProcedureVersion, text: str) -> list[tuple[str, str]]:
    rows = Evidence.objects.filter(of_procedure_line__version=version, of_procedure_line__text=text)
    return [
        ("step", row.trace_step.text) if row.trace_step else ("feedback", row.feedback.comment)
        for row in rows.order_by("id")
    ]


def test_a_trace_begins_a_procedure_with_a_draft(entity: Entity) -> None:
    trace(entity)
    [request] = learn(entity, FIRST).requests
    draft = draft_of(entity)
    assert (draft.number, draft.base, draft.title, draft.incidental) == (
        1,
        None,
        "Deploy a service",
        ["billing"],
    )
    assert said(draft) == [
        ("when", "A service is to be deployed."),
        ("procedure", "Run the tests."),
        ("procedure", "Deploy the canary."),
    ]
    assert cited(draft, "Run the tests.") == [("step", "Ran the test suite")]
    found = last_run(entity)
    assert (draft.run_id, request.alias, found.calls) == (found.pk, "strong", 1)
    assert found.outputs == {"procedure_versions": [str(draft.pk)]}
    assert found.inputs == {"traces": [str(TaskTrace.objects.get().pk)]}
    assert SkillInput.objects.get().consumed_by_id == found.pk
    assert outcomes(entity) == [{"outcome": "drafted", "version": 1, "title": "Deploy a service"}]


def test_each_kind_of_task_is_asked_about_alone(entity: Entity) -> None:
    trace(entity)
    trace(entity, "Send the monthly invoice", INVOICE)
    trace(entity, "Deploy the search service to production")
    model = learn(
        entity,
        answer(line("procedure", "Run the tests.", "t1.s2", "t2.s2")),
        answer(line("procedure", "Write the invoice.", "t1.s3")),
    )
    asked = [[one.task for one in request.payload.traces] for request in model.requests]  # type: ignore[attr-defined]
    assert asked == [
        ["Deploy the billing service to production", "Deploy the search service to production"],
        ["Send the monthly invoice"],
    ]
    assert sorted(ProcedureVersion.objects.drafts().values_list("title", flat=True)) == [
        "Deploy the billing service to production",
        "Send the monthly invoice",
    ]


def test_a_later_trace_leads_to_a_draft_from_all_of_them(entity: Entity) -> None:
    trace(entity)
    learn(entity, FIRST)
    trace(entity, "Deploy the search service to production")
    [request] = learn(entity, answer(line("procedure", "Run all tests.", "t1.s2", "t2.s2"))).requests
    assert len(request.payload.traces) == 2  # type: ignore[attr-defined]
    assert Procedure.objects.count() == 1
    assert [(one.number, one.status) for one in ProcedureVersion.objects.order_by("number")] == [
        (1, "stale"),
        (2, "draft"),
    ]


def test_traces_of_an_approved_version_are_settled(entity: Entity, active: ProcedureVersion) -> None:
    trace(entity, "Deploy the search service to production")
    [request] = learn(entity, answer(line("validation", "The error rate stays flat.", "t1.s4"))).requests
    assert [one.task for one in request.payload.traces] == ["Deploy the search service to production"]  # type: ignore[attr-defined]
    assert [one.handle for one in request.payload.lines] == ["v.l1", "v.l2", "v.l3"]  # type: ignore[attr-defined]
    draft = draft_of(entity)
    assert draft.base_id == active.pk
    assert said(draft) == [*said(active), ("validation", "The error rate stays flat.")]
    assert cited(draft, "Run the tests.") == [("step", "Ran the test suite")]


def test_feedback_that_asks_for_something_leads_to_a_line_that_cites_it(
    entity: Entity, active: ProcedureVersion
) -> None:
    feedback(active, "attach a rollback plan")
    learn(entity, answer(line("procedure", "Attach a rollback plan.", "v.l3", "f1")))
    draft = draft_of(entity)
    assert said(draft)[1:] == [("procedure", "Run the tests."), ("procedure", "Attach a rollback plan.")]
    assert cited(draft, "Attach a rollback plan.") == [
        ("step", "Deployed the canary"),
        ("feedback", "attach a rollback plan"),
    ]


def test_feedback_that_leads_to_no_line_is_told_with_the_reason(
    entity: Entity, active: ProcedureVersion
) -> None:
    feedback(active, "be nicer")
    feedback(active, "be faster")
    declined = {"action": "decline", "sources": ["f1"], "reason": "not a matter of steps"}
    learn(entity, answer(declined))
    left_out = {"outcome": "left out", "reason": "no line of the answer that may stand cites it"}
    assert outcomes(entity) == [
        {"outcome": "nothing", "reason": "the active version says it already"},
        {"outcome": "left out", "reason": "not a matter of steps"},
        left_out,
    ]
    assert last_run(entity).noop_reason == "the active version says it already"


@pytest.mark.parametrize("kind", ["thumbs_up", "task_success", "thumbs_down", "evaluation"])
def test_feedback_without_words_asks_for_nothing(entity: Entity, active: ProcedureVersion, kind: str) -> None:
    row = feedback(active, kind=kind)
    assert learn(entity).requests == []
    assert last_run(entity).noop_reason == f"{kind} without words asks for nothing"
    assert last_run(entity).decisions[0]["feedback"] == [str(row.pk)]
    assert work.pending_counts(entity)[Step.SKILL_EXTRACT] == 0


def test_feedback_on_a_retired_procedure_leads_nowhere(entity: Entity, active: ProcedureVersion) -> None:
    retire_procedure(procedure=active.procedure, actor=PERSON, reason="")
    feedback(active, "attach a rollback plan")
    assert learn(entity).requests == []
    assert last_run(entity).noop_reason == "the procedure is retired"


def test_a_failed_task_begins_nothing_and_counts_once_another_succeeds(entity: Entity) -> None:
    trace(entity, "Deploy the mail service to production", outcome="failure")
    assert learn(entity).requests == []
    assert last_run(entity).noop_reason == "a task that failed begins no procedure"
    trace(entity)
    [request] = learn(entity, FIRST).requests
    assert [one.outcome for one in request.payload.traces] == ["failure", "success"]  # type: ignore[attr-defined]


def test_a_trace_without_actions_begins_nothing(entity: Entity) -> None:
    trace(entity, "Deploy", [("instruction", "Deploy it.")])
    assert learn(entity).requests == []
    assert last_run(entity).noop_reason == "its traces hold no action"


def test_what_a_person_wrote_stays_word_for_word(entity: Entity, active: ProcedureVersion) -> None:
    """The model drops, rewords and removes the person's line in run after run; only feedback moves it."""
    feedback(active, "say more")
    learn(entity, answer(line("procedure", "Deploy the canary slowly.", "v.l3", "f1")))
    own = "Deploy the canary to ONE host — always."
    markdown = rendered(draft_of(entity)).replace("Deploy the canary slowly.", own)
    version = edit_and_approve(draft=draft_of(entity), markdown=markdown, actor=PERSON, base=1)
    pin = next(f"v.l{place}" for place, (_, text) in enumerate(said(version), 1) if text == own)
    for number in range(20):
        trace(entity, f"Deploy the mail service to production in round {number}")
        attack = [
            line("procedure", "Deploy the canary.", pin, "t1.s3"),
            {"action": "remove", "sources": [pin, "t1.s3"], "reason": "not needed"},
            line("procedure", f"Look at dashboard {chr(ord('a') + number)}.", "t1.s4"),
        ]
        run(entity, ScriptedModel(otherwise=answer(*attack)))
        draft = draft_of(entity)
        assert ("procedure", own) in said(draft)
        approve(draft=draft, actor=PERSON, base=draft.base.number if draft.base else None)
    standing = active_version(procedure=version.procedure)
    assert standing is not None
    feedback(standing, "one host is too few, take two")
    learn(entity, answer(line("procedure", "Deploy the canary to two hosts.", pin, "f1")))
    assert ("procedure", own) not in said(draft_of(entity))


def test_a_rejection_is_shown_and_the_same_draft_is_not_made_again(entity: Entity) -> None:
    row = trace(entity)
    learn(entity, FIRST)
    reject(draft=draft_of(entity), actor=PERSON, reason="where is the rollback?")
    SkillInput.objects.filter(trace=row).update(consumed_by=None)
    [request] = learn(entity, FIRST).requests
    assert '- reason: "where is the rollback?"; it said: "A service is to be deployed. / ' in request.user
    assert last_run(entity).noop_reason == "a person turned the same draft down: where is the rollback?"
    trace(entity, "Deploy the search service to production")
    learn(
        entity, answer(described("Deploy a service"), line("procedure", "Run the tests.", "t1.s2", "t2.s2"))
    )
    assert draft_of(entity).number == 2


def test_a_draft_that_says_the_same_is_not_made_twice(entity: Entity) -> None:
    row = trace(entity)
    learn(entity, FIRST)
    SkillInput.objects.filter(trace=row).update(consumed_by=None)
    learn(entity, FIRST)
    assert (draft_of(entity).number, last_run(entity).noop_reason) == (1, "the open draft says it already")


def test_bad_items_are_sent_back_once_then_dropped(entity: Entity) -> None:
    trace(entity)
    bad = line("procedure", "Ring Quennelby.", "t9.s1")
    good = line("procedure", "Run the tests.", "t1.s2")
    model = learn(entity, answer(described("Deploy a service"), good, bad), answer(bad))
    assert "refused: “t9.s1” was not offered" not in model.requests[0].user
    assert "It repeats an example of the prompt." in model.requests[1].user
    assert said(draft_of(entity)) == [("procedure", "Run the tests.")]
    assert [note["outcome"] for note in outcomes(entity)] == ["drafted", "sent back", "dropped"]


def test_nothing_that_may_stand_is_no_draft(entity: Entity) -> None:
    trace(entity)
    learn(entity, answer(nothing_reason="one look is not enough"))
    assert (Procedure.objects.count(), last_run(entity).noop_reason) == (0, "one look is not enough")


@pytest.mark.parametrize("decide", ["approve", "reject", "retire"])
def test_a_review_amid_the_call_makes_it_ask_again(
    entity: Entity, active: ProcedureVersion, decide: str
) -> None:
    feedback(active, "attach a rollback plan")
    learn(entity, answer(line("procedure", "Attach a rollback plan.", "f1")))
    draft = draft_of(entity)
    feedback(active, "tell the team")

    def reviewed(request: Any) -> dict[str, Any]:
        if decide == "approve":
            approve(draft=draft, actor=PERSON, base=1)
        elif decide == "reject":
            reject(draft=draft, actor=PERSON, reason="no")
        else:
            retire_procedure(procedure=draft.procedure, actor=PERSON, reason="")
        return answer(line("procedure", "Tell the team.", "f2"))

    later = (
        []
        if decide == "retire"
        else [answer(line("procedure", "Tell the team.", "f1" if decide == "approve" else "f2"))]
    )
    model = ScriptedModel([reviewed, *later])
    assert run(entity, model) == ["discarded", "done"]
    assert model.script == []
    if decide != "retire":
        assert ("procedure", "Tell the team.") in said(draft_of(entity))


def test_a_trace_that_is_gone_when_the_answer_comes_makes_it_ask_again(entity: Entity) -> None:
    gone, _ = trace(entity), trace(entity, "Deploy the search service to production")

    def erases(request: Any) -> dict[str, Any]:
        TaskTrace.objects.filter(pk=gone.pk).delete()
        return answer(line("procedure", "Run the tests.", "t1.s2"))

    model = ScriptedModel([erases, answer(line("procedure", "Run the tests.", "t1.s2"))])
    assert run(entity, model) == ["discarded", "done"]
    assert len(cited(draft_of(entity), "Run the tests.")) == 1


def fail(entity: Entity, times: int) -> None:
    for _ in range(times):
        Work.objects.filter(entity=entity, step=Step.SKILL_EXTRACT).update(due_at=Now(), is_flushing=True)
        drain(
            entity_id=entity.pk,
            step=Step.SKILL_EXTRACT,
            model=ScriptedModel(otherwise="no JSON"),
            seconds=0.0,
        )


def test_what_no_model_can_read_is_parked_seen_and_tried_again(entity: Entity) -> None:
    trace(entity)
    fail(entity, 3)
    assert (work.parked_counts(entity)[Step.SKILL_EXTRACT], last_run(entity).error_kind) == (1, "no_answer")
    trace(entity, "Send the monthly invoice", INVOICE)
    learn(entity, answer(line("procedure", "Write the invoice.", "t1.s3")))
    assert Procedure.objects.count() == 1
    assert work.retry_parked(entity=entity, step=Step.SKILL_EXTRACT) == 1
    learn(entity, FIRST)
    assert Procedure.objects.count() == 2


def test_a_batch_that_fails_is_split_until_the_poison_stands_alone(entity: Entity) -> None:
    tasks = ("Deploy the billing service", "Send the monthly invoice", "Clean the storage room")
    for task in tasks:
        trace(entity, task, INVOICE if "invoice" in task else [("action", task)])

    def answered(request: Any) -> Any:
        if "invoice" in request.user:
            return '{"items": [{"action": "li'
        return answer(line("procedure", "Do it.", "t1.s1"))

    for _ in range(8):
        Work.objects.filter(entity=entity, step=Step.SKILL_EXTRACT, due_at__isnull=False).update(due_at=Now())
        run(entity, ScriptedModel(otherwise=answered))
    parked = SkillInput.objects.for_entity(entity).parked().get()
    assert parked.trace is not None
    assert (parked.trace.task, Procedure.objects.count()) == ("Send the monthly invoice", 2)


def test_the_sweep_finds_a_trace_that_nobody_woke_the_step_for(entity: Entity) -> None:
    trace(entity)
    Work.objects.for_entity(entity).update(due_at=None)
    assert sweep().unmarked == 1
    assert Work.objects.for_entity(entity).get(step=Step.SKILL_EXTRACT).due_at is not None


def test_statements_do_not_grow_with_traces(entity: Entity, django_assert_max_num_queries: Any) -> None:
    for number in range(8):
        trace(entity, f"Deploy the billing service to production in round {number}")
    with django_assert_max_num_queries(60):
        learn(entity, answer(line("procedure", "Run the tests.", *[f"t{n}.s2" for n in range(1, 9)])))
    assert len(cited(draft_of(entity), "Run the tests.")) == 8
