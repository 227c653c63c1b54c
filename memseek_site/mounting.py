"""ASGI applications beside Django, by the path they stand under; each is imported when it is first asked."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.utils.module_loading import import_string

Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[Event, Receive, Send], Awaitable[None]]

MOUNTED: Mapping[str, str] = {
    "/mcp": "memory.mcp.http.application",
    "/v1": "memory.proxy.asgi.application",
}
"""Path and dotted name. No middleware runs for them: keys, hosts, origins and the log are their own."""

ENDINGS = ("memory.proxy.asgi.end",)
"""What is awaited before the server ends, of those modules that were asked for anything."""


def mounted_at(path: str) -> Application | None:
    """The application that a path belongs to: the path itself, or what is below it."""
    for prefix, name in MOUNTED.items():
        if path == prefix or path.startswith(f"{prefix}/"):
            application: Application = import_string(name)
            return application
    return None


async def end_mounted() -> None:
    """Have what is mounted finish what it began."""
    for name in ENDINGS:
        if name.rpartition(".")[0] in sys.modules:
            await import_string(name)()
