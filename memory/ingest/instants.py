"""Which instants are taken: those that stay within the calendar in every time zone."""

from __future__ import annotations

from datetime import UTC, datetime

FIRST_YEAR = 2
LAST_YEAR = 9998


def in_utc(moment: datetime) -> datetime:
    """An aware moment in UTC.

    Raises ValueError outside the years 2 to 9998: some time zone would move it out of those there are.
    """
    try:
        moved = moment.astimezone(UTC)
    except OverflowError:
        moved = None
    if moved is None or not FIRST_YEAR <= moved.year <= LAST_YEAR:
        raise ValueError(f"has to lie between the years {FIRST_YEAR} and {LAST_YEAR}")
    return moved
