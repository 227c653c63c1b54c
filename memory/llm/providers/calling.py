"""Calling what somebody else wrote, blocking or `async`, within a time limit.

A coroutine runs on one loop that lives as long as the process, so that a client which keeps connections may
be made once. A function that blocks runs on a thread of its own; past the time limit nobody waits for it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

from memory.llm.pacing import Deadline


class _Loop:
    """An event loop on a thread that no exit of the process waits for; a fork starts with a new one."""

    _lock: threading.Lock
    _loop: asyncio.AbstractEventLoop | None

    def __init__(self) -> None:
        self._forget()
        if hasattr(os, "register_at_fork"):  # there is no fork on Windows
            os.register_at_fork(after_in_child=self._forget)

    def result(self, awaitable: Awaitable[Any], deadline: Deadline) -> Any:
        """What an awaitable gives. Cancels it and raises TimeoutError at the deadline."""
        pending = asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._running())
        try:
            return pending.result(deadline.remaining_seconds)
        except TimeoutError:
            pending.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                name = "model-seams"
                threading.Thread(target=self._loop.run_forever, name=name, daemon=True).start()
            return self._loop

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._loop = None


_LOOP = _Loop()


def called(function: Callable[[], Any], *, deadline: Deadline, ended: Callable[[], None]) -> Any:
    """What the function gives, awaited where that is needed. TimeoutError at the deadline.

    `ended` is called when the work is really over, which for a function that blocks may be later.
    """
    future: Future[Any] = Future()

    def run() -> None:
        try:
            value = function()
            value = _LOOP.result(value, deadline) if inspect.isawaitable(value) else value
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:
            future.set_exception(_harmless(error))
        else:
            future.set_result(value)
        finally:
            ended()

    threading.Thread(target=run, name="model-seam", daemon=True).start()
    return future.result(deadline.remaining_seconds)


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    try:
        return await awaitable
    except (SystemExit, KeyboardInterrupt) as error:
        # It would end the loop, and with it every later call.
        raise _harmless(error) from None


def _harmless(error: BaseException) -> RuntimeError:
    """Instead of an exception that would end more than the call."""
    return RuntimeError(f"The call ended with {type(error).__name__}.")
