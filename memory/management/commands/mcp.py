"""`manage.py mcp`: MCP over standard input and output, and a look at what a client would see."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memory.client.errors import ConfigurationError
from memory.client.site import Site, is_site_named, site_of
from memory.llm.embedders.registry import query_embedding
from memory.mcp.threads import in_thread
from memseek_site.commands import MemseekCommand
from memseek_site.servers import ensure_servers
from memseek_site.serving import migrate_if_needed
from memseek_site.workers import ensure_worker

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from memory.mcp.callers import Caller


class Command(MemseekCommand):
    """In this process on the database, or passed on to the server that MEMSEEK_BASE_URL names."""

    help = (
        "Serve MCP over standard input and output with the key of MEMSEEK_API_KEY: on the database, or on the"
        " server of MEMSEEK_BASE_URL where that is set."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """--entity and --check."""
        parser.add_argument(
            "--entity", default="", metavar="NAME", help="whose memory is meant where a call names nobody"
        )
        parser.add_argument("--check", action="store_true", help="print what a client would see, and end")

    def handle(self, *_: Any, **options: Any) -> None:
        """Serve until the client leaves."""
        try:
            site = site_of(None, None)
        except ConfigurationError as problem:
            raise CommandError(f"{problem} manage.py create_workspace makes one.") from problem
        run = _remote if is_site_named() else _local
        for line in run(site, options["entity"], is_check=options["check"]):
            self.stdout.write(line)


def _remote(site: Site, entity: str, *, is_check: bool) -> list[str]:
    from memory.mcp.bridge import bridge_server, connected
    from memory.mcp.looking import look
    from memory.mcp.stdio import serve

    async def run() -> list[str]:
        async with connected(site, entity or settings.MEMSEEK.mcp_entity) as client:
            if is_check:
                return [f"Where      {site.base_url}/mcp", *await look(client)]
            await serve(bridge_server(client))
            return []

    try:
        return asyncio.run(run())
    except Exception as problem:
        raise CommandError(_told(site, problem)) from problem


def _told(site: Site, problem: BaseException) -> str:
    from mcp.shared.exceptions import MCPError

    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    if isinstance(problem, MCPError):
        return f"{site.base_url}/mcp refused: {problem}. Is the key known there, and is it Memseek?"
    return f"{site.base_url}/mcp did not answer ({type(problem).__name__})"


def _local(site: Site, entity: str, *, is_check: bool) -> list[str]:
    ensure_servers()
    migrate_if_needed()
    from memory.mcp.stdio import NO_ACCESS, local_server, open_caller

    caller = open_caller(site.key, entity)
    if caller is None:
        raise CommandError(NO_ACCESS)
    server = local_server(site.key, entity)
    if is_check:
        return asyncio.run(_looked(server, caller))
    _serve(server)
    return []


async def _looked(server: Server[Any], caller: Caller) -> list[str]:
    from mcp.client import Client

    from memory.mcp.looking import look, opened

    told = await in_thread(opened, caller)
    async with Client(server) as client:
        return ["Where      in this process, on the database", *told, *await look(client)]


def _serve(server: Server[Any]) -> None:
    """With a worker beside it, where none lives; its output goes to standard error."""
    from memory.mcp.stdio import serve

    query_embedding().warm_up()
    with ExitStack() as ended:
        if not settings.MEMSEEK.is_llm_fake:
            ended.enter_context(ensure_worker(_notice))
        asyncio.run(serve(server))


def _notice(line: str) -> None:
    sys.stderr.write(f"{line}\n")
