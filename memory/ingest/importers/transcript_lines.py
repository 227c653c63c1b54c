"""One line of a transcript: when, who, what. Pure: no file is opened here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

NAME_LIMIT = 64
NAME_WORDS_LIMIT = 5
CENTURY = 2000

Form = Literal["dated", "clocked", "plain"]
"""What stands before the name: a date with its time, a time alone, or nothing."""

_MARKS = "\u200e\u200f\u202a-\u202e\ufeff"
_NO_MARKS = dict.fromkeys([0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])
_ISO_DATE = r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
_LOCAL_DATE = r"(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<local_year>\d{4}|\d{2})"
_CLOCK = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2})(?:[.,]\d{1,6})?)?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\b\.?)?(?P<zone>\s?(?:Z|UTC|[+-]\d{2}:?\d{2})\b)?"
)
_END = r"(?:[\])]\s*|\s+)(?:[-–—|]\s+)?(?P<rest>.*)"
_DATED = re.compile(rf"[{_MARKS}]*[\[(]?(?:{_ISO_DATE}|{_LOCAL_DATE})(?:,\s*|T|\s+){_CLOCK}{_END}", re.DOTALL)
_CLOCKED = re.compile(rf"[{_MARKS}]*[\[(]?{_CLOCK}{_END}", re.DOTALL)
_NAME = re.compile(r"[^\W\d_][^:/<>{}\[\]\"]*")


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time at the head of a line, as it is written: the order of day and month may still be open."""

    numbers: tuple[int, int, int]
    """Year, month, day of an ISO date; first, second, year of a local one."""
    is_iso: bool
    clock: tuple[int, int, int]
    mark: str = "-"
    has_half: bool = False
    zone: str = ""

    @property
    def day_first(self) -> bool | None:
        """Whether a local date can only be read with the day first, or only with the month first."""
        first, second, _ = self.numbers
        if self.is_iso or (first <= 12) == (second <= 12):
            return True if self.mark == "." and not self.is_iso else None
        return first > 12

    def moment(self, *, day_first: bool) -> datetime | None:
        """The moment, without a zone where the line names none; None for a day or hour that is none."""
        first, second, third = self.numbers
        if self.day_first is not None:
            day_first = self.day_first
        month, day = (second, first) if day_first else (first, second)
        year, month, day = self.numbers if self.is_iso else (third, month, day)
        year += CENTURY if year < 100 and not self.is_iso else 0
        try:
            return datetime(year, month, day, *self.clock, tzinfo=_zone(self.zone))
        except ValueError:
            return None


def _zone(text: str) -> timezone | None:
    """The zone that a line names, None for none."""
    if not text:
        return None
    if text in ("Z", "UTC"):
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


@dataclass(frozen=True, slots=True)
class Line:
    """The head of a line: `speaker` is None where nobody is named."""

    stamp: Stamp | None
    form: Form
    speaker: str | None
    text: str


def read_line(line: str) -> Line:
    """What a line says about itself."""
    found = _DATED.fullmatch(line)
    if found:
        return _spoken(_stamp(found), "dated", found["rest"])
    clocked = _CLOCKED.fullmatch(line)
    return _spoken(None, "clocked", clocked["rest"]) if clocked else _spoken(None, "plain", line)


def _stamp(found: re.Match[str]) -> Stamp:
    part = found.groupdict()
    is_iso = part["year"] is not None
    names = ("year", "month", "day") if is_iso else ("first", "second", "local_year")
    first, second, third = (int(part[name]) for name in names)
    hour = int(part["hour"])
    if part["half"]:
        hour = hour % 12 + (12 if part["half"] in "Pp" else 0)
    return Stamp(
        numbers=(first, second, third),
        is_iso=is_iso,
        clock=(hour, int(part["minute"]), int(part["seconds"] or 0)),
        mark=part["mark"] or "-",
        has_half=bool(part["half"]),
        zone=(part["zone"] or "").strip(),
    )


def _spoken(stamp: Stamp | None, form: Form, rest: str) -> Line:
    name, colon, text = rest.partition(":")
    name = name.translate(_NO_MARKS).strip("~ \u202f\xa0")
    if not colon or not _is_name(name, is_stamped=form != "plain") or (text and not text[0].isspace()):
        return Line(stamp, form, None, rest)
    return Line(stamp, form, name, text.strip(" \t\u202f\xa0"))


def _is_name(name: str, *, is_stamped: bool) -> bool:
    """A few words that begin with a letter; after a time also a telephone number."""
    if not name or len(name) > NAME_LIMIT or len(name.split()) > NAME_WORDS_LIMIT:
        return False
    return is_stamped or _NAME.fullmatch(name) is not None
