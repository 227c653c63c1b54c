"""Skills over HTTP: from a trace to a procedure, from a use to feedback, and on to the next draft."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from memory.client import (
    AsyncMemory,
    ConflictError,
    Memory,
    NewStep,
    NotFoundError,
    RefusedError,
    StillWaitingError,
    UnauthorisedError,
)
from memory.ingest.workspaces import create_key
from memory.models import Entity, Feedback, Key, Procedure, ProcedureVersion, TaskTrace, Use, Workspace
from tests.client.conftest import working
from tests.client.servers import losing_replies
from tests.skills.loop import ENTITY, STEPS, TASK, first_draft
from tests.skills.procedures import make_procedure, make_procedure_version

EDITED = "# Deploying a service\n## Procedure\n1. Ask for a written approval.\n2. Attach a rollback plan.\n"
STEP = NewStep(kind="action", text="Ran the checklist.")


@pytest.fixture
def key(workspace: Workspace) -> str:
    return create_key(workspace=workspace, label="Olivia's", scopes=[Key.Scope.ADMIN]).token


@pytest.fixture
def entity(workspace: Workspace) -> Entity:
    return Entity.objects.create(workspace=workspace, name=ENTITY)


def test_a_trace_leads_to_a_procedure_and_feedback_to_the_next_one(memory: Memory) -> None:
    with working():
        draft = first_draft(memory)
        assert memory.context(TASK, entity=ENTITY, meaning=False).manifest["procedures"]["active"] == 0
        approved = memory.approve(draft, reason="Good.")
        context = memory.context(TASK, entity=ENTITY, meaning=False, record_use=True)
        assert f"### {approved.title} (version 1, approved " in context.text
        said = memory.feedback(
            entity=ENTITY,
            use=context.use,
            kind="correction",
            source="end_user",
            comment="attach a rollback plan",
        )
        assert said.procedure_version == approved.id
        following = memory.next_draft(entity=ENTITY, procedure=approved.procedure)
    assert following.base == 1
    [change] = [line for line in following.difference.lines if "rollback plan" in line.after.lower()]
    assert [(cited.kind, cited.id) for cited in change.citations if cited.kind == "feedback"] == [
        ("feedback", said.id)
    ]
    assert "rollback plan" not in memory.context(TASK, entity=ENTITY, meaning=False).text.lower()
    second = memory.approve(following)
    shown = memory.context(TASK, entity=ENTITY, meaning=False)
    assert "(version 2, approved " in shown.text
    assert "rollback plan" in shown.text.lower()
    assert [row.number for row in memory.versions(second.procedure)] == [2, 1]
    [stored] = memory.feedback_given(entity=ENTITY, procedure=second.procedure)
    assert (stored.id, stored.state) == (said.id, "done")
    assert [use.id for use in memory.uses(entity=ENTITY)] == [context.use]


def test_a_session_shows_how_a_task_was_done(memory: Memory) -> None:
    session = memory.session.create(entity=ENTITY)
    session.add_turn(role="user", content="Deploy the billing service.")
    session.add_turn(role="assistant", content="Checked the telemetry: all calm.")
    trace = memory.record_trace(session=session.id, task=TASK, outcome="success")
    assert [step.kind for step in trace.steps] == ["instruction", "check"]
    assert (trace.session, trace.state) == (session.id, "waiting")
    assert [row.id for row in memory.traces(entity=ENTITY)] == [trace.id]


def test_a_draft_is_edited_turned_down_and_undone(memory: Memory, entity: Entity) -> None:
    first = make_procedure(entity)
    make_procedure_version(first.procedure, base=first)
    [draft] = memory.drafts(entity=ENTITY)
    edited = memory.edit(draft, EDITED, reason="A plan was missing.")
    assert edited.section("procedure") == ("Ask for a written approval.", "Attach a rollback plan.")
    assert [review.verdict for review in edited.reviews] == ["edited"]
    make_procedure_version(first.procedure, base=ProcedureVersion.objects.get(pk=edited.id))
    [draft] = memory.drafts(entity=ENTITY)
    assert memory.reject(draft, reason="Too long.").status == "rejected"
    rolled = memory.rollback(first.procedure_id, number=1, reason="It was better.")
    assert rolled.active is not None
    assert rolled.active.number == 1
    [procedure] = memory.procedures(entity=ENTITY)
    assert procedure == memory.procedure(first.procedure_id) == rolled
    handed = memory.hand_out(procedure.id)
    assert (handed.kind, handed.procedure_versions) == ("procedure", (first.pk,))
    assert memory.retire(procedure.id, reason="Not needed.").status == "retired"
    assert list(memory.procedures(entity=ENTITY)) == []
    assert [row.id for row in memory.procedures(entity=ENTITY, status="retired")] == [procedure.id]


def test_a_decision_that_is_out_of_date_is_a_conflict(memory: Memory, entity: Entity) -> None:
    first = make_procedure(entity)
    make_procedure_version(first.procedure, base=first)
    [draft] = memory.drafts(entity=ENTITY)
    ProcedureVersion.objects.filter(pk=draft.id).update(status="stale")
    with pytest.raises(ConflictError, match="A newer draft has taken its place"):
        memory.approve(draft)


def test_the_turn_of_a_session_is_a_use(memory: Memory, entity: Entity) -> None:
    make_procedure(entity)
    session = memory.session.create(entity=ENTITY)
    session.add_turn(role="user", content=TASK)
    assert session.compile_context().use is None
    context = session.compile_context(record_use=True, keep_text=True)
    assert context.use is not None
    use = Use.objects.get(pk=context.use)
    assert (use.sha256, use.session_id, bool(use.text)) == (context.sha256, session.id, True)


def test_a_draft_that_does_not_come_is_not_waited_for_endlessly(memory: Memory, entity: Entity) -> None:
    other = make_procedure(entity, status="draft", by=None)
    with pytest.raises(StillWaitingError, match="No draft has come yet"):
        memory.next_draft(entity=ENTITY, procedure=uuid4(), timeout_seconds=0)
    assert memory.next_draft(entity=ENTITY, timeout_seconds=0).id == other.pk


def test_refusals_are_told(memory: Memory, entity: Entity, workspace: Workspace, url: str) -> None:
    with pytest.raises(NotFoundError, match="The entity has no such use"):
        memory.feedback(entity=ENTITY, use=uuid4(), kind="thumbs_up", source="end_user")
    with pytest.raises(RefusedError, match="use: is missing"):
        memory.feedback(entity=ENTITY, kind="thumbs_up", source="end_user")
    version = make_procedure(entity, status="draft", by=None)
    [draft] = memory.drafts(entity=ENTITY)
    assert draft.id == version.pk
    writer = create_key(workspace=workspace, label="agent").token
    with Memory(url, writer) as agent, pytest.raises(UnauthorisedError, match="no admin scope"):
        agent.approve(draft)


def test_what_is_sent_twice_is_there_once(url: str, key: str, entity: Entity) -> None:
    version = make_procedure(entity, status="draft", by=None)
    with losing_replies(url, "/traces") as server, Memory(server.url, key) as through:
        traces = TaskTrace.objects.count()
        trace = through.record_trace(entity=ENTITY, task=TASK, steps=[STEP])
        assert len(server.asked) == 2
    assert TaskTrace.objects.count() == traces + 1
    assert trace.external_id.startswith("client-")
    with losing_replies(url, "/feedback") as server, Memory(server.url, key) as through:
        said = through.feedback(
            entity=ENTITY, procedure_version=version.pk, kind="thumbs_down", source="operator"
        )
        assert len(server.asked) == 2
    assert list(Feedback.objects.values_list("pk", flat=True)) == [said.id]


def test_a_decision_whose_reply_got_lost_is_no_conflict(url: str, key: str, entity: Entity) -> None:
    version = make_procedure(entity, status="draft", by=None)
    with losing_replies(url, "/approve") as server, Memory(server.url, key) as through:
        [draft] = through.drafts(entity=ENTITY)
        assert through.approve(draft).status == "active"
    make_procedure_version(version.procedure, base=ProcedureVersion.objects.get(pk=version.pk))
    with losing_replies(url, "/reject") as server, Memory(server.url, key) as through:
        [draft] = through.drafts(entity=ENTITY)
        assert through.reject(draft, reason="No.").status == "rejected"
    with losing_replies(url, "/retire") as server, Memory(server.url, key) as through:
        assert through.retire(version.procedure_id).status == "retired"
    assert Procedure.objects.get().status == "retired"


def test_an_awaited_client_does_the_same(url: str, key: str, entity: Entity) -> None:
    async def story() -> tuple[object, ...]:
        async with AsyncMemory(url, key) as memory:
            steps = [NewStep(kind=kind, text=text) for kind, text, _ in STEPS]
            trace = await memory.record_trace(entity=ENTITY, task=TASK, steps=steps)
            context = await memory.context(TASK, entity=ENTITY, meaning=False, record_use=True)
            said = await memory.feedback(
                entity=ENTITY, use=context.use, kind="evaluation", source="evaluator", score=0.5
            )
            listed = [row.id async for row in memory.traces(entity=ENTITY)]
            return (listed == [trace.id], said.score, said.use == context.use)

    assert asyncio.run(story()) == (True, 0.5, True)
