"""What is refused at `/v1` before a key is looked at."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from memory.proxy.asgi import application
from memseek_site.proxy_reading import ProxySettings

CHAT = "/v1/chat/completions"


def asked(path: str, method: str = "POST", host: str = "localhost", **headers: str) -> tuple[int, str, str]:
    """Status, code and Allow of a request's reply."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    named = {"host": host, **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "scheme": "http",
    }
    asyncio.run(application(scope, receive, send))
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    assert len(told["x-request-id"]) == 32
    return sent[0]["status"], json.loads(sent[1]["body"])["error"]["code"], told.get("allow", "")


@pytest.fixture
def is_on(settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, proxy=ProxySettings(is_on=True))


def test_it_is_not_there_until_it_is_switched_on() -> None:
    assert asked(CHAT) == (404, "not_found", "")


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/embeddings", "/v1/chat/completions/", "/v1/modelsx"])
def test_other_addresses_are_not_there(is_on: None, path: str) -> None:
    assert asked(path) == (404, "not_found", "")


def test_methods_hosts_and_keys(is_on: None) -> None:
    assert asked(CHAT, method="GET") == (405, "method_not_allowed", "POST")
    assert asked("/v1/models") == (405, "method_not_allowed", "GET")
    assert asked(CHAT, host="evil.example") == (421, "unknown_host", "")
    assert asked(CHAT) == (401, "invalid_api_key", "")
    assert asked(CHAT, authorization="Basic msk_something") == (401, "invalid_api_key", "")


def test_a_key_does_not_travel_in_the_open(is_on: None, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert asked(CHAT) == (403, "insecure", "")
