"""Traces in: stored once, refused with the place of each problem, waiting for skill_extract."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from memory.ingest.problems import IngestConflict, IngestError
from memory.models import Entity, SkillInput, Step, TaskTrace, TraceStep, Work
from memory.skills.session_traces import trace_of_session
from memory.skills.traces import IncomingStep, record_trace
from tests.cascade.story import an_entity, say
from tests.cascade.talks import open_talk, take, tool_call
from tests.skills.skilled import trace

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return an_entity()


def stored(row: TaskTrace) -> list[tuple[Any, ...]]:
    rows = TraceStep.objects.filter(trace=row).order_by("position")
    return list(rows.values_list("position", "kind", "tool_name", "text"))


def test_a_trace_is_stored_in_order_waits_and_wakes_the_step(entity: Entity) -> None:
    row = trace(
        entity, "Ship it", [("action", "Ran the tests", "pytest"), ("check", "All green")], note="fine"
    )
    assert (row.task, row.outcome, row.note) == ("Ship it", "success", "fine")
    assert stored(row) == [(0, "action", "pytest", "Ran the tests"), (1, "check", "", "All green")]
    assert SkillInput.objects.for_entity(entity).pending().get().trace == row
    due = Work.objects.for_entity(entity).get(step=Step.SKILL_EXTRACT).due_at
    assert due is not None
    assert due <= timezone.now()


def test_the_same_external_id_and_payload_is_the_same_trace(entity: Entity) -> None:
    when = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
    rows = [trace(entity, external_id="run-1", occurred_at=when) for _ in range(2)]
    assert rows[0].pk == rows[1].pk
    assert SkillInput.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [
        {"task": "Another"},
        {"outcome": "failure"},
        {"note": "late"},
        {"steps": [("action", "Something else")]},
    ],
)
def test_another_payload_under_the_same_external_id_is_a_conflict(
    entity: Entity, other: dict[str, Any]
) -> None:
    trace(entity, external_id="run-1")
    with pytest.raises(IngestConflict, match="external_id: stands for another trace already"):
        trace(entity, external_id="run-1", **other)


def test_traces_without_an_external_id_are_each_their_own(entity: Entity) -> None:
    assert trace(entity).pk != trace(entity).pk


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"task": " "}, "task: is blank"),
        ({"task": "x" * 501}, "task: has 501 characters, at most 500 are stored"),
        ({"note": "x" * 2001}, "note: has 2001 characters, at most 2000 are stored"),
        ({"note": "a\0b"}, "note: holds the character U+0000"),
        ({"external_id": "\u200b"}, "external_id: is blank"),
        ({"external_id": "x" * 129}, "external_id: has 129 characters, at most 128 are stored"),
        ({"outcome": "great"}, "outcome: is none of success, partial, failure, unknown"),
        ({"steps": []}, "steps: holds 0 steps, 1 to 200 are taken"),
        ({"steps": [("note", "n")] * 201}, "steps: holds 201 steps, 1 to 200 are taken"),
    ],
)
def test_what_cannot_be_stored_is_named(entity: Entity, values: dict[str, Any], problem: str) -> None:
    with pytest.raises(IngestError) as refused:
        trace(entity, **values)
    assert (str(refused.value), TaskTrace.objects.count()) == (problem, 0)


def test_a_step_points_only_to_turns_of_its_entity(entity: Entity) -> None:
    [own] = say(entity, "Deploy it.")
    [foreign] = say(an_entity("agent.bob"), "Deploy it.")
    steps = [IncomingStep(kind="instruction", text="Deploy it.", message=row.pk) for row in (own, foreign)]
    with pytest.raises(IngestError, match=r"^steps\[1\]\.message: is no stored message of this entity$"):
        record_trace(entity=entity, task="t", outcome="success", steps=steps)
    kept = record_trace(entity=entity, task="t", outcome="success", steps=steps[:1])
    assert TraceStep.objects.get(trace=kept).message_id == own.pk


def test_a_session_becomes_a_trace(entity: Entity) -> None:
    session = open_talk(entity)
    wanted = take(session, "Deploy billing.", role="user")
    called = take(session, "", tool_calls=[tool_call("c1", "deploy_canary", {"service": "billing"})])
    take(session, "deployed", role="tool", tool_call_id="c1")
    take(session, "", tool_calls=[tool_call("c2", "runHealthCheck")])
    take(session, "Verified that the dashboard is green.")
    take(session, "Anything else?")
    row = trace_of_session(session=session, task="Deploy billing", outcome="success")
    assert stored(row) == [
        (0, "instruction", "", "Deploy billing."),
        (1, "action", "deploy_canary", '{"service": "billing"}'),
        (2, "result", "deploy_canary", "deployed"),
        (3, "check", "runHealthCheck", "runHealthCheck"),
        (4, "check", "", "Verified that the dashboard is green."),
        (5, "note", "", "Anything else?"),
    ]
    assert list(row.steps.order_by("position").values_list("message", flat=True)[:2]) == [wanted, called]
    assert (row.session_id, row.occurred_at is None) == (session.pk, False)


def test_the_same_session_and_task_is_one_trace_until_it_goes_on(entity: Entity) -> None:
    session = open_talk(entity)
    take(session, "Deploy billing.", role="user")
    first, again = (trace_of_session(session=session, task="Deploy", outcome="success") for _ in range(2))
    assert first.pk == again.pk
    with pytest.raises(IngestConflict):
        trace_of_session(session=session, task="Deploy", outcome="failure")
    assert trace_of_session(session=session, task="Another", outcome="success").pk != first.pk
    take(session, "Done.")
    assert trace_of_session(session=session, task="Deploy", outcome="success").steps.count() == 2


def test_a_session_without_a_turn_is_no_trace(entity: Entity) -> None:
    with pytest.raises(IngestError, match="session: holds no turn"):
        trace_of_session(session=open_talk(entity), task="Deploy", outcome="success")
