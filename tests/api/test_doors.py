"""What all endpoints share: keys, one error body, addresses, origins."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from memory.api import views
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Process
from memseek_site import VERSION
from tests.api.conftest import Caller

BODY = {"entity": "agent.alice", "messages": [{"session": "s1", "role": "user", "text": "hi"}]}


@pytest.mark.parametrize("prefix", ["/", "/api/v1/"])
def test_health_needs_no_key(db: None, prefix: str) -> None:
    reply = Client().get(f"{prefix}health")
    assert (reply.status_code, reply.json()) == (
        200,
        {"status": "ok", "version": VERSION, "database": "ok", "worker_seen_seconds": None},
    )


def test_health_tells_when_a_worker_was_last_seen(db: None) -> None:
    for name, age in (("a", 100), ("b", 40)):
        Process.objects.create(
            kind="worker",
            name=name,
            configuration_hash="x",
            seen_at=datetime.now(UTC) - timedelta(seconds=age),
        )
    assert 40 <= Client().get("/health").json()["worker_seen_seconds"] < 60


def test_health_without_a_database_is_unavailable(db: None) -> None:
    with connection.execute_wrapper(no_answer):
        reply = Client().get("/health")
    assert (reply.status_code, reply.json()) == (
        503,
        {"status": "unavailable", "version": VERSION, "database": "unavailable", "worker_seen_seconds": None},
    )


def no_answer(*_: Any) -> None:
    raise OperationalError


def shown(reply: Any) -> tuple[int, dict[str, str]]:
    return reply.status_code, reply.json()


def test_a_key_is_needed(alice: Entity) -> None:
    reply = Caller().get("/timeline", entity="agent.alice")
    assert shown(reply) == (
        401,
        {"error": "not_authenticated", "detail": "Authentication credentials were not provided."},
    )
    assert reply["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["Bearer", "Bearer a b", "Basic abc", "msk_abc"])
def test_a_malformed_header_is_told(alice: Entity, header: str) -> None:
    reply = Client(headers={"Authorization": header}).get("/timeline")
    assert shown(reply) == (
        401,
        {
            "error": "authentication_failed",
            "detail": "The Authorization header has to be: Bearer and a workspace key.",
        },
    )


@pytest.mark.parametrize("change", [{"revoked_at": datetime.now(UTC)}, {"expires_at": datetime.now(UTC)}])
def test_a_key_that_is_over_opens_nothing(caller: Caller, change: dict[str, Any]) -> None:
    Key.objects.update(**change)
    assert shown(caller.get("/timeline", entity="agent.alice")) == (
        401,
        {"error": "authentication_failed", "detail": "This key is unknown, revoked or expired."},
    )


@pytest.mark.parametrize(
    ("scope", "statuses"), [("read", (200, 403)), ("write", (200, 201)), ("admin", (200, 201))]
)
def test_scopes_decide(alice: Entity, scope: str, statuses: tuple[int, int]) -> None:
    caller = Caller(create_key(workspace=alice.workspace, label="x", scopes=[scope]).token)
    read, written = caller.get("/timeline", entity="agent.alice"), caller.post("/records", BODY)
    assert (read.status_code, written.status_code) == statuses
    if written.status_code == 403:
        assert written.json() == {"error": "permission_denied", "detail": "This key has no write scope."}


def test_a_bound_key_sees_and_makes_no_other_entity(alice: Entity) -> None:
    caller = Caller(create_key(workspace=alice.workspace, label="x", entities=[alice]).token)
    assert caller.get("/timeline", entity="agent.alice").status_code == 200
    refusal = {"error": "not_found", "detail": "There is no such entity for this key."}
    assert shown(caller.get("/timeline", entity="agent.other")) == (404, refusal)
    assert shown(caller.post("/records", BODY | {"entity": "agent.other"})) == (404, refusal)


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/timeline", "/api/", "/api/v1/timeline/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_unknown_addresses_have_the_same_body(db: None, path: str, method: str) -> None:
    reply = getattr(Client(), method)(path)
    assert shown(reply) == (404, {"error": "not_found", "detail": "There is no such address."})


def test_other_methods_are_refused(caller: Caller) -> None:
    assert shown(caller.post("/timeline", {})) == (
        405,
        {"error": "method_not_allowed", "detail": 'Method "POST" not allowed.'},
    )


def test_other_content_is_refused(caller: Caller) -> None:
    reply = caller.client.post("/records", "entity=a", content_type="application/x-www-form-urlencoded")
    assert shown(reply) == (
        415,
        {
            "error": "unsupported_media_type",
            "detail": 'Unsupported media type "application/x-www-form-urlencoded" in request.',
        },
    )


@pytest.mark.parametrize("body", ["{", "", '{"entity": NaN}', b"\xff", "[" * 200_000, "9" * 5_000])
def test_a_body_that_is_no_json_is_refused(caller: Caller, body: Any) -> None:
    reply = caller.client.post("/records", body, content_type="application/json")
    assert (reply.status_code, set(reply.json())) == (400, {"error", "detail"})


def test_an_unforeseen_error_is_hidden(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(views, "read_timeline", fail)
    assert shown(caller.get("/timeline", entity="agent.alice")) == (
        500,
        {"error": "internal", "detail": "Something went wrong here. The error is in the server's log."},
    )


def test_a_database_that_does_not_answer_is_told(caller: Caller) -> None:
    with connection.execute_wrapper(no_answer):
        reply = caller.get("/timeline", entity="agent.alice")
    assert (reply.status_code, reply.json()["error"], reply["Retry-After"]) == (503, "unavailable", "5")


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("http://127.0.0.1:4321", True),
        ("http://localhost:4321", False),
        ("http://127.0.0.1:4322", False),
        ("https://127.0.0.1:4321", False),
        ("null", False),
    ],
)
def test_only_the_exact_origin_may_call(caller: Caller, settings: Any, origin: str, is_allowed: bool) -> None:
    settings.CORS_ALLOWED_ORIGINS = ["http://127.0.0.1:4321"]
    asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
    preflight = caller.client.options(
        "/timeline", headers=asked | {"Access-Control-Request-Headers": "authorization"}
    )
    reply = caller.client.get("/timeline", {"entity": "agent.alice"}, headers={"Origin": origin})
    expected = origin if is_allowed else None
    assert preflight.headers.get("Access-Control-Allow-Origin") == expected
    assert reply.headers.get("Access-Control-Allow-Origin") == expected
    assert ("authorization" in preflight.headers.get("Access-Control-Allow-Headers", "")) is is_allowed
