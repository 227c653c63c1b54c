"""MCP over standard input and output, in a process of its own that works on the database.

The same server as behind `/mcp`: a client that starts a command needs nothing else to be running. Standard
output carries the protocol alone; whatever is printed meanwhile goes to standard error.
"""

from __future__ import annotations

import signal
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from memory.ingest.access import open_access
from memory.mcp.callers import Caller, caller_with
from memory.mcp.server import build_server
from memory.mcp.threads import in_thread

NO_ACCESS = "The key is unknown, revoked or expired."


def local_server(token: str, entity: str) -> Server[Any]:
    """A server for one key, looked at with every request: a revoked one opens nothing from then on."""

    async def caller_of(context: object) -> Caller:
        caller = await in_thread(open_caller, token, entity)
        if caller is None:
            raise MCPError(types.INVALID_REQUEST, NO_ACCESS)
        return caller

    return build_server(caller_of)


def open_caller(token: str, entity: str) -> Caller | None:
    """The bearer of a token, None when it opens nothing."""
    access = open_access(token)
    return None if access is None else caller_with(access, entity)


async def serve(server: Server[Any]) -> None:
    """Answer until the client closes its end; an interrupt ends the process at once.

    The thread that reads cannot be called back: an orderly end would wait for the client's next line.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
