"""The official client, in both eras of the protocol, over both transports and across a bridge."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from django.db import connections
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from memory.ingest.workspaces import revoke_key
from memory.models import Key, Message
from tests.cast import Alice
from tests.factories import make_entity
from tests.mcp.calls import CALLS
from tests.mcp.conftest import ALICE, EVERY_SCOPE, Running, token_for
from tests.setup.commands import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

Use = Callable[[Client], Awaitable[Any]]


@asynccontextmanager
async def connected(way: str, running: Running, token: str, mode: str) -> AsyncIterator[Client]:
    """A client of a live server: of its address, or of a child that works itself or passes on."""
    if way == "http":
        async with (
            create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(f"{running.url}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client
        return
    more = {"MEMSEEK_BASE_URL": running.url} if way == "bridge" else {}
    child = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp"],
        cwd=str(ROOT),
        env=running.stdio(token, **more),
    )
    async with Client(child, mode=mode) as client:
        yield client


def used(way: str, running: Running, token: str, use: Use, mode: str = "auto") -> Any:
    """What a function gets out of a connected client."""

    async def run() -> Any:
        async with connected(way, running, token, mode) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize(
    ("way", "mode"),
    [("http", "auto"), ("http", "legacy"), ("stdio", "auto"), ("stdio", "legacy"), ("bridge", "auto")],
)
def test_every_tool_is_listed_and_called(way: str, mode: str, running: Running, alice: Alice) -> None:
    async def use(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(CALLS)
        for tool in listed:
            # The client itself holds the result against the schema that it was shown.
            result = await client.call_tool(tool.name, {"entity": ALICE, **CALLS[tool.name]})
            assert not result.is_error, (tool.name, result.content)
            assert result.structured_content is not None
            assert result.structured_content["entity"] == ALICE
        assert client.protocol_version == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
        assert client.instructions is not None

    used(way, running, token_for(alice.entity, *EVERY_SCOPE), use, mode)
    assert Message.objects.filter(text="The gate code is 4711.").count() == 1


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_resources_are_listed_and_read(way: str, running: Running, alice: Alice) -> None:
    async def use(client: Client) -> dict[str, str]:
        forms = (await client.list_resource_templates()).resource_templates
        assert [form.uri_template.partition("}")[2] for form in forms] == [
            "/scenes/{id}",
            "/persona",
            "/rules",
        ]
        found = (await client.list_resources()).resources
        texts = {}
        for resource in found:
            (content,) = (await client.read_resource(resource.uri)).contents
            texts[resource.uri] = getattr(content, "text", "")
        return texts

    texts = used(way, running, token_for(alice.entity, bound=True), use)
    scene = f"memseek://{ALICE}/scenes/{alice.billing.scene_id}"
    assert list(texts) == [f"memseek://{ALICE}/persona", f"memseek://{ALICE}/rules", scene]
    assert all(text.startswith("<memseek-recall ") for text in texts.values())
    persona, rules, billing = texts.values()
    assert "- decision pattern: Asks for approval first." in persona
    assert "- [95] Never deploy without Alice's approval." in rules
    assert "- Billing stays on Express until October 15." in billing


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_forgetting_takes_two_steps_and_the_word_is_gone(way: str, running: Running, alice: Alice) -> None:
    async def use(client: Client) -> str:
        await client.call_tool("remember", {"text": "My locker is number 4711."})
        listed = await client.call_tool("forget", {"text": "forget my locker"})
        assert listed.structured_content is not None
        assert await asyncio.to_thread(count)
        token = listed.structured_content["token"]
        again = await client.call_tool("forget", {"token": token + "x"})
        assert again.is_error
        assert await asyncio.to_thread(count)
        assert not (await client.call_tool("forget", {"token": token})).is_error
        return str((await client.call_tool("recall", {"query": "locker 4711"})).content)

    def count() -> int:
        try:
            return Message.objects.filter(text__contains="4711").count()
        finally:
            connections.close_all()

    assert "4711" not in used(way, running, token_for(alice.entity, bound=True), use)
    assert count() == 0


@pytest.mark.parametrize("way", ["http", "bridge"])
def test_what_a_key_does_not_open_is_refused(way: str, running: Running, alice: Alice) -> None:
    make_entity("agent.carol", workspace=alice.entity.workspace)

    async def use(client: Client) -> list[tuple[bool, Any]]:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(CALLS)[:5]
        results = [
            await client.call_tool("remember", {"text": "x"}),
            await client.call_tool("standing_rules", {"entity": "agent.carol"}),
            await client.call_tool("recall", {"query": "x", "limit": 1000}),
        ]
        return [(result.is_error, error_of(result)) for result in results]

    assert used(way, running, token_for(alice.entity, "read", bound=True), use) == [
        (True, "This key has no write scope."),
        (True, "There is no such entity for this key."),
        (True, "limit: has to be less than or equal to 100."),
    ]


def error_of(result: Any) -> str:
    return str(json.loads(result.content[0].text)["detail"])


@pytest.mark.parametrize("way", ["http", "bridge"])
def test_what_is_not_there_is_an_error_of_the_protocol(way: str, running: Running, alice: Alice) -> None:
    async def use(client: Client) -> None:
        for asked, told in (
            (client.call_tool("no_such_tool", {}), "There is no tool of this name."),
            (client.read_resource("memseek://agent.bob/persona"), "There is no such resource"),
            (client.read_resource("file:///etc/passwd"), "There is no such resource"),
            (client.list_resources(cursor="nonsense"), "invalid: after: is no cursor of this list."),
        ):
            with pytest.raises(MCPError, match=re.escape(told)):
                await asked

    used(way, running, token_for(alice.entity), use)


def test_a_key_that_is_revoked_meanwhile_opens_nothing_from_then_on(running: Running, alice: Alice) -> None:
    async def use(client: Client) -> None:
        assert not (await client.call_tool("standing_rules", {})).is_error
        await asyncio.to_thread(revoke)
        with pytest.raises(MCPError, match="revoked"):
            await client.call_tool("standing_rules", {})

    used("stdio", running, token_for(alice.entity, bound=True), use)


def revoke() -> None:
    try:
        for key in Key.objects.all():
            revoke_key(key=key)
    finally:
        connections.close_all()


def test_resources_of_many_entities_come_page_by_page(running: Running, alice: Alice) -> None:
    for number in range(24):
        make_entity(f"agent/{number}", workspace=alice.entity.workspace)

    async def use(client: Client) -> list[int]:
        pages, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            pages.append(len(page.resources))
            cursor = page.next_cursor
            if cursor is None:
                break
        (content,) = (await client.read_resource("memseek://agent%2F7/persona")).contents
        assert "Nothing is known yet." in getattr(content, "text", "")
        return pages

    assert used("http", running, token_for(alice.entity), use) == [21, 20, 10]


def test_many_clients_at_once_hold_no_connection(running: Running, alice: Alice) -> None:
    """More calls than the pool has connections: each is given back before the next is made."""

    async def use(client: Client) -> list[bool]:
        calls = [client.call_tool("standing_rules", {"entity": ALICE}) for _ in range(60)]
        return [result.is_error for result in await asyncio.gather(*calls)]

    assert used("http", running, token_for(alice.entity), use) == [False] * 60
