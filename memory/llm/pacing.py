"""Time: one deadline for a whole answer, pauses between tries, and a limit on requests at once."""

from __future__ import annotations

import email.utils
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.llm.protocol import TransientModelError


class Deadline:
    """A point in time that all tries of one answer share."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds

    @property
    def remaining_seconds(self) -> float:
        return max(0.0, self._ends_at - self._clock())

    @property
    def is_over(self) -> bool:
        return self.remaining_seconds <= 0

    def part(self, share: float) -> Deadline:
        """A nearer deadline: this share of what remains."""
        return Deadline(self.remaining_seconds * share, self._clock)


@dataclass(frozen=True)
class Pace:
    """How often and how patiently one endpoint is tried within an answer. Longer waits are the engine's."""

    tries: int = 3
    first_pause_seconds: float = 0.5
    growth: float = 3.0
    longest_pause_seconds: float = 20.0
    """A provider that asks for more than this gets no further request from this answer."""
    jitter: Callable[[], float] = field(default=random.random)
    """A number from 0 to 1; spreads processes that failed together."""
    sleep: Callable[[float], None] = field(default=time.sleep)

    def pause_seconds(self, tries_done: int, wanted_seconds: float | None) -> float | None:
        """Seconds to wait before the next try, None when there shall be none.

        `wanted_seconds` is what the provider asked for. Without it: exponential back-off, of which the
        second half is random ("equal jitter").
        """
        if tries_done >= self.tries:
            return None
        if wanted_seconds is not None:
            return wanted_seconds if wanted_seconds <= self.longest_pause_seconds else None
        ceiling = min(self.longest_pause_seconds, self.first_pause_seconds * self.growth ** (tries_done - 1))
        return ceiling * (0.5 + 0.5 * self.jitter())


def retry_after_seconds(
    headers: Mapping[str, str], now: Callable[[], datetime] | None = None
) -> float | None:
    """What `Retry-After` (seconds or an HTTP date) or `Retry-After-Ms` asks for; None without them."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    value = headers.get("retry-after")
    seconds = _number(value)
    return seconds if seconds is not None else _seconds_until(value, now)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _seconds_until(value: str | None, now: Callable[[], datetime] | None) -> float | None:
    try:
        moment = email.utils.parsedate_to_datetime(value or "")
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    current = now() if now else datetime.now(UTC)
    return max(0.0, (moment - current).total_seconds())


class Slots:
    """Requests at once by address, for the whole process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._semaphores: dict[tuple[str, int], threading.BoundedSemaphore] = {}

    def take(self, address: str, limit: int, deadline: Deadline) -> Callable[[], None]:
        """Take one of `limit` slots and give what frees it again.

        Raises TransientModelError (`busy`) when none comes free before the deadline; nothing was sent then.
        """
        with self._lock:
            slot = self._semaphores.setdefault((address, limit), threading.BoundedSemaphore(limit))
        if not slot.acquire(timeout=deadline.remaining_seconds):
            raise TransientModelError("busy", f"All {limit} slots for this provider stayed taken.", calls=0)
        return slot.release

    @contextmanager
    def taken(self, address: str, limit: int, deadline: Deadline) -> Iterator[None]:
        """Hold one of `limit` slots inside the block; raises as `take` does."""
        free = self.take(address, limit, deadline)
        try:
            yield
        finally:
            free()
