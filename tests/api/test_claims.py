"""The doors of claims: observing, listing, history, policies."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from memory.ingest.entities import ensure_entity
from memory.ingest.sessions import open_session
from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, Key
from tests.api.conftest import Caller
from tests.claims.observing import ANNUAL, INFERENCE, MONTHLY, at, decide, say
from tests.factories import make_message

SEED = {
    "subject": {"kind": "customer", "identifier": "customer-123"},
    "predicate": "billing.plan",
    "value": ANNUAL,
    "authority": "application",
    "evidence": [{"kind": "tool_event", "reference": "billing.plan_selected"}],
    "said_at": "2026-06-02T12:00:00Z",
}
BODY = {"entity": "agent.alice", **SEED}


def listed(caller: Caller, **query: Any) -> dict[str, Any]:
    reply = caller.get("/api/v1/claims", entity="agent.alice", **query)
    assert reply.status_code == 200, reply.content
    return dict(reply.json())


def test_observing_tells_what_became_of_it(caller: Caller, alice: Entity) -> None:
    reply = caller.post("/api/v1/claims", BODY)
    atom = Atom.objects.get(entity=alice)
    claim = {
        "id": str(atom.pk),
        "short_id": reply.json()["claim"]["short_id"],
        "seq": atom.seq,
        "chain": str(atom.chain_id),
        "subject": {"kind": "customer", "identifier": "customer-123"},
        "predicate": "billing.plan",
        "value": ANNUAL,
        "live_source": "",
        "text": "customer customer-123 billing.plan: cycle annual, price 1200",
        "authority": "application",
        "status": "live",
        "superseded_by": None,
        "valid_from": None,
        "valid_until": None,
        "said_at": "2026-06-02T12:00:00Z",
        "last_said_at": "2026-06-02T12:00:00Z",
        "created_at": reply.json()["claim"]["created_at"],
        "evidence": [
            {
                "kind": "tool_event",
                "reference": "billing.plan_selected",
                "authority": "application",
                "role": "source",
            }
        ],
    }
    assert (reply.status_code, reply.json()) == (
        201,
        {
            "entity": "agent.alice",
            "outcome": "stored",
            "reason": "",
            "created": True,
            "claim": claim,
            "holds": claim,
        },
    )
    again = caller.post("/api/v1/claims", BODY)
    assert (again.status_code, again.json()["outcome"], again.json()["claim"]) == (200, "repeated", claim)


def test_a_contested_claim_is_shown_beside_what_holds(caller: Caller, alice: Entity) -> None:
    say(alice, ANNUAL)
    guess = {**BODY, "authority": "inference", "value": "free", "said_at": "2026-06-02T13:00:00+01:00"}
    told = caller.post("/api/v1/claims", {**guess, "said_at": "2026-06-03T12:00:00Z"}).json()
    assert (told["outcome"], told["claim"]["status"], told["holds"]["value"]) == (
        "contested",
        "contested",
        ANNUAL,
    )
    assert told["claim"]["authority"] == "agent inference"


def test_within_a_session_a_turn_is_evidence(caller: Caller, alice: Entity) -> None:
    session = open_session(workspace=alice.workspace, entity_name="agent.alice").session
    message = make_message(alice, "We take the annual plan.", session=session.external_id)
    told = caller.post(
        f"/api/v1/sessions/{session.pk}/claims", {**SEED, "evidence": [{"message": str(message.pk)}]}
    )
    assert (told.status_code, told.json()["claim"]["evidence"]) == (
        201,
        [{"kind": "message", "reference": str(message.pk), "authority": "", "role": "source"}],
    )


def test_a_session_of_somebody_else_is_not_there(caller: Caller, bob: Entity) -> None:
    session = open_session(workspace=bob.workspace, entity_name="agent.alice").session
    for session_id in (session.pk, uuid4()):
        assert caller.post(f"/api/v1/sessions/{session_id}/claims", SEED).status_code == 404
    assert not Atom.objects.exists()


def test_the_first_claim_makes_its_entity(caller: Caller, alice: Entity) -> None:
    assert caller.post("/api/v1/claims", {**BODY, "entity": "agent.new"}).status_code == 201
    refused = {**BODY, "entity": "agent.never", "evidence": [{"message": str(uuid4())}]}
    assert caller.post("/api/v1/claims", refused).status_code == 400
    assert sorted(Entity.objects.values_list("name", flat=True)) == ["agent.alice", "agent.new"]


def test_a_bound_key_claims_for_its_entities_alone(alice: Entity) -> None:
    other = ensure_entity(workspace=alice.workspace, name="agent.other")
    observed = say(other, ANNUAL)
    caller = Caller(create_key(workspace=alice.workspace, label="bound", entities=[alice]).token)
    assert caller.post("/api/v1/claims", BODY).status_code == 201
    for name in ("agent.other", "agent.new"):
        assert caller.post("/api/v1/claims", {**BODY, "entity": name}).status_code == 404
    assert observed.atom is not None
    assert caller.get(f"/api/v1/claims/{observed.atom.pk}/history").status_code == 404


def test_reading_needs_no_scope_to_write(alice: Entity) -> None:
    caller = Caller(create_key(workspace=alice.workspace, label="reader", scopes=[Key.Scope.READ]).token)
    assert caller.get("/api/v1/claims", entity="agent.alice").status_code == 200
    assert caller.post("/api/v1/claims", BODY).status_code == 403


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"subject": None}, "subject: has to be an object"),
        ({"subject": {"kind": "customer"}}, "subject.identifier: is required"),
        ({"subject": {"kind": "a b", "identifier": "1"}}, "subject.kind: has to be names of letters"),
        ({"predicate": "billing plan"}, "predicate: has to be names of letters"),
        ({"value": None}, "value: is null: a claim says something"),
        ({"value": "x" * 9_000}, "value: is 9002 bytes of JSON, at most 8192 are stored"),
        ({"authority": "god"}, "authority: has to be 'application', 'tool', 'user', 'inference'"),
        ({"evidence": []}, "evidence: holds 0 items, 1 to 20 are taken"),
        ({"evidence": [{}]}, "evidence.0: has to be either message, or kind and reference"),
        ({"evidence": [{"message": "x"}]}, "evidence.0.message: has to be a valid UUID"),
        (
            {"evidence": [{"message": str(uuid4()), "kind": "a", "reference": "b"}]},
            "evidence.0: has to be either message, or kind and reference",
        ),
        ({"said_at": "2026-06-02T12:00:00"}, "said_at: has to have timezone info"),
        (
            {"valid_from": "2026-06-02T12:00:00Z", "valid_until": "2026-06-02T12:00:00Z"},
            "valid_until: has to be",
        ),
        ({"values": 1}, "Unknown field: values."),
    ],
)
def test_what_is_wrong_is_named(caller: Caller, change: dict[str, Any], detail: str) -> None:
    reply = caller.post("/api/v1/claims", {**BODY, **change})
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")
    assert reply.json()["detail"].startswith(detail)
    assert not Atom.objects.exists()


def test_a_policy_is_told_and_kept_to(caller: Caller, alice: Entity) -> None:
    decide(alice.workspace, "billing.*", "store", asserted_by=[3, 4])
    decide(alice.workspace, "chat.*", "ignore", cardinality="many")
    assert caller.get("/api/v1/policies").json() == {
        "policies": [
            {
                "pattern": "billing.*",
                "action": "store",
                "cardinality": "one",
                "asserted_by": ["application", "tool"],
                "source": "",
            },
            {
                "pattern": "chat.*",
                "action": "ignore",
                "cardinality": "many",
                "asserted_by": ["application", "tool", "user", "agent inference"],
                "source": "",
            },
        ]
    }
    refused = caller.post("/api/v1/claims", {**BODY, "authority": "user"})
    assert (refused.status_code, refused.json()["problems"]) == (
        400,
        [
            {
                "index": None,
                "field": "authority",
                "problem": "user may not assert it: the policy billing.* takes application, tool",
            }
        ],
    )
    ignored = caller.post("/api/v1/claims", {**BODY, "predicate": "chat.mood"})
    assert (ignored.status_code, ignored.json()) == (
        200,
        {
            "entity": "agent.alice",
            "outcome": "ignored",
            "reason": "The policy chat.* keeps nothing of it.",
            "created": False,
            "claim": None,
            "holds": None,
        },
    )


def test_claims_are_listed_page_by_page(caller: Caller, alice: Entity, bob: Entity) -> None:
    for number in range(5):
        say(alice, number, predicate=f"count.n{number}")
    say(bob, 9, predicate="count.n9")
    seen: list[int] = []
    after: dict[str, str] = {}
    while True:
        page = listed(caller, limit=2, **after)
        assert page["total"] == 5
        seen += [claim["value"] for claim in page["claims"]]
        if page["next_after"] is None:
            break
        after = {"after": page["next_after"]}
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ({}, ["annual", 5]),
        ({"predicate": "billing.plan"}, ["annual"]),
        ({"predicate": "billing.*"}, ["annual", 5]),
        ({"predicate": "bill.*"}, []),
        ({"predicate": "*"}, ["annual", 5]),
        ({"subject_kind": "customer", "subject_id": "customer-123"}, ["annual", 5]),
        ({"subject_id": "customer-124"}, []),
        ({"state": "contested"}, ["free"]),
        ({"state": "all"}, ["monthly", "annual", "free", 5, "trial"]),
    ],
)
def test_claims_are_narrowed_down(
    caller: Caller, alice: Entity, query: dict[str, str], values: list[Any]
) -> None:
    say(alice, "monthly")
    say(alice, "annual", minute=1)
    say(alice, "free", minute=2, authority=INFERENCE)
    say(alice, 5, predicate="billing.seats")
    say(alice, "trial", predicate="offer", valid_until=at(60))
    assert [claim["value"] for claim in listed(caller, **query)["claims"]] == values


def test_the_history_of_a_matter(caller: Caller, alice: Entity) -> None:
    said = [
        say(alice, MONTHLY, minute=5),
        say(alice, ANNUAL),
        say(alice, "free", minute=9, authority=INFERENCE),
    ]
    for observed in said:
        assert observed.atom is not None
        reply = caller.get(f"/api/v1/claims/{observed.atom.pk}/history")
        assert reply.json()["entity"] == "agent.alice"
        assert [(one["value"], one["status"], len(one["evidence"])) for one in reply.json()["history"]] == [
            (ANNUAL, "superseded", 1),
            (MONTHLY, "live", 1),
            ("free", "contested", 1),
        ]


def test_recall_shows_what_is_claimed_and_what_it_rests_on(caller: Caller, alice: Entity) -> None:
    say(alice, ANNUAL, valid_until=at(60 * 24 * 365 * 1_000))
    asked = {"entity": "agent.alice", "query": "billing plan", "meaning": False}
    [hit] = caller.post("/api/v1/recall", asked).json()["hits"]
    assert (hit["text"], hit["assertion"], hit["outside"]) == (
        "customer customer-123 billing.plan: cycle annual, price 1200",
        {
            "subject_kind": "customer",
            "subject_id": "customer-123",
            "predicate": "billing.plan",
            "value": ANNUAL,
            "live_source": "",
            "valid_from": None,
            "valid_until": hit["assertion"]["valid_until"],
        },
        [{"kind": "tool_event", "reference": "billing.plan_selected", "authority": "application"}],
    )


def test_no_history_but_that_of_ones_own_claims(caller: Caller, alice: Entity, bob: Entity) -> None:
    his = say(bob, ANNUAL).atom
    assert his is not None
    for claim_id in (his.pk, uuid4(), UUID(int=0)):
        assert caller.get(f"/api/v1/claims/{claim_id}/history").status_code == 404


@pytest.mark.parametrize("count", [1, 20])
def test_a_page_costs_the_same_statements(
    caller: Caller, alice: Entity, count: int, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        say(alice, number, predicate=f"count.n{number}")
    caller.get("/api/v1/claims", entity="agent.alice")
    with django_assert_num_queries(5):
        listed(caller)
