"""Many calls at once, each within its own time: whoever waits leaves, whatever a call goes on doing.

A call in a thread cannot be stopped. So threads are bounded, for each source and in all, and named after
their source; a source that hangs uses up its own share and nobody else's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connections

from memory.claims.live_addresses import LiveError
from memory.llm.pacing import Deadline

logger = logging.getLogger(__name__)

CALLS_OF_A_SOURCE = 8
CALLS_IN_ALL = 64


@dataclass(slots=True)
class Call:
    """One question to one source; `value` or `error` is there once it is done."""

    source_id: UUID
    name: str
    deadline: Deadline
    ask: Callable[[Deadline], Any]
    value: Any = None
    error: str = ""
    done: threading.Event = field(default_factory=threading.Event)


class Runner:
    """Runs calls in threads of its own, at most so many at once."""

    def __init__(self, *, of_a_source: int = CALLS_OF_A_SOURCE, in_all: int = CALLS_IN_ALL) -> None:
        self._of_a_source = of_a_source
        self._in_all = threading.BoundedSemaphore(in_all)
        self._lock = threading.Lock()
        self._slots: dict[UUID, threading.BoundedSemaphore] = {}

    def run(self, calls: Sequence[Call]) -> list[tuple[Any, str]]:
        """Value and error of each call; exactly one of them says something.

        It returns when all have answered or the last of their deadlines is over.
        """
        for call in calls:
            self._start(call)
        return [_outcome(call) for call in calls]

    def _start(self, call: Call) -> None:
        if not self._in_all.acquire(blocking=False):
            call.error = "was not asked: too many calls hang"
            call.done.set()
            return
        thread = threading.Thread(target=self._work, args=(call,), name=f"live-{call.name}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._in_all.release()
            call.error = "was not asked: no thread could be started"
            call.done.set()

    def _work(self, call: Call) -> None:
        try:
            self._within_slot(call)
        finally:
            self._in_all.release()
            call.done.set()

    def _within_slot(self, call: Call) -> None:
        slot = self._slot(call.source_id)
        if not slot.acquire(timeout=call.deadline.remaining_seconds):
            call.error = "is busy: its earlier calls have not come back"
            return
        try:
            call.value = call.ask(call.deadline)
        except LiveError as error:
            call.error = str(error)
        except Exception as error:
            # What it says may hold what nobody should read.
            logger.warning("the live source %s failed: %s", call.name, type(error).__name__)
            call.error = f"failed with {type(error).__name__}"
        finally:
            slot.release()
            connections.close_all()

    def _slot(self, source_id: UUID) -> threading.BoundedSemaphore:
        with self._lock:
            return self._slots.setdefault(source_id, threading.BoundedSemaphore(self._of_a_source))


def _outcome(call: Call) -> tuple[Any, str]:
    if not call.done.wait(call.deadline.remaining_seconds):
        return None, "did not answer in time"
    return (None, call.error) if call.error else (call.value, "")


RUNNER = Runner()
