"""Which dates a message's own words and time allow, such as "yesterday" and "in two weeks"."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from memory.cascade.rules.grounding_dates import find_weekdays
from memory.cascade.rules.grounding_numbers import find_digits, find_words
from memory.cascade.rules.grounding_text import fold, unify

_DAYS_AWAY: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"\bday before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b|前天|一昨日"), -2),
    (
        re.compile(r"\b(?:yesterday|last (?:night|evening)|gestern|hier|ayer|anoche)\b|昨天|昨晚|昨日"),
        -1,
    ),
    (re.compile(r"\btomorrow\b|\bmorgen\b|\bdemain\b|\bmanana\b|明天|明日"), 1),
    (
        re.compile(
            r"\bday after tomorrow\b|\bubermorgen\b|\bapres-demain\b|\bpasado manana\b|后天|後天|明後日"
        ),
        2,
    ),
)
_UNIT = r"days?|weekends?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|天|周|週|个月|月|年"
# The count is bounded: scripts without spaces make very long words.
# "For three years" and "three years now" name the year it began.
_PAST = re.compile(
    rf"(?:(?P<for>\b(?:vor|seit|for))\s+(?:about\s+)?)?(?P<count>[\w-]{{1,15}})\s*(?P<unit>{_UNIT})"
    r"\s*(?P<ago>(?:ago|earlier|before|now)\b|前)?"
)
_FUTURE = re.compile(
    rf"\b(?:in|within)\s+(?:about\s+|the next\s+)?(?P<count>[\w-]{{1,15}})\s+(?P<unit>{_UNIT})"
)
_NEAR = re.compile(
    r"\b(?P<which>last|past|previous|this|next|coming|letzten?|letztes|diesen?|dieses|nachsten?|nachstes)\s+"
    r"(?P<unit>week|weekend|month|year|woche|wochenende|monat|jahr)\b"
)
_SEASON = re.compile(r"\b(?P<which>last|this|next)\s+(?:spring|summer|autumn|fall|winter)\b")
_CJK_NEAR = re.compile(r"(?P<which>上|这|這|本|下|去|今|明|来|先)个?(?P<unit>周|週|月|年)")
_ROMANCE_NEAR = re.compile(
    r"\b(?:(?P<before>esta|este|cette|ce|proxim[oa]|prochaine?|pasad[oa])\s+)?"
    r"(?P<unit>semana|semaine|mes|mois|ano|annee|an)"
    r"(?:\s+(?P<after>pasad[oa]|proxim[oa]|derniere?|prochaine?|que viene))?\b"
)
_ROMANCE_UNITS = {"sem": "week", "mes": "month", "moi": "month", "ano": "year", "ann": "year", "an": "year"}
_NEXT = ("next", "coming", "nachst", "proxim", "prochain", "que viene", "下", "明", "来")
_THIS = ("this", "dies", "este", "esta", "cet", "ce", "这", "這", "本", "今")


def dates_said(text: str, day: date) -> frozenset[date]:
    """Return the dates that a message of `day` may mean by its relative words, and `day` itself.

    A week stands for its seven days, so does a weekend; a month or a year for its first day, a season for its
    year: enough to allow "in April 2026" for "last month". Pass `day` in the speaker's own time zone.
    """
    folded = fold(unify(text))
    found = {day}
    found.update(_shift_days(day, away) for pattern, away in _DAYS_AWAY if pattern.search(folded))
    for _, _, weekday in find_weekdays(folded, short=True):
        ahead = (weekday - day.weekday()) % 7
        found.update(_shift_days(day, ahead + week) for week in (-14, -7, 0, 7))
    found.update(_counted(folded, day))
    for match in (*_NEAR.finditer(folded), *_CJK_NEAR.finditer(folded)):
        found.update(_shifted(day, match["unit"], _direction(match["which"])))
    for match in _ROMANCE_NEAR.finditer(folded):
        found.update(_romance(match, day))
    for match in _SEASON.finditer(folded):
        found.update(_shifted(day, "year", _direction(match["which"])))
    return frozenset(found)


def _romance(match: re.Match[str], day: date) -> Iterator[date]:
    """«la semana pasada», «le mois prochain»; a bare «mes» names no time."""
    which = match["after"] or match["before"]
    if which:
        yield from _shifted(day, _ROMANCE_UNITS[match["unit"][:3]], _direction(which))


def _direction(word: str) -> int:
    if word.startswith(_NEXT):
        return 1
    return 0 if word.startswith(_THIS) else -1


def _counted(folded: str, day: date) -> Iterator[date]:
    for match in _PAST.finditer(folded):
        if match["for"] or match["ago"]:
            for count in _counts(match["count"]):
                yield from _shifted(day, match["unit"], -count)
    for match in _FUTURE.finditer(folded):
        for count in _counts(match["count"]):
            yield from _shifted(day, match["unit"], count)


def _counts(words: str) -> set[int]:
    mentions = (*find_digits(words), *find_words(words, loose=True))
    return {int(value) for mention in mentions for value in mention.values if value < 10_000}


def _shifted(day: date, unit: str, count: int) -> Iterator[date]:
    if unit.startswith(("day", "tag", "天")):
        yield _shift_days(day, count)
    elif unit.startswith(("week", "woche", "周", "週")):
        start = _shift_days(day, 7 * count - day.weekday() - 1)
        yield from (_shift_days(start, number) for number in range(9))
        yield _shift_days(day, 7 * count)
    elif unit.startswith(("month", "monat", "个", "月")):
        months = day.year * 12 + day.month - 1 + count
        yield from _first_day(months // 12, months % 12 + 1)
    else:
        yield from _first_day(day.year + count, day.month)
        yield from _first_day(day.year + count, 1)


def _first_day(year: int, month: int) -> Iterator[date]:
    if date.min.year <= year <= date.max.year:
        yield date(year, month, 1)


def _shift_days(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day
