"""Days that visitors choose, as instants of a memory's zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django import forms

NO_INSTANT = "No memory reaches that far. Choose a day nearer to today."


def start_of(day: date, zone: ZoneInfo) -> datetime:
    """The instant a day begins, in UTC. Raises OverflowError at the ends of the calendar."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def end_of(day: date, zone: ZoneInfo) -> datetime:
    """The instant the next day begins. Raises OverflowError as `start_of` does."""
    return start_of(day + timedelta(days=1), zone)


def add_day_errors(form: forms.Form, zone: ZoneInfo) -> None:
    """Within `clean`: an error for `since` or `until` where the calendar ends before the instant."""
    for name, instant in (("since", start_of), ("until", end_of)):
        day = form.cleaned_data.get(name)
        try:
            if day:
                instant(day, zone)
        except OverflowError:
            form.add_error(name, NO_INSTANT)
