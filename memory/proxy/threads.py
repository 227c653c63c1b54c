"""Database work of an asynchronous door: in threads of its own, within a time limit, never in the way.

A thread gives its connection back as soon as its work is done, so that none is held while a reply streams.
What does not answer in time is left alone for a while instead of making every chat wait for it. Work that
waited for one of our threads says nothing of the database: many chats at once are no failure.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from django.db import InterfaceError, OperationalError, connections
from psycopg.errors import QueryCanceled

from memory.llm.embedders.breaker import Breaker
from memseek_site.statement_limits import statements_within

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

CHECKERS, READERS, WRITERS = 2, 6, 4
LATE_IN_A_ROW = 3
SLOW_SECONDS = 1.0
"""What was given up sooner than this after its begin was not given the time in which it is usually done."""
LATE, DOWN, FAILED = "memory_slow", "memory_unavailable", "memory_failed"


class MemoryDown(Exception):  # noqa: N818 - what is down is named
    """Memory gave nothing; `problem` is what the client is told."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Threads:
    """So many threads that check keys, so many that read, so many that write, and how the database answers.

    Keys have threads of their own: a check takes little, and must not wait behind what is recalled. How the
    one is answered says nothing of the other.
    """

    def __init__(self, *, slow_seconds: float = SLOW_SECONDS) -> None:
        self._checkers = _Lane(CHECKERS, "proxy-check", slow_seconds)
        self._readers = _Lane(READERS, "proxy-read", slow_seconds)
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="proxy-write")

    async def check(
        self, action: Callable[[], Result], *, seconds: float, passing: tuple[type[Exception], ...] = ()
    ) -> Result:
        """As `read`, in the threads for keys."""
        return await self._checkers.asked(action, seconds, passing)

    async def read(
        self, action: Callable[[], Result], *, seconds: float, passing: tuple[type[Exception], ...] = ()
    ) -> Result:
        """The action's result; MemoryDown when it fails, is late, or was found down a moment ago.

        Exceptions of the `passing` classes are answers, and come through.
        """
        return await self._readers.asked(action, seconds, passing)

    async def write(self, action: Callable[[], Result]) -> Result:
        """The action's result, however long it takes; its exceptions come through."""
        return await _run(self._writers, _Job(action))


class _Lane:
    """Threads for one sort of question, and whether it is worth asking at the moment."""

    def __init__(self, threads: int, name: str, slow_seconds: float) -> None:
        self.executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._slow_seconds = slow_seconds
        self._late_in_a_row = 0
        self._breaker = Breaker(first_pause_seconds=2.0, longest_pause_seconds=15.0)

    async def asked(
        self, action: Callable[[], Result], seconds: float, passing: tuple[type[Exception], ...]
    ) -> Result:
        """As `Threads.read` says."""
        if not self._breaker.admits():
            raise MemoryDown(DOWN)
        job = _Job(action, statement_seconds=seconds)
        try:
            result = await asyncio.wait_for(_run(self.executor, job), seconds)
        except passing:
            self._answered()
            raise
        except TimeoutError:
            self._was_late(job.ran_seconds)
            raise MemoryDown(LATE) from None
        except (OperationalError, InterfaceError) as error:
            self._failed(error, job.ran_seconds)
            raise MemoryDown(LATE if _is_cut_off(error) else DOWN) from error
        except Exception as error:
            # A mistake of ours costs this chat its memory; the next one may well have it.
            self._answered()
            logger.error("memory failed a chat", exc_info=error)
            raise MemoryDown(FAILED) from error
        self._answered()
        return result

    def _failed(self, error: Exception, ran_seconds: float) -> None:
        if _is_cut_off(error):
            self._was_late(ran_seconds)
            return
        self._breaker.failed(type(error).__name__)
        logger.warning("memory did not answer a chat", exc_info=error)

    def _was_late(self, ran_seconds: float) -> None:
        """One slow memory is its own chat's business; several in a row are everybody's.

        What got no thread, or too little time in it, was late through the chats before it.
        """
        logger.warning("memory was too slow for a chat")
        if ran_seconds < self._slow_seconds:
            return
        self._late_in_a_row += 1
        if self._late_in_a_row < LATE_IN_A_ROW:
            self._breaker.succeeded()
        else:
            self._breaker.failed(LATE)

    def _answered(self) -> None:
        self._late_in_a_row = 0
        self._breaker.succeeded()


def _is_cut_off(error: Exception) -> bool:
    """Whether the database ended a statement that took too long."""
    return isinstance(error.__cause__, QueryCanceled)


class _Job(Generic[Result]):
    """Something to do in a thread, and since when it is being done.

    A statement that takes longer than anybody waits for it is ended, so that its thread comes free; with 0
    none is.
    """

    def __init__(self, action: Callable[[], Result], *, statement_seconds: float = 0.0) -> None:
        self._action = action
        self._statement_seconds = statement_seconds
        self._began: float | None = None

    @property
    def ran_seconds(self) -> float:
        """Since it has got a thread; 0 while it waits for one."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def __call__(self) -> Result:
        self._began = time.monotonic()
        try:
            with statements_within(self._statement_seconds):
                return self._action()
        finally:
            connections.close_all()


async def _run(executor: ThreadPoolExecutor, job: _Job[Result]) -> Result:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(executor, context.run, job)
