"""The graph over HTTP: facts with their evidence, and bringing it up to date."""

from __future__ import annotations

from typing import Any

import pytest

from memory.cascade.work import ensure_work
from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, GraphEdge
from tests.api.conftest import Caller
from tests.claims.histories import a_claim, day, promoted, replaced

PATH = "/api/v1/graph"
REFRESH = "/api/v1/graph/refresh"


@pytest.fixture
def plan(alice: Entity) -> Atom:
    ensure_work(alice)
    old = a_claim(alice, "billing.plan", {"kind": "plan", "id": "monthly"})
    plan = replaced(old, {"kind": "plan", "id": "annual", "price": 1_200}, on=5)
    promoted(alice)
    return plan


def about(caller: Caller, **query: Any) -> dict[str, Any]:
    thing = {"subject_kind": "customer", "subject_id": "customer-123"}
    body: dict[str, Any] = caller.get(PATH, entity="agent.alice", **(thing | query)).json()
    return body


def test_facts_about_a_thing_are_told_with_evidence_and_nodes(caller: Caller, plan: Atom) -> None:
    body = about(caller)
    edge = GraphEdge.objects.select_related("subject", "object").get(atom=plan)
    assert edge.object is not None
    subject = {"id": str(edge.subject_id), "kind": "customer", "identifier": "customer-123"}
    object = {"id": str(edge.object_id), "kind": "plan", "identifier": "annual"}
    assert body == {
        "entity": "agent.alice",
        "facts": [
            {
                "id": str(edge.pk),
                "subject": subject,
                "predicate": "billing.plan",
                "object": object,
                "value": None,
                "valid_from": "2026-06-07T09:00:00Z",
                "valid_until": None,
                "atom": str(plan.pk),
                "text": plan.text,
                "authority": "application",
                "status": "live",
                "distance": 0,
                "evidence": [
                    {
                        "kind": "tool_event",
                        "reference": "billing.plan.observed",
                        "authority": "application",
                    }
                ],
            }
        ],
        "nodes": [subject, object],
        "truncated": False,
    }


def test_a_time_gives_what_held_then(caller: Caller, plan: Atom) -> None:
    [fact] = about(caller, as_of=day(2).isoformat())["facts"]
    assert (fact["object"]["identifier"], fact["status"]) == ("monthly", "superseded")
    assert about(caller, as_of=day(-2).isoformat())["facts"] == []


def test_a_query_gives_what_speaks_of_it(caller: Caller, plan: Atom) -> None:
    body = caller.get(PATH, entity="agent.alice", query="Where did we land on billing?").json()
    assert [fact["atom"] for fact in body["facts"]] == [str(plan.pk)]
    assert caller.get(PATH, entity="agent.alice", query="weather").json()["facts"] == []


def test_what_is_left_out_for_the_limit_is_said(caller: Caller, plan: Atom, alice: Entity) -> None:
    for number in range(3):
        a_claim(alice, f"fact.n{number}", number)
    promoted(alice)
    assert [about(caller, limit=limit)["truncated"] for limit in (1, 3, 4, 100)] == [True, True, False, False]
    assert [len(about(caller, limit=limit)["facts"]) for limit in (1, 3, 4)] == [1, 3, 4]


def test_a_thing_that_nobody_spoke_of_has_no_facts(caller: Caller, plan: Atom) -> None:
    body = about(caller, subject_id="nobody")
    assert body == {"entity": "agent.alice", "facts": [], "nodes": [], "truncated": False}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({}, "give either query, or subject_kind and subject_id"),
        ({"query": "x", "subject_kind": "a", "subject_id": "b"}, "give either query, or subject_kind"),
        ({"subject_kind": "a"}, "give either query, or subject_kind and subject_id"),
        ({"query": "x", "subject_id": "b"}, "give either query, or subject_kind and subject_id"),
        ({"query": "x", "depth": "4"}, "depth: has to be less than or equal to 3"),
        ({"query": "x", "depth": "-1"}, "depth: has to be greater than or equal to 0"),
        ({"query": "x", "limit": "101"}, "limit: has to be less than or equal to 100"),
        ({"query": "x", "as_of": "yesterday"}, "as_of: has to be a valid datetime"),
        ({"query": "x", "as_of": "2026-06-02T09:00:00"}, "as_of: has to have timezone info"),
        ({"query": "x\x00"}, "query:"),
        ({"subject_kind": "k" * 65, "subject_id": "b"}, "subject_kind: string should have at most 64"),
        ({"query": "x", "deep": "1"}, "Unknown parameter: deep"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_its_name(
    caller: Caller, plan: Atom, query: dict[str, str], told: str
) -> None:
    reply = caller.get(PATH, entity="agent.alice", **query)
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")
    assert told in reply.json()["detail"]


def test_refreshing_promotes_what_waits_now(caller: Caller, alice: Entity) -> None:
    ensure_work(alice)
    a_claim(alice, "billing.plan", "annual")
    assert about(caller)["facts"] == []
    reply = caller.post(REFRESH, {"entity": "agent.alice"})
    counts = {"atoms": 1, "edges_written": 1, "edges_removed": 0, "failed": 0, "waiting": 0}
    assert (reply.status_code, reply.json()) == (200, {"entity": "agent.alice", **counts})
    assert len(about(caller)["facts"]) == 1
    again = caller.post(REFRESH, {"entity": "agent.alice"}).json()
    assert (again["atoms"], again["edges_written"]) == (0, 0)


@pytest.mark.parametrize("body", [{}, {"entity": "agent.alice", "force": True}, {"entity": 7}])
def test_a_refresh_of_nothing_is_refused(caller: Caller, alice: Entity, body: dict[str, Any]) -> None:
    assert caller.post(REFRESH, body).status_code == 400


def test_nobody_elses_graph_is_shown_or_refreshed(caller: Caller, alice: Entity, bob: Entity) -> None:
    ensure_work(bob)
    atom = a_claim(bob, "billing.plan", "weekly")
    promoted(bob)
    assert about(caller)["facts"] == []
    bound = Caller(create_key(workspace=bob.workspace, label="bob", entities=[]).token)
    assert [fact["atom"] for fact in about(bound)["facts"]] == [str(atom.pk)]
    for reply in (
        caller.get(PATH, entity="agent.nobody", query="x"),
        caller.post(REFRESH, {"entity": "agent.nobody"}),
    ):
        assert (reply.status_code, reply.json()["error"]) == (404, "not_found")


def test_a_key_that_only_reads_refreshes_nothing(alice: Entity) -> None:
    reader = Caller(create_key(workspace=alice.workspace, label="reader", scopes=["read"]).token)
    assert reader.post(REFRESH, {"entity": "agent.alice"}).status_code == 403
    assert reader.get(PATH, entity="agent.alice", query="x").status_code == 200
    assert Caller().get(PATH, entity="agent.alice", query="x").status_code == 401
