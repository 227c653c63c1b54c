"""How a moment is written for people."""

from __future__ import annotations

from datetime import datetime

UNKNOWN_TIME = "time unknown"
MINUTES_LENGTH = len("2026-06-02 09:02")


def time_text(moment: datetime | None) -> str:
    """Date, time to the minute and zone, as in `2026-06-02 09:02 UTC`; the zone is the moment's own."""
    if moment is None:
        return UNKNOWN_TIME
    return f"{moment.isoformat(' ')[:MINUTES_LENGTH]} {moment.tzname() or ''}".rstrip()
