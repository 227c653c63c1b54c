"""From the event loop into a thread and back: rooms block, and their connections are theirs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import connections

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """The result of a function that blocks, run in a thread of its own, as Django runs a request.

    Its connections go back to the pool before the result is waited for: none is held between two calls.
    """

    def run() -> Result:
        try:
            return function(*arguments)
        finally:
            connections.close_all()

    async with ThreadSensitiveContext():
        return await sync_to_async(run, thread_sensitive=True)()
