"""`POST /sessions/{id}/context`: the context of a turn, through the door."""

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction

from memory.claims.live_asking import LiveQuestion
from memory.claims.promotion import PromotionWorker
from memory.models import Entity, LiveSource
from memseek_site.live_sources import LiveSettings
from tests.api.conftest import Caller
from tests.factories import make_claim, make_message, make_session

gate = threading.Event()
WHEN = "2026-06-24T12:00:00Z"


def balance(question: LiveQuestion) -> Any:
    return {"of": question.identifier, "euros": 12}


def hanging(question: LiveQuestion) -> Any:
    gate.wait(20)


def address(entity: Entity, name: str = "talk") -> str:
    return f"/api/v1/sessions/{make_session(entity, name).pk}/context"


def context(caller: Caller, entity: Entity, **asked: Any) -> dict[str, Any]:
    reply = caller.post(address(entity), {"as_of": WHEN, "strategy": "text", **asked})
    assert reply.status_code == 200, reply.content
    body: dict[str, Any] = reply.json()
    return body


def test_messages_claims_facts_and_the_account_of_them(caller: Caller, alice: Entity) -> None:
    value = {"cycle": "annual", "price": 1200}
    claim = make_claim(alice, "billing.plan", value, text="customer-123 billing.plan: annual, 1200")
    PromotionWorker(alice).run_once()
    make_message(alice, "Where did we land on billing?", session="talk", speaker="")
    body = context(caller, alice, strategy="hybrid")
    # Nothing stands yet that every turn would be told: no system message.
    assert [message["role"] for message in body["messages"]] == ["user"]
    [recalled] = body["recalled_claims"]
    assert {name: recalled[name] for name in ("id", "subject_id", "predicate", "value", "authority")} == {
        "id": str(claim.pk),
        "subject_id": "customer-123",
        "predicate": "billing.plan",
        "value": value,
        "authority": "application",
    }
    assert recalled["evidence"] == [
        {"kind": "tool_event", "reference": "billing.plan.observed", "authority": "application"}
    ]
    assert [fact["atom"] for fact in body["recalled_semantic"]] == [str(claim.pk)]
    assert body["manifest"]["sha256"] == body["sha256"]
    assert (body["entity"], body["tokens"]) == ("agent.alice", body["manifest"]["tokens"])


def test_layers_and_times_narrow_what_is_recalled(caller: Caller, alice: Entity) -> None:
    make_message(alice, "The lamp flickers.", session="earlier")
    whole = context(caller, alice, query="lamp flickers")
    atoms_alone = context(caller, alice, query="lamp flickers", layers=["atom"])
    before = context(caller, alice, query="lamp flickers", until="2026-06-01T00:00:00Z")
    found = [body["messages"][-1]["content"] for body in (whole, atoms_alone, before)]
    assert ["raw Alice: The lamp flickers." in text for text in found] == [True, False, False]


@pytest.mark.parametrize(
    ("asked", "detail"),
    [
        ({"budget": 10}, "A budget is 800 to 1000000 tokens."),
        ({"depth": 4}, "depth: has to be less than or equal to 3."),
        ({"strategy": "magic"}, "strategy: has to be 'text', 'vector', 'hybrid' or 'graph'."),
        ({"question": "Why?"}, "Unknown field: question. Known are query, strategy,"),
    ],
)
def test_what_cannot_be_taken_is_named(
    caller: Caller, alice: Entity, asked: dict[str, Any], detail: str
) -> None:
    reply = caller.post(address(alice), asked)
    assert reply.status_code == 400
    assert reply.json()["detail"].startswith(detail)


def test_the_session_of_another_workspace_is_not_there(caller: Caller, bob: Entity) -> None:
    assert caller.post(address(bob), {"query": "Anything?"}).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_live_value_is_fetched_and_a_source_that_hangs_is_named(
    caller: Caller, alice: Entity, settings: Any
) -> None:
    functions = {name: f"{__name__}.{name}" for name in ("balance", "hanging")}
    settings.MEMSEEK = replace(settings.MEMSEEK, live=LiveSettings(callables=functions, credentials={}))
    for name in functions:
        LiveSource.objects.create(
            workspace=alice.workspace, name=name, kind="callable", address=name, timeout_milliseconds=200
        )
        with transaction.atomic():
            make_claim(alice, f"billing.{name}", None, live_source=name, text=f"customer-123 {name}, live")
    body = context(caller, alice, query="billing of customer-123")
    gate.set()
    told = {row["source"]: (row["state"], row["problem"]) for row in body["manifest"]["live"]}
    assert told == {"balance": ("fetched", ""), "hanging": ("unavailable", "did not answer in time")}
    asked = body["messages"][-1]["content"]
    assert "## Live state\n" in asked
    assert "billing.balance: euros 12, of customer-123 (fetched " in asked
    assert "billing.hanging: unavailable: hanging did not answer in time\n" in asked
    without = context(caller, alice, query="billing of customer-123", live=False)
    assert {row["state"] for row in without["manifest"]["live"]} == {"unavailable"}
