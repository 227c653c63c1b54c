"""Commits of a step that fail at the last place where a write can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memory.cascade import checkpoints
from memory.cascade.checkpoints import Checkpoint


@contextmanager
def failing_commits() -> Iterator[list[Exception]]:
    """A list of errors to be raised, one in each commit, after everything was written."""
    waiting: list[Exception] = []

    def fail(name: Checkpoint) -> None:
        if name == "inside_commit" and waiting:
            raise waiting.pop(0)

    checkpoints.listen(fail)
    try:
        yield waiting
    finally:
        checkpoints._listeners.remove(fail)
