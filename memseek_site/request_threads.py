"""The threads that requests run on: kept, so that a request pays neither for a new one nor for its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")

MOST_THREADS = 256
"""More than can be at work at once; one is made only while all others are busy, waiting for a model say."""


class RequestThreads:
    """Threads in which whole requests run, each within a context of its own."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="request")

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """The result of a function that blocks; what it raises is raised here.

        Who stops waiting for it does not end it.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, copy_context().run, function, *arguments)
