"""Database work of an asynchronous door: in threads of its own, within a time limit, never in the way.

A thread gives its connection back as soon as its work is done, so that none is held while a reply streams.
What does not answer in time is left alone for a while instead of making every chat wait for it.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connections

from memory.llm.embedders.breaker import Breaker

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

READERS, WRITERS = 8, 4
LATE_IN_A_ROW = 3
LATE, DOWN, FAILED = "memory_slow", "memory_unavailable", "memory_failed"


class MemoryDown(Exception):  # noqa: N818 - what is down is named
    """Memory gave nothing; `problem` is what the client is told."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Threads:
    """So many threads that read, so many that write, and what is known of how the database answers."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="proxy-read")
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="proxy-write")
        self._late_in_a_row = 0
        self.breaker = Breaker(first_pause_seconds=2.0, longest_pause_seconds=15.0)

    async def read(
        self, action: Callable[[], Result], *, seconds: float, passing: tuple[type[Exception], ...] = ()
    ) -> Result:
        """The action's result; MemoryDown when it fails, is late, or was found down a moment ago.

        Exceptions of the `passing` classes are answers, and come through.
        """
        if not self.breaker.admits():
            raise MemoryDown(DOWN)
        try:
            result = await asyncio.wait_for(_run(self._readers, action), seconds)
        except passing:
            self._answered()
            raise
        except TimeoutError:
            self._was_late()
            raise MemoryDown(LATE) from None
        except (OperationalError, InterfaceError) as error:
            self.breaker.failed(type(error).__name__)
            logger.warning("memory did not answer a chat", exc_info=error)
            raise MemoryDown(DOWN) from error
        except Exception as error:
            # A mistake of ours costs this chat its memory; the next one may well have it.
            self._answered()
            logger.error("memory failed a chat", exc_info=error)
            raise MemoryDown(FAILED) from error
        self._answered()
        return result

    def _was_late(self) -> None:
        """One slow memory is its own chat's business; several in a row are everybody's."""
        logger.warning("memory was too slow for a chat")
        self._late_in_a_row += 1
        if self._late_in_a_row < LATE_IN_A_ROW:
            self.breaker.succeeded()
        else:
            self.breaker.failed(LATE)

    def _answered(self) -> None:
        self._late_in_a_row = 0
        self.breaker.succeeded()

    async def write(self, action: Callable[[], Result]) -> Result:
        """The action's result, however long it takes; its exceptions come through."""
        return await _run(self._writers, action)


async def _run(executor: ThreadPoolExecutor, action: Callable[[], Result]) -> Result:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(executor, context.run, _done, action)


def _done(action: Callable[[], Result]) -> Result:
    try:
        return action()
    finally:
        connections.close_all()


THREADS = Threads()
