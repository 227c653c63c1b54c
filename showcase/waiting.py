"""How long a visitor waits, as people say it."""

from __future__ import annotations

from math import ceil

MINUTE_SECONDS = 60
SHORT_SECONDS, LONG_SECONDS = 100, 55 * MINUTE_SECONDS


def wait_said(seconds: int) -> str:
    """`in 40 seconds`, `in 12 minutes`, `in about an hour`; no rate makes anybody wait much longer."""
    if seconds < SHORT_SECONDS:
        return f"in {seconds} second{'' if seconds == 1 else 's'}"
    if seconds < LONG_SECONDS:
        return f"in {ceil(seconds / MINUTE_SECONDS)} minutes"
    return "in about an hour"
