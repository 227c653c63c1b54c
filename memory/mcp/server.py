"""The server as the SDK has it: it lists, calls and reads, in threads, for whoever the caller is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from rest_framework.exceptions import APIException

from memory.limiting.rates import Kind
from memory.mcp.callers import Caller
from memory.mcp.catalog import TOOLS, tools_for
from memory.mcp.resources import (
    MARKDOWN,
    TEMPLATES,
    Listed,
    NoResourceError,
    list_resources,
    read_resource,
)
from memory.mcp.schemas import input_schema, output_schema
from memory.mcp.threads import in_thread
from memory.mcp.tools import UNTRUSTED, Outcome, Tool, call, failure
from memseek_site import VERSION

NAME = "memseek"
TITLE = "Memseek"
SCOPE_KEY = "memseek/scope"
INSTRUCTIONS = (
    "A memory of what was said in earlier conversations. Before a task ask context for it and keep to the"
    " standing rules it shows; recall finds one thing, answer cites. Keep what will matter later with"
    " remember, or whole conversations with record. " + UNTRUSTED
)
# What a key sees is its own: nothing in between may show it to another one.
PRIVATE = CacheHint(ttl_ms=0, scope="private")

Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Awaitable[Caller]]


def build_server(caller_of: CallerOf) -> Server[Any]:
    """A server whose requests belong to the caller that is found for each."""
    doors = _Doors(caller_of)
    return Server(
        NAME,
        version=VERSION,
        title=TITLE,
        instructions=INSTRUCTIONS,
        cache_hints=dict.fromkeys(("tools/list", "resources/list", "resources/read"), PRIVATE),
        # No argument of a tool is also sent as a header: there is nothing to compare.
        get_tool_input_schema=lambda name: None,
        on_list_tools=doors.list_tools,
        on_call_tool=doors.call_tool,
        on_list_resources=doors.list_resources,
        on_list_resource_templates=doors.list_templates,
        on_read_resource=doors.read_resource,
    )


class _Doors:
    def __init__(self, caller_of: CallerOf) -> None:
        self._caller_of = caller_of

    async def list_tools(
        self, context: Context, asked: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        caller = await self._caller_of(context)
        return types.ListToolsResult(tools=await _asked_in_thread(_described_for, caller))

    async def call_tool(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        caller = await self._caller_of(context)
        tool = TOOLS.get(asked.name)
        if tool is None:
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool of this name. Known are {', '.join(TOOLS)}."
            )
        return result_of(await in_thread(call, tool, caller, asked.arguments or {}))

    async def list_resources(
        self, context: Context, asked: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        caller = await self._caller_of(context)
        found, following = await _asked_in_thread(list_resources, caller, asked.cursor if asked else None)
        return types.ListResourcesResult(resources=[_resource(one) for one in found], next_cursor=following)

    async def list_templates(
        self, context: Context, asked: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        await self._caller_of(context)
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=one.form, name=one.name, description=one.about, mime_type=MARKDOWN
                )
                for one in TEMPLATES
            ]
        )

    async def read_resource(
        self, context: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        caller = await self._caller_of(context)
        text = await _asked_in_thread(read_resource, caller, asked.uri)
        contents = types.TextResourceContents(uri=asked.uri, mime_type=MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[contents])


def _described_for(caller: Caller) -> list[types.Tool]:
    caller.spend(Kind.READ)
    return [described(tool, caller.entity) for tool in tools_for(caller)]


def described(tool: Tool, entity: str) -> types.Tool:
    """A tool as clients are shown it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool, entity=entity),
        output_schema=output_schema(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.hints.is_read_only,
            destructive_hint=tool.hints.is_destructive,
            idempotent_hint=tool.hints.is_idempotent,
            open_world_hint=False,
        ),
        meta={SCOPE_KEY: tool.scope},
    )


def result_of(outcome: Outcome) -> types.CallToolResult:
    """What a call ended with; what was refused has no structure that the schema would promise."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text) for text in outcome.texts],
        structured_content=None if outcome.is_error else outcome.body,
        is_error=outcome.is_error,
    )


def _resource(listed: Listed) -> types.Resource:
    return types.Resource(
        uri=listed.uri, name=listed.name, title=listed.title, description=listed.about, mime_type=MARKDOWN
    )


async def _asked_in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """For methods that have no body for errors: what is refused becomes an error of the protocol."""
    try:
        return await in_thread(function, *arguments)
    except NoResourceError as error:
        message = "There is no such resource for this key."
        raise MCPError(types.INVALID_PARAMS, message, data={"uri": str(error)}) from error
    except Exception as error:
        code = types.INVALID_PARAMS if isinstance(error, APIException) else types.INTERNAL_ERROR
        body = failure(error).body
        raise MCPError(code, f"{body['error']}: {body['detail']}", data=body) from error
