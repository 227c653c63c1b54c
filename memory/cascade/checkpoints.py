"""Named points of a step's life, so that fault tests can end a real worker exactly there.

Nothing listens in production: a worker under test registers a listener before it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Checkpoint = Literal[
    "after_claim", "after_read", "during_call", "before_commit", "inside_commit", "after_commit"
]

_listeners: list[Callable[[Checkpoint], None]] = []


def listen(listener: Callable[[Checkpoint], None]) -> None:
    """Have `listener` called with the name of every point that this process reaches."""
    _listeners.append(listener)


def reached(name: Checkpoint) -> None:
    """Tell whoever listens that a step got here."""
    for listener in _listeners:
        listener(name)
