"""A sliding window of two counters: the earlier one counts less with every second that the other is old."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor


@dataclass(frozen=True, slots=True)
class Counter:
    """So many requests in so many seconds, of whoever the name stands for."""

    name: str
    amount: int
    seconds: int = 60


@dataclass(frozen=True, slots=True)
class Window:
    """Where a counter stands after a request was counted, or refused."""

    counter: Counter
    is_allowed: bool
    before: int = 0
    before_seconds: float = 0.0
    """Until the earlier window counts nothing."""
    now: int = 0
    now_seconds: float = 0.0
    """Until the current window counts nothing: it is the current one for all but the last of its lengths."""

    @property
    def used(self) -> float:
        """Requests that count at this moment."""
        return self.before * self.before_seconds / self.counter.seconds + self.now

    @property
    def remaining(self) -> int:
        """Requests that would be taken at this moment."""
        return max(0, floor(self.counter.amount - self.used)) if self.is_allowed else 0

    @property
    def wait_seconds(self) -> int:
        """Until the next request is taken, at least a second."""
        seconds, over = self.counter.seconds, self.used + 1 - self.counter.amount
        if over <= self.before * self.before_seconds / seconds and self.before:
            return max(1, ceil(over * seconds / self.before))
        rest = max(0.0, self.now_seconds - seconds)
        beyond = max(0, self.now + 1 - self.counter.amount)
        return max(1, ceil(rest + (beyond * seconds / self.now if self.now else 0.0)))

    @property
    def reset_seconds(self) -> int:
        """Until the current window begins to be forgotten."""
        return max(1, ceil(self.now_seconds - self.counter.seconds))
