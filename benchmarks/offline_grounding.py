"""Does a claim's every name, number and date stand in its evidence? A plain check of its own.

It knows nothing of the rules that the cascade applies, so that one does not vouch for the other: words are
looked up as they are written, and a date must lie where the time words of the evidence, counted from the day
they were said, could put it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
COUNTS = {
    "a": 1, "an": 1, "one": 1, "couple": 2, "two": 2, "few": 3, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
DAYS = {"day": 1, "night": 1, "week": 7, "weekend": 7, "month": 31, "year": 366}
SEASONS = "spring|summer|autumn|fall|winter"
MONTH = "|".join(MONTHS)
DATED = re.compile(
    rf"\b(?:(?P<month>{MONTH}) (?:(?P<day>\d{{1,2}}), )?|(?:{SEASONS}) of )?(?P<year>(?:19|20)\d\d)\b"
)
NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]*")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
WORD = re.compile(r"[^\W_]+")
NOW = (
    r"\b(?:today|tonight|this (?:morning|afternoon|evening)|recently|lately|other day|while|nowadays|"
    r"these days|now|"
    r"currently|at the moment|(?:few|couple|some|several)\b.{0,12}\b(?:ago|back))\b"
)
AGO = re.compile(r"\b(\w+) (day|night|weekend|week|month|year)s? (?:ago|back|earlier)\b", re.I)
AHEAD = re.compile(r"\bin (\w+) (day|week|month|year)s?\b", re.I)
NEAR = re.compile(
    rf"\b(last|past|this|next|coming)\s+(night|weekend|week|month|year|{SEASONS}|\w+day)\b", re.I
)
WEEKDAY = re.compile(r"\b(?:mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:day)?\b", re.I)


@dataclass(frozen=True, slots=True)
class Said:
    """What a claim rests on: the words, whose they are, and the day they were said."""

    words: str
    speakers: tuple[str, ...]
    day: date


def unfounded(claim: str, said: Said) -> list[str]:
    """The names, numbers and dates of a claim that its evidence does not hold."""
    evidence = f"{said.words} {' '.join(said.speakers)}"
    known = {word.casefold() for word in WORD.findall(evidence)}
    dates = [match.group() for match in DATED.finditer(claim) if not _is_said(match, said, known)]
    bare = DATED.sub(" ", claim)
    names = [
        name
        for name in NAME.findall(bare)
        if not {word.casefold() for word in WORD.findall(name.removesuffix("'s"))} <= known
    ]
    numbers = [number for number in NUMBER.findall(bare) if number not in evidence]
    return [*dates, *names, *numbers]


def _is_said(match: re.Match[str], said: Said, known: set[str]) -> bool:
    """Whether a date was written out, or lies where relative words put it."""
    month, day, year = match.group("month"), match.group("day"), int(match.group("year"))
    is_month_said = month is None or {month.casefold(), month[:3].casefold()} & known
    if str(year) in known and is_month_said:
        return True
    if month and is_month_said and (day is None or re.search(rf"\b0?{day}(?:st|nd|rd|th)?\b", said.words)):
        return abs(year - said.day.year) <= 1
    first, last = _span(month, day, year)
    return any(low <= last and first <= high for low, high in _windows(said))


def _span(month: str | None, day: str | None, year: int) -> tuple[date, date]:
    if month is None:
        return date(year, 1, 1), date(year, 12, 31)
    number = MONTHS.index(month) + 1
    if day:
        return date(year, number, int(day)), date(year, number, int(day))
    return date(year, number, 1), date(year + number // 12, number % 12 + 1, 1) - timedelta(days=1)


def _windows(said: Said) -> Iterator[tuple[date, date]]:
    """Spans of days that the time words may mean, from the day they were said."""
    for low, high in _distances(said.words):
        yield said.day + timedelta(days=low), said.day + timedelta(days=high)


def _distances(words: str) -> Iterator[tuple[int, int]]:
    if re.search(NOW, words, re.I):
        yield 0, 0
    if re.search(r"\b(?:yesterday|last night)\b", words, re.I):
        yield (-2, -2) if re.search(r"\bbefore yesterday\b", words, re.I) else (-1, -1)
    if re.search(r"\btomorrow\b", words, re.I):
        yield (2, 2) if re.search(r"\bafter tomorrow\b", words, re.I) else (1, 1)
    if WEEKDAY.search(words):
        yield -14, 14
    for sign, pattern in ((-1, AGO), (1, AHEAD)):
        for match in pattern.finditer(words):
            unit = DAYS[match.group(2).lower()]
            away = sign * unit * _count(match.group(1))
            yield away - unit, away + unit
    for match in NEAR.finditer(words):
        unit = DAYS.get(match.group(2).lower(), 7 if match.group(2).lower().endswith("day") else 366)
        yield {"last": (-2 * unit, 0), "past": (-2 * unit, 0), "this": (-unit, unit)}.get(
            match.group(1).lower(), (0, 2 * unit)
        )


def _count(word: str) -> int:
    return int(word) if word.isdigit() else COUNTS.get(word.lower(), 0)
