"""Rates, sizes and times of requests, and what a client is told of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory

from memory.ingest.workspaces import create_key
from memory.limiting.rates import address_of
from memory.models import Entity
from memseek_site.statement_limits import statements_within
from tests.api.conftest import Caller


@pytest.fixture
def limits(settings: Any, broker_url: str) -> Callable[..., None]:
    """Change limits. Keys are new in each test, addresses are made up."""

    def change(**values: Any) -> None:
        settings.MEMSEEK = replace(settings.MEMSEEK, limits=replace(settings.MEMSEEK.limits, **values))

    return change


def told(reply: Any) -> tuple[int, dict[str, str]]:
    return reply.status_code, {
        name: value for name, value in reply.headers.items() if name.startswith("RateLimit-L")
    }


def test_where_no_rate_is_set_none_is_told(caller: Caller, alice: Entity) -> None:
    assert told(caller.get("/timeline", entity="agent.alice")) == (200, {})


def test_reads_and_writes_of_a_key_have_rates_of_their_own(
    caller: Caller, alice: Entity, limits: Callable[..., None]
) -> None:
    limits(reads=2, writes=1)
    reads = [caller.get("/timeline", entity="agent.alice") for _ in range(3)]
    assert [reply.status_code for reply in reads] == [200, 200, 429]
    assert [reply.headers["RateLimit-Remaining"] for reply in reads] == ["1", "0", "0"]
    body = {"entity": "agent.alice", "messages": [{"session": "s1", "role": "user", "text": "hi"}]}
    assert [caller.post("/records", body).status_code for _ in range(2)] == [201, 429]
    last: Any = reads[-1]
    assert last.json() == {
        "error": "rate_limited",
        "detail": f"Too many requests. Ask again in {last.headers['Retry-After']} seconds.",
    }
    assert 1 <= int(last.headers["Retry-After"]) <= 120
    assert 1 <= int(last.headers["RateLimit-Reset"]) <= 60
    assert last.headers["RateLimit-Limit"] == "2"


def test_a_question_by_post_is_a_read_and_an_answer_is_dear(
    caller: Caller, alice: Entity, limits: Callable[..., None]
) -> None:
    limits(reads=1, writes=100, expensive=1)
    asked = {"entity": "agent.alice", "query": "tea"}
    assert [caller.post("/api/v1/recall", asked).status_code for _ in range(2)] == [200, 429]
    question = {"entity": "agent.alice", "question": "tea?"}
    assert [caller.post("/api/v1/answer", question).status_code for _ in range(2)] == [200, 429]


def test_an_address_has_a_rate_whatever_its_keys(alice: Entity, limits: Callable[..., None]) -> None:
    limits(of_address=2)
    tokens = [create_key(workspace=alice.workspace, label=str(number)).token for number in range(3)]
    statuses = [
        Client(headers={"Authorization": f"Bearer {token}"}, REMOTE_ADDR="198.51.100.7")
        .get("/timeline", {"entity": "agent.alice"})
        .status_code
        for token in tokens
    ]
    assert statuses == [200, 200, 429]


def test_an_address_that_tries_keys_is_refused_and_a_key_that_opens_is_not(
    alice: Entity, token: str, limits: Callable[..., None]
) -> None:
    limits(failed_keys=2)
    client = Client(REMOTE_ADDR="198.51.100.8")

    def ask(given: str) -> int:
        headers = {"Authorization": f"Bearer {given}"}
        return client.get("/timeline", {"entity": "agent.alice"}, headers=headers).status_code

    assert [ask("msk_wrong") for _ in range(3)] == [401, 401, 429]
    assert ask(token) == 200


@pytest.mark.parametrize(
    ("hops", "forwarded", "address"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "unknown"),
        (1, "gossip", "unknown"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
    ],
)
def test_proxies_are_believed_as_far_as_there_are_any(
    limits: Callable[..., None], hops: int, forwarded: str, address: str
) -> None:
    limits(proxies=hops)
    request = RequestFactory().get("/", HTTP_X_FORWARDED_FOR=forwarded, REMOTE_ADDR="192.0.2.1")
    assert address_of(request) == address


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"a": {"b": {"c": [[[[[[[1]]]]]]]}}}, "The body has more than 8 levels."),
        ({str(number): number for number in range(21)}, "The body has more than 20 fields."),
        ({"a": [{"b": 1} for _ in range(20)]}, "The body has more than 20 fields."),
    ],
)
def test_bodies_are_neither_deep_nor_wide(
    caller: Caller, alice: Entity, limits: Callable[..., None], body: Any, detail: str
) -> None:
    limits(json_depth=8, json_keys=20)
    reply: Any = caller.post("/records", body)
    assert (reply.status_code, reply.json()) == (400, {"error": "invalid", "detail": detail})


@pytest.mark.django_db(transaction=True)
def test_a_statement_of_a_read_ends_after_its_time_and_others_do_not() -> None:
    def limit() -> str:
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            return str(cursor.fetchone()[0])

    usual = limit()
    with statements_within(7.5):
        assert [limit(), limit()] == ["7500ms", "7500ms"]
        with statements_within(0):
            assert limit() == usual
    assert limit() == usual


@pytest.mark.django_db(transaction=True)
def test_what_takes_too_long_is_told(caller: Caller, limits: Callable[..., None], monkeypatch: Any) -> None:
    limits(read_seconds=0.05)

    def sleep(*_: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(20)")

    monkeypatch.setattr("memory.api.views.read_timeline", sleep)
    connection.close()
    reply: Any = caller.get("/timeline", entity="agent.alice")
    connection.close()
    assert (reply.status_code, reply.json(), reply.headers["Retry-After"]) == (
        503,
        {"error": "too_slow", "detail": "This takes longer than one request may. Ask for less."},
        "5",
    )
