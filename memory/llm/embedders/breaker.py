"""Leaving a service alone after it failed, so that not every caller waits for the same failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Breaker:
    """Refuses calls for a while after a failure, then lets one through to see.

    The pause doubles with each failed trial. A trial of which nobody reports the end counts as failed
    after one more pause. Safe to use from many threads.
    """

    def __init__(
        self,
        *,
        first_pause_seconds: float = 5.0,
        longest_pause_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._first_pause_seconds = first_pause_seconds
        self._longest_pause_seconds = longest_pause_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._pause_seconds = 0.0
        self._resumes_at = 0.0
        self._is_on_trial = False
        self._reason = ""

    @property
    def reason(self) -> str:
        """Why the last call failed; empty while calls pass."""
        return self._reason

    def admits(self) -> bool:
        """Whether a call may be made now; whoever makes it reports with `succeeded` or `failed`."""
        with self._lock:
            if not self._pause_seconds:
                return True
            now = self._clock()
            if now < self._resumes_at:
                return False
            self._resumes_at, self._is_on_trial = now + self._pause_seconds, True
            return True

    def succeeded(self) -> None:
        """An admitted call came to its end: everybody may call again."""
        with self._lock:
            self._pause_seconds, self._is_on_trial, self._reason = 0.0, False, ""

    def failed(self, reason: str) -> None:
        """An admitted call failed. Calls that were under way together lengthen the pause once."""
        with self._lock:
            if self._pause_seconds and not self._is_on_trial:
                return
            doubled = min(self._pause_seconds * 2, self._longest_pause_seconds)
            self._pause_seconds = doubled or self._first_pause_seconds
            self._resumes_at = self._clock() + self._pause_seconds
            self._is_on_trial, self._reason = False, reason
