"""The one error body outside of views, and the id of a request on every reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.test import Client

from memory.ingest.workspaces import create_key
from memory.models import Entity, Message, Workspace
from tests.api.conftest import Caller
from tests.api.test_limits import limits
from tests.events.serving import serving

__all__ = ["limits"]


def shown(reply: Any) -> tuple[int, str]:
    assert reply.headers["Content-Type"] == "application/json"
    assert set(reply.json()) == {"error", "detail"}
    assert len(reply.headers["X-Request-ID"]) == 32
    return reply.status_code, reply.json()["error"]


@pytest.mark.parametrize("path", ["/timeline", "/api/v1/timeline", "/api/nothing"])
def test_an_unknown_host_is_told(db: None, path: str) -> None:
    assert shown(Client(headers={"Host": "elsewhere.example"}).get(path)) == (400, "unknown_host")


def test_an_unknown_host_of_a_page_has_djangos_own_page(db: None) -> None:
    reply = Client(headers={"Host": "elsewhere.example"}).get("/admin/")
    assert (reply.status_code, reply.headers["Content-Type"].split(";")[0]) == (400, "text/html")


@pytest.mark.parametrize("path", ["/timeline/", "/api/v1/timeline/x", "/api/", "/v1/nothing"])
def test_an_unknown_address_is_told(caller: Caller, path: str) -> None:
    assert shown(caller.get(path)) == (404, "not_found")


def test_what_cannot_be_given_as_asked_is_told(caller: Caller, alice: Entity) -> None:
    reply = caller.client.get("/timeline", {"entity": "agent.alice"}, headers={"Accept": "text/html"})
    assert shown(reply) == (406, "not_acceptable")


def test_another_method_is_told_with_those_that_are_known(caller: Caller) -> None:
    reply = caller.post("/timeline", {})
    assert (shown(reply), reply.headers["Allow"]) == ((405, "method_not_allowed"), "GET, HEAD, OPTIONS")


@pytest.fixture
def url(transactional_db: None) -> Any:
    with serving() as address:
        yield address


def test_a_body_that_comes_in_pieces_is_read(url: str) -> None:
    workspace = Workspace.objects.create(name="acme")
    token = create_key(workspace=workspace, label="test").token
    message = {"session": "s1", "role": "user", "text": "I like tea."}
    whole = json.dumps({"entity": "agent.alice", "messages": [message]}).encode()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": "pieces",
    }
    replies = [
        httpx.post(f"{url}/api/v1/records", content=iter([body[:9], body[9:]]), headers=headers)
        for body in (whole, whole, whole.replace(b"tea", b"ale"))
    ]
    assert [reply.status_code for reply in replies] == [201, 201, 422]
    assert [message.text for message in Message.objects.all()] == ["I like tea."]


@pytest.mark.parametrize("announces", [True, False])
def test_a_body_is_cut_off_while_it_is_read(url: str, limits: Callable[..., None], announces: bool) -> None:
    limits(body_megabytes=1)
    sent: list[int] = []

    def pieces() -> Any:
        for _ in range(200):
            sent.append(1)
            yield b"x" * 65_536

    headers = {"Content-Type": "application/json"}
    if announces:
        headers["Content-Length"] = str(200 * 65_536)
    try:
        reply = httpx.post(f"{url}/api/v1/records", content=pieces(), headers=headers)
    except (httpx.WriteError, httpx.ReadError):
        # The server has replied and hung up while the rest was being sent.
        assert len(sent) < 200
        return
    assert shown(reply) == (413, "too_large")
    assert reply.headers["Connection"] == "close"


def test_an_import_may_be_larger(url: str, limits: Callable[..., None]) -> None:
    limits(body_megabytes=1)
    headers = {"Content-Type": "application/x-ndjson"}
    reply = httpx.post(f"{url}/api/v1/entities/agent.x/import", content=b"x" * 2_000_000, headers=headers)
    assert shown(reply) == (401, "not_authenticated")
