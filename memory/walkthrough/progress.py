"""How a wait for the cascade ends, and what is said of it meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

NOTICE_SECONDS = 5.0
WORKER_START_SECONDS = 15.0
"""So long after the beginning of a wait a worker may still be on its way."""

Notice = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Settled:
    """How a wait ended: with nothing left to do, or with the reasons why something is left."""

    is_settled: bool
    seconds: float
    reasons: tuple[str, ...] = ()


def progress(step: str, silent: str, seconds: float) -> str:
    """What to say after some seconds; `silent` is what there is to say of workers that give no sign."""
    if silent and seconds < WORKER_START_SECONDS:
        return f"{step} waits for a worker to start ({seconds:.0f} s)"
    return silent or f"{step} is at work ({seconds:.0f} s)"
