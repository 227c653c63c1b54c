"""Times as exports write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

MILLISECONDS_FROM = 10**11
"""Unix times as large as this are in milliseconds: in seconds it would be the year 5138."""


def from_unix(value: Any) -> datetime | str | None:
    """An instant from a Unix time in seconds or milliseconds, or from the digits of one.

    None stays None, and so does the 0 that exports write for no time; what is none stays a text, to be
    refused with the row it stands in.
    """
    if value is None or value == 0 or value == "":
        return None
    try:
        number = float(value)
        seconds = number / 1000 if number >= MILLISECONDS_FROM else number
        return datetime.fromtimestamp(seconds, tz=UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return str(value)


def from_iso(value: Any) -> datetime | str | None:
    """A time from an ISO 8601 text, without a zone where it names none; what is none stays a text."""
    if value is None or value == "":
        return None
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return str(value)
