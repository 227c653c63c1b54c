"""The schedule of sweeps by a clock that nobody can set.

Celery's own asks for the time of day: a machine whose clock stood three days ahead for a minute, and was put
right, would not sweep for three days, and whatever wake-ups were lost meanwhile would lie as long.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from celery.beat import Scheduler

LONGEST_SLEEP_SECONDS = 300.0


class SteadyScheduler(Scheduler):
    """Sends each entry whenever its seconds have passed, first one interval after the start."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._due: dict[str, float] = {}

    def tick(self, *_: Any, **__: Any) -> float:
        """Send what is due; gives the seconds until something is again."""
        now = time.monotonic()
        for name, entry in self.schedule.items():
            if self._due.setdefault(name, now + _interval(entry)) <= now:
                self._due[name] = now + _interval(entry)
                self.apply_entry(entry, producer=self.producer)
        # Read again: to send may have taken its time.
        now = time.monotonic()
        longest = float(self.max_interval or LONGEST_SLEEP_SECONDS)
        return min([longest, *(self._due[name] - now for name in self.schedule)])


def _interval(entry: Any) -> float:
    """The seconds between two; every entry of the settings is so many apart."""
    interval: timedelta = entry.schedule.run_every
    return interval.total_seconds()
