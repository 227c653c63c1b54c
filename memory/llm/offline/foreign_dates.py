"""Times in German, Spanish, French and Chinese: relative words become days, days without a year get one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import Any

from memory.llm.offline.date_rules import Period, month_period, shifted_month
from memory.llm.offline.dates import Dated
from memory.llm.offline.lexicon import cues_of, read_cues

Rule = Callable[[re.Match[str], date], tuple[Period, str]]
MARKED = re.compile("(\x00[^\x01]*\x01)")
DOUBLED = re.compile(r"\b(am|el|le|im|en|bis|vom|seit|ab)(\s+)\x00(?:am|el|le|im|en) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Times:
    """How a language names times: patterns, each with what it means and how that is written."""

    language: str
    rules: tuple[tuple[re.Pattern[str], Rule], ...]
    span: re.Pattern[str]
    start: re.Pattern[str]
    limit: re.Pattern[str]
    yearly: re.Pattern[str]
    relative: re.Pattern[str]


@dataclass(slots=True)
class _Rewriting:
    said_on: date | None
    periods: list[Period] = field(default_factory=list)
    is_unanchored: bool = False

    def by(self, rule: Rule, *, needs_day: bool) -> Callable[[re.Match[str]], str]:
        return lambda match: self._written(match, rule, needs_day)

    def _written(self, match: re.Match[str], rule: Rule, needs_day: bool) -> str:
        if self.said_on is None and not _names_year(match):
            self.is_unanchored = self.is_unanchored or needs_day
            return match.group()
        try:
            period, words = rule(match, self.said_on or date.min)
        except (ValueError, OverflowError):
            return match.group()
        self.periods.append(period)
        return f"\x00{words}\x01"


def resolve_foreign(text: str, said_on: date | None, language: str) -> Dated:
    """The text with its relative times replaced by days of the calendar, and the period they name.

    Without `said_on` nothing is guessed. What stays relative («neulich», «recientemente») names no period.
    """
    times = _times(language)
    if times.yearly.search(text):
        return Dated(text, None)
    rewriting = _Rewriting(said_on)
    for pattern, rule in times.rules:
        needs_day = "day" not in pattern.groupindex and "year" not in pattern.groupindex
        written = rewriting.by(rule, needs_day=needs_day)
        parts = MARKED.split(text)
        text = "".join(part if part.startswith("\x00") else pattern.sub(written, part) for part in parts)
    marked = DOUBLED.sub("\\1\\2\x00", text)
    clean = marked.replace("\x00", "").replace("\x01", "")
    period = rewriting.periods[0] if rewriting.periods else None
    if times.span.search(clean):
        return Dated(clean, period, rewriting.is_unanchored)
    is_limit, is_start = times.limit.search(marked) is not None, times.start.search(marked) is not None
    return Dated(clean, period, rewriting.is_unanchored, is_limit, is_start and not is_limit)


def has_relative_words(text: str, language: str) -> bool:
    """Whether words remain that mean another day when read later."""
    return _times(language).relative.search(text) is not None


def _names_year(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return bool(groups.get("year") or groups.get("first"))


def _leading(words: str) -> re.Pattern[str]:
    """Such words right before a time that was found, or as its first words."""
    return re.compile(rf"(?<!\w)(?:{words})\s*\x00|\x00(?:{words})(?!\w)", re.IGNORECASE)


@cache
def _times(language: str) -> Times:
    raw = read_cues(f"{language}.toml")["times"]
    return Times(
        language=language,
        rules=tuple(_rules(raw, language)),
        span=re.compile(raw["span"], re.IGNORECASE),
        start=_leading(raw["start"]),
        limit=_leading(raw["limit"]),
        yearly=re.compile(raw["yearly"], re.IGNORECASE),
        relative=re.compile(raw["relative"], re.IGNORECASE),
    )


def _shapes(raw: Mapping[str, Any]) -> dict[str, str]:
    """The patterns with the names of months and days filled in."""
    names = "|".join(sorted(raw["month_names"], key=len, reverse=True))
    weekdays = "|".join(name for day in raw["weekday_names"] for name in day)
    groups = {"{month}": f"(?P<month>{names})", "{weekday}": f"(?P<weekday>{weekdays})"}
    shaped = ("day", "month", "year", "span", "weekday_last", "weekday_next")
    return {name: _shaped(raw[name], groups) for name in shaped}


def _rules(raw: Mapping[str, Any], language: str) -> list[tuple[re.Pattern[str], Rule]]:
    writer, shaped = _Writer(raw), _shapes(raw)
    is_spaced = language != "zh"
    rules: list[tuple[str, Rule]] = [
        (shaped["span"], _span),
        (shaped["day"], writer.day(language)),
        (_twice(shaped["weekday_last"]), writer.weekday(is_last=True)),
        (_twice(shaped["weekday_next"]), writer.weekday(is_last=False)),
        *((pattern, writer.near(days)) for pattern, days in raw["near"]),
        *((pattern, writer.week(step)) for pattern, step in raw["weeks"]),
        *((pattern, writer.near_month(step)) for pattern, step in raw["months"]),
        *((pattern, writer.near_year(step)) for pattern, step in raw["years"]),
        (shaped["month"], writer.month),
        (shaped["year"], _year),
    ]
    return [
        (re.compile(rf"(?<!\w)(?:{pattern})(?!\w)" if is_spaced else pattern, re.IGNORECASE), rule)
        for pattern, rule in rules
    ]


def _shaped(pattern: str, groups: Mapping[str, str]) -> str:
    for name, group in groups.items():
        pattern = pattern.replace(name, group)
    return pattern


def _twice(pattern: str) -> str:
    """A pattern with the same group in two branches, the second under another name."""
    head, _, tail = pattern.partition("(?P<weekday>")
    return f"{head}(?P<weekday>{tail.replace('(?P<weekday>', '(?P<weekday2>')}" if tail else pattern


def _span(match: re.Match[str], anchor: date) -> tuple[Period, str]:
    first, last = int(match.group("first")), int(match.group("last"))
    if last < first:
        raise ValueError("a period that ends before it begins")
    return Period(date(first, 1, 1), date(last, 12, 31)), match.group()


def _year(match: re.Match[str], anchor: date) -> tuple[Period, str]:
    year = int(match.group("year"))
    return Period(date(year, 1, 1), date(year, 12, 31)), match.group()


class _Writer:
    """Rules of one language, writing as it writes."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.months = [name.lower() for name in raw["month_names"]]
        weekdays = enumerate(raw["weekday_names"])
        self.weekdays = {name.lower(): number for number, names in weekdays for name in names}

    def day(self, language: str) -> Rule:
        def written(match: re.Match[str], anchor: date) -> tuple[Period, str]:
            month, number = self._month(match.group("month")), int(match.group("day"))
            is_past = cues_of(language).has("past", match.string)
            year = int(match.group("year") or _year_of(anchor, month, number, is_past=is_past))
            day = date(year, month, number)
            return Period(day, day), self._dressed("day_written", day)

        return written

    def near(self, days: int) -> Rule:
        return lambda match, anchor: self._single(anchor + timedelta(days=days))

    def weekday(self, *, is_last: bool) -> Rule:
        def written(match: re.Match[str], anchor: date) -> tuple[Period, str]:
            groups = match.groupdict()
            number = self.weekdays[(groups["weekday"] or groups["weekday2"]).lower()]
            back, ahead = (anchor.weekday() - number - 1) % 7 + 1, (number - anchor.weekday() - 1) % 7 + 1
            return self._single(anchor + timedelta(days=-back if is_last else ahead))

        return written

    def week(self, step: int) -> Rule:
        def written(match: re.Match[str], anchor: date) -> tuple[Period, str]:
            first = anchor - timedelta(days=anchor.weekday()) + timedelta(weeks=step)
            return Period(first, first + timedelta(days=6)), self._dressed("week_written", first)

        return written

    def near_month(self, step: int) -> Rule:
        def written(match: re.Match[str], anchor: date) -> tuple[Period, str]:
            period = month_period(*shifted_month(anchor, step))
            return period, self._dressed("month_written", period.first)

        return written

    def near_year(self, step: int) -> Rule:
        def written(match: re.Match[str], anchor: date) -> tuple[Period, str]:
            first = date(anchor.year + step, 1, 1)
            return Period(first, date(first.year, 12, 31)), self._dressed("year_written", first)

        return written

    def month(self, match: re.Match[str], anchor: date) -> tuple[Period, str]:
        """«im Mai 2024» stays as it is."""
        return month_period(int(match.group("year")), self._month(match.group("month"))), match.group()

    def _single(self, day: date) -> tuple[Period, str]:
        return Period(day, day), self._dressed("near_written", day)

    def _month(self, name: str) -> int:
        return int(name) if name.isdigit() else self.months.index(name.lower()) + 1

    def _dressed(self, name: str, day: date) -> str:
        month = self.raw["month_names"][day.month - 1] if self.months else ""
        return str(self.raw[name].format(day=day.day, month=month, number=day.month, year=day.year))


def _year_of(anchor: date, month: int, day: int, *, is_past: bool) -> int:
    """The latest such day after words of the past, else the coming one."""
    is_later = (month, day) > (anchor.month, anchor.day)
    if is_past:
        return anchor.year - 1 if is_later else anchor.year
    return anchor.year if is_later or (month, day) == (anchor.month, anchor.day) else anchor.year + 1
