"""From standard streams to the `/mcp` of a server elsewhere, for clients that can only start a command.

Nothing is decided here: what the client asks is asked there with the key, and what comes back is passed on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import mcp_types as types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel.server import Server
from mcp.shared._httpx_utils import create_mcp_http_client

from memory.client.site import Site
from memseek_site import VERSION


@asynccontextmanager
async def connected(site: Site, entity: str) -> AsyncIterator[Client]:
    """A client of the server's `/mcp`, which has answered already."""
    query = f"?entity={quote(entity, safe='')}" if entity else ""
    headers = {"Authorization": f"Bearer {site.key}"}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(f"{site.base_url}/mcp{query}", http_client=http)) as client,
    ):
        yield client


def bridge_server(client: Client) -> Server[Any]:
    """A server that answers with what the other one answers."""
    passing = _Passing(client)
    known = client.server_info
    return Server(
        known.name if known else "memseek",
        version=known.version if known else VERSION,
        title=known.title if known else None,
        instructions=client.instructions,
        on_list_tools=passing.list_tools,
        on_call_tool=passing.call_tool,
        on_list_resources=passing.list_resources,
        on_list_resource_templates=passing.list_templates,
        on_read_resource=passing.read_resource,
    )


class _Passing:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_tools(
        self, context: object, asked: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return await self._client.list_tools(cursor=_cursor(asked))

    async def call_tool(self, context: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        return await self._client.call_tool(asked.name, asked.arguments)

    async def list_resources(
        self, context: object, asked: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return await self._client.list_resources(cursor=_cursor(asked))

    async def list_templates(
        self, context: object, asked: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return await self._client.list_resource_templates(cursor=_cursor(asked))

    async def read_resource(
        self, context: object, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self._client.read_resource(asked.uri)


def _cursor(asked: types.PaginatedRequestParams | None) -> str | None:
    return asked.cursor if asked else None
