"""A worker that stands still at a named point of its run while others act."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connections

from memory.cascade import checkpoints
from memory.cascade.checkpoints import Checkpoint

WAIT_SECONDS = 60.0


@contextmanager
def standing(point: Checkpoint, work: Callable[[], object]) -> Iterator[None]:
    """Do the work in a thread that stands at the point, the first time it gets there, while the block runs.

    At the end of the block it goes on, and is waited for; what it raised is raised.
    """
    arrived, may_go = threading.Event(), threading.Event()
    stood: list[str] = []
    errors: list[BaseException] = []

    def act() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            arrived.set()
            connections.close_all()

    thread = threading.Thread(target=act)

    def listener(name: Checkpoint) -> None:
        if name == point and threading.current_thread() is thread and not stood:
            stood.append(name)
            arrived.set()
            assert may_go.wait(WAIT_SECONDS)

    checkpoints.listen(listener)
    try:
        thread.start()
        assert arrived.wait(WAIT_SECONDS)
        assert stood == [point], errors
        yield
    finally:
        may_go.set()
        thread.join(WAIT_SECONDS)
        checkpoints._listeners.remove(listener)
    assert errors == []
