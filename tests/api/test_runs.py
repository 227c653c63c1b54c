"""Runs, what waits, and what was set aside: listed, read and tried again."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.cascade.work import ensure_work
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Message, Run, Step, Work
from memory.models.base import new_id
from tests.api.conftest import Caller
from tests.factories import SAID_AT, make_message, make_pending_message, make_run

NO_RECORD = {"error": "not_found", "detail": "The entity has no record with such an id."}
NO_ENTITY = {"error": "not_found", "detail": "There is no such entity for this key."}
DOORS = ["runs", "work", "parked"]


def moment(when: Any) -> str:
    return str(when.isoformat().replace("+00:00", "Z"))


def told(run: Run, **values: Any) -> dict[str, Any]:
    """The run as the API tells it in a list."""
    run.refresh_from_db()
    return {
        "id": str(run.pk),
        "entity": run.entity.name,
        "step": run.step,
        "status": run.status,
        "attempt": 1,
        "design": "",
        "model": "",
        "calls": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "cost": None,
        "milliseconds": 0,
        "noop_reason": "",
        "error_kind": "",
        "error_text": "",
        "is_transient": False,
        "worker": "",
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
        **values,
    }


@pytest.fixture
def steward(alice: Entity) -> Caller:
    return Caller(create_key(workspace=alice.workspace, label="steward", scopes=[Key.Scope.ADMIN]).token)


@pytest.fixture
def other(alice: Entity) -> Entity:
    entity = Entity.objects.create(workspace=alice.workspace, name="agent.other")
    ensure_work(entity)
    return entity


def test_runs_are_listed_newest_first(caller: Caller, alice: Entity, other: Entity, bob: Entity) -> None:
    first = make_run(alice, model="offline", tokens_in=10, tokens_out=5, cost=Decimal("0.5"))
    second = make_run(other, Step.PERSONA)
    make_run(bob)
    own = told(first, model="offline", tokens_in=10, tokens_out=5, cost=0.5)
    assert caller.get("/api/v1/runs").json() == {"runs": [told(second), own], "next_after": None}
    assert caller.get("/api/v1/runs", entity="agent.alice").json() == {"runs": [own], "next_after": None}


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ({}, ["answer", "persona", "l1_extract"]),
        ({"step": "persona"}, ["persona"]),
        ({"step": "persona,answer"}, ["answer", "persona"]),
        ({"state": "failed"}, ["persona"]),
        ({"state": ["failed", "succeeded"], "step": "l1_extract"}, ["l1_extract"]),
        ({"until": "2020-01-01T00:00:00Z"}, []),
    ],
)
def test_a_filter_narrows_the_runs(
    caller: Caller, alice: Entity, query: dict[str, Any], steps: list[str]
) -> None:
    make_run(alice)
    make_run(alice, Step.PERSONA, status=Run.Status.FAILED, error_kind="timeout")
    Run.objects.create(
        workspace_id=alice.workspace_id, entity=alice, step="answer", status="succeeded", finished_at=SAID_AT
    )
    assert [run["step"] for run in caller.get("/api/v1/runs", **query).json()["runs"]] == steps


def test_a_run_is_read_with_its_decisions_and_its_failure(caller: Caller, alice: Entity) -> None:
    failure = {"error_kind": "cut_off", "error_text": "The answer ends in the middle."}
    decisions = [{"item": 0, "outcome": "dropped", "reason": "unknown handle"}]
    run = make_run(
        alice,
        status=Run.Status.FAILED,
        inputs={"messages": ["x"]},
        decisions=decisions,
        raw_answer='{"items": [',
        prompt_hash="p",
        **failure,
    )
    assert caller.get(f"/api/v1/runs/{run.pk}").json() == {
        **told(run, **failure),
        "inputs": {"messages": ["x"]},
        "outputs": {},
        "decisions": decisions,
        "raw_answer": '{"items": [',
        "design_hash": "",
        "prompt_hash": "p",
        "schema_hash": "",
    }


def test_runs_are_paged(caller: Caller, alice: Entity) -> None:
    made = [str(make_run(alice).pk) for _ in range(5)]
    found: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = caller.get("/api/v1/runs", limit=2, **after).json()
        found += [run["id"] for run in page["runs"]]
        if page["next_after"] is None:
            break
        after = {"after": page["next_after"]}
    assert found == made[::-1]


def test_work_tells_what_waits_and_how_it_failed(caller: Caller, alice: Entity, bob: Entity) -> None:
    make_pending_message(alice, "Waits.")
    make_pending_message(alice, "Cannot be read.", parked_at=SAID_AT, parked_by_id=new_id())
    Entity.objects.filter(pk=alice.pk).update(paused_steps=["persona"])
    due = timezone.now() - timedelta(seconds=5)
    Work.objects.filter(entity=alice, step="l1_extract").update(
        due_at=due, failures=2, last_error_kind="timeout", last_error="The endpoint was silent."
    )
    body = caller.get("/api/v1/work", entity="agent.alice").json()
    works = {work["step"]: work for work in body["work"]}
    row = Work.objects.get(entity=alice, step="l1_extract")
    assert works["l1_extract"] == {
        "id": str(row.pk),
        "entity": "agent.alice",
        "step": "l1_extract",
        "pending": 1,
        "parked": 1,
        "is_paused": False,
        "due_at": moment(due),
        "is_flushing": False,
        "lease_until": None,
        "worker": "",
        "failures": 2,
        "last_error_kind": "timeout",
        "last_error": "The endpoint was silent.",
        "last_started_at": None,
        "last_finished_at": None,
    }
    assert (set(works), works["persona"]["is_paused"], body["next_after"]) == (set(Step.values), True, None)


@pytest.mark.parametrize(
    ("state", "steps"),
    [
        ("waiting", {"l1_extract", "scene_synthesis"}),
        ("due", {"l1_extract"}),
        ("leased", {"persona"}),
        ("failing", {"compaction"}),
        ("paused", {"promotion"}),
        ("due,paused", {"l1_extract", "promotion"}),
    ],
)
def test_work_is_filtered_by_its_state(caller: Caller, alice: Entity, state: str, steps: set[str]) -> None:
    now = timezone.now()
    rows = Work.objects.filter(entity=alice)
    rows.filter(step="l1_extract").update(due_at=now - timedelta(minutes=1))
    rows.filter(step="scene_synthesis").update(due_at=now + timedelta(hours=1))
    rows.filter(step="persona").update(lease_until=now + timedelta(hours=1))
    rows.filter(step="compaction").update(failures=1)
    Entity.objects.filter(pk=alice.pk).update(paused_steps=["promotion"])
    body = caller.get("/api/v1/work", state=state).json()
    assert {work["step"] for work in body["work"]} == steps


def park(entity: Entity, run: Run, *texts: str, minutes: int = 0) -> list[Message]:
    when = SAID_AT + timedelta(minutes=minutes)
    return [
        make_pending_message(entity, text, session=f"s{run.pk}", parked_at=when, parked_by_id=run.pk)
        for text in texts
    ]


def test_parked_batches_tell_what_went_wrong(caller: Caller, alice: Entity, other: Entity) -> None:
    failed = {"status": Run.Status.FAILED, "error_kind": "cut_off", "error_text": "Ends in the middle."}
    first, second = make_run(alice, model="m", attempt=3, **failed), make_run(other)
    later = park(other, second, "Later.", minutes=5)
    rows = park(alice, first, "One.", "Two.")
    make_message(alice, "Fine.")
    assert caller.get("/api/v1/parked").json() == {
        "parked": [
            {
                "run": str(first.pk),
                "entity": "agent.alice",
                "step": "l1_extract",
                "since": moment(SAID_AT),
                "inputs": [str(row.pk) for row in rows],
                "error_kind": "cut_off",
                "error_text": "Ends in the middle.",
                "model": "m",
                "attempt": 3,
            },
            {
                "run": str(second.pk),
                "entity": "agent.other",
                "step": "l1_extract",
                "since": moment(SAID_AT + timedelta(minutes=5)),
                "inputs": [str(row.pk) for row in later],
                "error_kind": "",
                "error_text": "",
                "model": "",
                "attempt": 1,
            },
        ],
        "next_after": None,
    }
    assert caller.get("/api/v1/parked", step="persona").json()["parked"] == []


def test_parked_batches_are_paged_those_that_wait_longest_first(caller: Caller, alice: Entity) -> None:
    runs = [make_run(alice) for _ in range(5)]
    for place, run in enumerate(runs):
        park(alice, run, f"Word {place}.", minutes=place // 2)
    found: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = caller.get("/api/v1/parked", limit=2, **after).json()
        found += [batch["run"] for batch in page["parked"]]
        if page["next_after"] is None:
            break
        after = {"after": page["next_after"]}
    assert found == [str(run.pk) for run in runs]


def test_a_batch_goes_back_in_line(steward: Caller, alice: Entity) -> None:
    run, kept = make_run(alice), make_run(alice)
    park(alice, run, "One.", "Two.")
    park(alice, kept, "Three.")
    replies = [steward.post(f"/api/v1/parked/{run.pk}/retry", {}) for _ in range(2)]
    told = {"entity": "agent.alice", "step": "l1_extract", "run": str(run.pk), "retried": 2}
    assert [(reply.status_code, reply.json()) for reply in replies] == [(202, told), (404, NO_RECORD)]
    assert Message.objects.for_entity(alice).parked().count() == 1
    work = Work.objects.get(entity=alice, step="l1_extract")
    assert work.due_at is not None
    every = steward.post("/api/v1/parked/retry", {"entity": "agent.alice", "step": "l1_extract"})
    assert (every.status_code, every.json()) == (202, told | {"run": None, "retried": 1})


def test_retrying_needs_scope_admin(caller: Caller, alice: Entity) -> None:
    for path, body in (
        ("parked/retry", {"entity": "agent.alice", "step": "persona"}),
        (f"parked/{new_id()}/retry", {}),
    ):
        reply = caller.post(f"/api/v1/{path}", body)
        assert (reply.status_code, reply.json()["detail"]) == (403, "This key has no admin scope.")


def test_a_bound_key_sees_its_own_alone(alice: Entity, other: Entity) -> None:
    own, foreign = make_run(alice), make_run(other)
    park(alice, own, "One.")
    park(other, foreign, "Two.")
    key = create_key(
        workspace=alice.workspace, label="bound", scopes=[Key.Scope.ADMIN], entities=[alice]
    ).token
    bound = Caller(key)
    found = [bound.get(f"/api/v1/{door}").json()[door] for door in DOORS]
    assert [{row["entity"] for row in rows} for rows in found] == [{"agent.alice"}] * 3
    for door in DOORS:
        reply = bound.get(f"/api/v1/{door}", entity="agent.other")
        assert (reply.status_code, reply.json()) == (404, NO_ENTITY)
    refused = [bound.get(f"/api/v1/runs/{foreign.pk}"), bound.post(f"/api/v1/parked/{foreign.pk}/retry", {})]
    assert [(reply.status_code, reply.json()) for reply in refused] == [(404, NO_RECORD)] * 2


def test_nothing_of_another_workspace_is_seen(steward: Caller, alice: Entity, bob: Entity) -> None:
    run = make_run(bob)
    park(bob, run, "His.")
    assert steward.get("/api/v1/runs").json()["runs"] == []
    assert steward.get("/api/v1/parked").json()["parked"] == []
    assert {work["entity"] for work in steward.get("/api/v1/work").json()["work"]} == {"agent.alice"}
    assert Work.objects.filter(entity=bob).exists()
    refused = [steward.get(f"/api/v1/runs/{run.pk}"), steward.post(f"/api/v1/parked/{run.pk}/retry", {})]
    assert [(reply.status_code, reply.json()) for reply in refused] == [(404, NO_RECORD)] * 2
    assert [Caller().get(f"/api/v1/{door}").status_code for door in DOORS] == [401] * 3


@pytest.mark.parametrize(
    ("door", "query", "detail"),
    [
        ("runs", {"step": "sleep"}, "step.0: has to be 'l1_extract', 'scene_synthesis', 'persona'"),
        ("runs", {"state": "lost"}, "state.0: has to be 'running', 'succeeded', 'failed', 'discarded' or"),
        ("work", {"step": "answer"}, "step.0: has to be 'l1_extract', 'scene_synthesis', 'persona'"),
        ("work", {"state": "bored"}, "state.0: has to be 'waiting', 'due', 'leased', 'failing' or 'paused'."),
        ("parked", {"mood": "bad"}, "Unknown parameter: mood."),
        ("parked", {"after": "x"}, "after: is no cursor of this list."),
    ],
)
def test_a_wrong_parameter_is_named(
    caller: Caller, alice: Entity, door: str, query: dict[str, str], detail: str
) -> None:
    reply = caller.get(f"/api/v1/{door}", **query)
    assert (reply.status_code, reply.json()["detail"][: len(detail)]) == (400, detail)


def test_statements_do_not_grow(caller: Caller, alice: Entity) -> None:
    def counted() -> list[int]:
        return [statements(caller, door) for door in DOORS]

    def grow(count: int) -> None:
        for number in range(count):
            entity = Entity.objects.create(workspace=alice.workspace, name=f"agent.b{count}.{number}")
            ensure_work(entity)
            park(entity, make_run(entity), "One.")

    grow(1)
    counted()
    few = counted()
    grow(10)
    assert counted() == few


def statements(caller: Caller, door: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert caller.get(f"/api/v1/{door}", limit=100).status_code == 200
    return len(captured)
