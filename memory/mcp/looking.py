"""What a client would see of a server, told for people: `manage.py mcp --check`."""

from __future__ import annotations

from collections.abc import Iterator

import mcp_types as types
from mcp.client import Client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from memory.mcp.callers import Caller
from memory.mcp.catalog import TOOLS
from memory.mcp.server import SCOPE_KEY
from memory.models import Entity

RESOURCES_SHOWN = 20


async def look(client: Client) -> list[str]:
    """Server, protocol, tools, resources and their templates, as lines."""
    tools = (await client.list_tools()).tools
    resources = await client.list_resources()
    templates = (await client.list_resource_templates()).resource_templates
    return [
        *_server(client),
        "Tools",
        *(f"  {tool.name:<15} {_scope(tool):<6} {_effect(tool):<8} {tool.title}" for tool in tools),
        *_withheld({tool.name for tool in tools}),
        "Resources",
        *_resources(resources),
        *(f"  {template.uri_template}" for template in templates),
    ]


def _server(client: Client) -> Iterator[str]:
    server = client.server_info
    if server is not None:
        yield f"Server     {server.name} {server.version}"
    yield f"Protocol   {client.protocol_version} (by handshake also {', '.join(HANDSHAKE_PROTOCOL_VERSIONS)})"


def _scope(tool: types.Tool) -> str:
    return str((tool.meta or {}).get(SCOPE_KEY, ""))


def _effect(tool: types.Tool) -> str:
    hints = tool.annotations
    if hints is None or hints.read_only_hint:
        return "reads"
    return "erases" if hints.destructive_hint else "writes"


def _withheld(offered: set[str]) -> Iterator[str]:
    left = [f"{tool.name} (scope {tool.scope})" for tool in TOOLS.values() if tool.name not in offered]
    if left:
        yield f"  not for this key: {', '.join(left)}"


def _resources(found: types.ListResourcesResult) -> Iterator[str]:
    for resource in found.resources[:RESOURCES_SHOWN]:
        yield f"  {resource.uri}"
    more = len(found.resources) - RESOURCES_SHOWN
    if more > 0 or found.next_cursor:
        yield "  … and more"


def opened(caller: Caller) -> list[str]:
    """What a key opens, as lines; never the key itself."""
    access = caller.access
    lines = [
        f"Key        {access.key.label} ({access.key.prefix}…): {', '.join(access.key.scopes)}",
        f"Workspace  {access.workspace.name}",
    ]
    if access.is_bound:
        bound = Entity.objects.for_workspace(access.workspace.pk).filter(pk__in=access.entity_ids)
        lines.append(f"Bound to   {', '.join(bound.values_list('name', flat=True))}")
    return [*lines, f"Entity     {caller.entity or 'each call names one'}"]
