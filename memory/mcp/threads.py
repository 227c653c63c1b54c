"""From the event loop into a thread and back: rooms block, and their connections are theirs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import connections

from memseek_site.request_threads import RequestThreads

Result = TypeVar("Result")

_threads = RequestThreads()


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """The result of a function that blocks, run in a thread of its own, as a request is.

    Its connections go back to the pool before the result is waited for: none is held between two calls.
    """

    def run() -> Result:
        try:
            return function(*arguments)
        finally:
            connections.close_all()

    return await _threads.run(run)
