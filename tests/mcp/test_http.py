"""The guards of `/mcp`, and that a request stands alone: in this process, through the ASGI application."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from dataclasses import replace
from typing import Any, cast

import httpx
import pytest

from memory.mcp.http import application
from memory.models import Key
from tests.cast import Alice
from tests.mcp.conftest import ALICE, token_for
from tests.setup.commands import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
ORIGIN = "https://app.example.com"


def asked(
    body: Any = LIST,
    *,
    token: str = "",
    method: str = "POST",
    path: str = "/mcp",
    host: str = "localhost:8000",
    scheme: str = "http",
    **headers: str,
) -> httpx.Response:
    """One request, as a server would hand it on."""
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(cast(Any, application))
        async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://{host}") as client:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers = {"Content-Type": "application/json", **ACCEPT, **bearer, **named}
            return await client.request(method, path, content=content, headers=headers)

    return asyncio.run(send())


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {**LIST, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def error_of(reply: httpx.Response) -> tuple[int, str]:
    assert set(reply.json()) == {"error", "detail"}
    return reply.status_code, reply.json()["error"]


def test_a_request_without_a_session_is_answered_by_one_body(alice: Alice) -> None:
    token = token_for(alice.entity)
    for _ in range(2):
        reply = asked(call("standing_rules", entity=ALICE), token=token)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
        assert reply.json()["result"]["structuredContent"]["entity"] == ALICE
        assert "mcp-session-id" not in reply.headers


def test_a_session_that_never_was_is_no_hindrance(alice: Alice) -> None:
    reply = asked(call("standing_rules", entity=ALICE), token=token_for(alice.entity), Mcp_Session_Id="never")
    assert reply.json()["result"]["structuredContent"]["entity"] == ALICE
    assert "mcp-session-id" not in reply.headers


def test_calls_at_once_are_answered_each_for_itself(alice: Alice) -> None:
    headers = {**ACCEPT, "Authorization": f"Bearer {token_for(alice.entity)}"}

    async def send() -> list[httpx.Response]:
        transport = httpx.ASGITransport(cast(Any, application))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            bodies = [{**call("standing_rules", entity=ALICE, limit=n), "id": n} for n in range(1, 7)]
            return await asyncio.gather(*(client.post("/mcp", json=body, headers=headers) for body in bodies))

    told = [reply.json() for reply in asyncio.run(send())]
    assert [(one["id"], one["result"]["isError"]) for one in told] == [(n, False) for n in range(1, 7)]


@pytest.mark.parametrize("authorization", ["", "Bearer msk_nothing", "Basic bXNrOg==", "Bearer"])
def test_without_a_key_that_opens_something_there_is_a_challenge(authorization: str, alice: Alice) -> None:
    reply = asked(**({"Authorization": authorization} if authorization else {}))
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert error_of(reply)[1] in ("not_authenticated", "authentication_failed")


def test_a_revoked_key_opens_nothing_any_more(alice: Alice) -> None:
    token = token_for(alice.entity)
    assert asked(token=token).status_code == 200
    Key.objects.update(revoked_at="2026-01-01T00:00:00Z")
    assert asked(token=token).status_code == 401


def test_another_host_is_refused_before_the_key_is_looked_at() -> None:
    assert error_of(asked(host="rebound.example.org")) == (421, "unknown_host")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example.org", 403),
        ("null", 403),
        ("http://localhost:9999", 403),
        (ORIGIN, 200),
        ("http://localhost:8000", 200),
    ],
)
def test_an_origin_has_to_be_a_known_one(origin: str, status: int, alice: Alice, settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = [ORIGIN]
    reply = asked(token=token_for(alice.entity), Origin=origin)
    assert reply.status_code == status
    assert reply.headers.get("Access-Control-Allow-Origin") == (ORIGIN if origin == ORIGIN else None)
    assert reply.headers["Vary"] == "Origin"


def test_a_page_of_a_known_origin_may_ask_first(settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = [ORIGIN]
    wanted = "authorization, content-type, mcp-protocol-version"
    reply = asked(method="OPTIONS", Origin=ORIGIN, Access_Control_Request_Headers=wanted)
    assert reply.status_code == 204
    assert reply.headers["Access-Control-Allow-Headers"] == wanted
    assert reply.headers["Access-Control-Allow-Methods"] == "POST"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_to_get_and_no_session_to_end(method: str) -> None:
    reply = asked(method=method)
    assert (error_of(reply), reply.headers["Allow"]) == ((405, "method_not_allowed"), "POST")


def test_nothing_is_below_the_address() -> None:
    assert error_of(asked(path="/mcp/sessions")) == (404, "not_found")


def test_a_key_does_not_travel_in_the_open(alice: Alice, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    token = token_for(alice.entity)
    assert error_of(asked(token=token)) == (403, "insecure")
    assert asked(token=token, scheme="https").status_code == 200


def limited(settings: Any, **limits: Any) -> None:
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, limits=replace(product.limits, **limits))


def test_a_body_has_a_size(alice: Alice, settings: Any) -> None:
    limited(settings, body_megabytes=1)
    reply = asked("x" * 1024 * 1024, token=token_for(alice.entity))
    assert error_of(reply) == (413, "too_large")


def test_arguments_have_a_depth(alice: Alice, settings: Any) -> None:
    limited(settings, json_depth=4)
    deep = {"entity": ALICE, "text": {"a": {"b": {"c": {}}}}}
    reply = asked(call("remember", **deep), token=token_for(alice.entity)).json()["result"]
    assert reply["isError"]
    assert "more than 4 levels" in reply["content"][0]["text"]


def test_a_rate_holds_for_the_calls_of_a_key(alice: Alice, settings: Any) -> None:
    limited(settings, writes=1)
    token = token_for(alice.entity)
    told = [asked(call("remember", entity=ALICE, text="x"), token=token).json()["result"] for _ in range(2)]
    assert [result["isError"] for result in told] == [False, True]
    assert '"rate_limited"' in told[1]["content"][0]["text"]
    assert not asked(call("standing_rules", entity=ALICE), token=token).json()["result"]["isError"]


def test_an_address_that_tries_many_keys_has_to_wait(alice: Alice, settings: Any) -> None:
    limited(settings, failed_keys=2)
    replies = [asked(token=f"msk_{number}") for number in range(3)]
    assert [reply.status_code for reply in replies] == [401, 401, 429]
    assert int(replies[2].headers["Retry-After"]) > 0


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_endless_nesting_does_no_harm(version: str, alice: Alice) -> None:
    nested = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": ' + b"[" * 1_000_000
    reply = asked(nested, token=token_for(alice.entity), MCP_Protocol_Version=version)
    assert reply.status_code == 400


def test_the_connection_may_say_whose_memory_is_meant(alice: Alice) -> None:
    token = token_for(alice.entity)
    for given in ({"X_Memseek_Entity": ALICE}, {"path": f"/mcp?entity={ALICE}"}):
        reply = asked(call("standing_rules"), token=token, **given)
        assert reply.json()["result"]["structuredContent"]["entity"] == ALICE
    assert asked(call("standing_rules"), token=token).json()["result"]["isError"]


def test_the_setting_names_whose_memory_is_meant(alice: Alice, settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, mcp_entity=ALICE)
    reply = asked(call("standing_rules"), token=token_for(alice.entity))
    assert reply.json()["result"]["structuredContent"]["entity"] == ALICE


def test_a_request_is_one_line_of_the_log_with_its_id_and_without_words(
    alice: Alice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    given = "0123456789abcdef0123456789abcdef"
    token = token_for(alice.entity)
    reply = asked(call("remember", entity=ALICE, text="Sesame opens."), token=token, X_Request_ID=given)
    assert reply.headers["X-Request-ID"] == given
    lines = [record for record in caplog.records if record.name == "memseek_site.requests"]
    told = [(line.method, line.route, line.status) for line in lines]  # type: ignore[attr-defined]
    assert told == [("POST", "mcp", 200)]
    assert not any("Sesame" in str(vars(record)) for record in caplog.records)


def test_the_sdk_is_not_loaded_before_the_first_request_with_a_key() -> None:
    program = (
        "import django; django.setup()\n"
        "import sys, memory.api.urls, memory.mcp.http, memseek_site.mounting\n"
        "assert memseek_site.mounting.mounted_at('/mcp') is memory.mcp.http.application\n"
        "assert memseek_site.mounting.mounted_at('/mcpx') is None\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types')))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (told.stdout.strip(), told.returncode) == ("[]", 0), told.stderr
