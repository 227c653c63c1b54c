"""Texts with times in them: relative words become days of the calendar, by the day they were said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from memory.llm.offline.date_rules import RULES, YEARLESS_RULES, Period, Rule

LIMIT = "until|till|by|before|no later than|due|deadline|deadline is"
START = "since|from|starting|as of"
DOUBLED = re.compile(
    r"\b(until|till|by|before|since|from|after|of|than|to)(\s+)\x00(?:on|in) ", re.IGNORECASE
)
SPAN = re.compile(
    r"\b(?:from|between)\s+\x00[^\x01]*\x01\s+(?:to|until|till|and|through)\s+\x00", re.IGNORECASE
)
ADVERB_FIRST = re.compile(
    r"(?P<who>\b(?:I|we|We)(?:'ve|'m|'re| am| are| have)?) (?P<when>recently|lately|"
    r"currently) (?P<what>[^,;]+?)(?P<end>[.!]*)$"
)
RELATIVE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|recently|"
    r"this (?:morning|afternoon|evening|week|weekend|month|year|spring|summer|autumn|fall|winter)|"
    r"(?:last|next) (?:night|week|weekend|month|year|summer|winter|spring|autumn|fall|\w+day)|"
    r"\w+ (?:days?|weeks?|months?|years?) (?:ago|back))\b",
    re.IGNORECASE,
)


YEAR_SPAN = re.compile(r"\x00(?:from|between) \d{4}\W*\w* ?\d{4}\x01", re.IGNORECASE)
YEARLY = re.compile(
    r"\b(?:birthday|anniversary|name day)\b(?! (?:party|dinner|trip|weekend|celebration|cake|gift|present))",
    re.IGNORECASE,
)
"""A day that comes back every year: without a year of its own it gets none."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A text whose relative time words are replaced, with the period they name."""

    text: str
    period: Period | None
    is_unanchored: bool = False
    """It held relative words and nobody knows when it was said."""
    is_limit: bool = False
    """The period is an end: «until», «by», «before»."""
    is_start: bool = False
    """The period is a start: «since», «from»."""


def resolve(text: str, said_on: date | None) -> Dated:
    """Replace relative times by absolute ones and complete days without a year.

    Without `said_on` nothing is guessed: the text stays, and `is_unanchored` tells if it needed one.
    """
    rewriting = _Rewriting(said_on)
    text = ADVERB_FIRST.sub(r"\g<who> \g<what> \g<when>\g<end>", text, count=1)
    is_yearly = YEARLY.search(text) is not None
    for pattern, rule in RULES:
        if is_yearly and rule in YEARLESS_RULES:
            continue
        text = _outside_marks(pattern, rewriting.by(rule), text)
    marked = DOUBLED.sub("\\1\\2\x00", text)
    clean = re.sub(r"\s{2,}", " ", marked.replace("\x00", "").replace("\x01", "")).strip()
    span = _span(marked, rewriting.periods)
    if span is not None:
        return Dated(clean, span, rewriting.is_unanchored)
    first = rewriting.periods[0] if rewriting.periods else None
    if YEAR_SPAN.search(marked):
        return Dated(clean, first, rewriting.is_unanchored)
    return Dated(clean, first, rewriting.is_unanchored, _leads(LIMIT, marked), _leads(START, marked))


@dataclass(slots=True)
class _Rewriting:
    """The day of saying, and what the rules have found so far."""

    said_on: date | None
    periods: list[Period] = field(default_factory=list)
    is_unanchored: bool = False

    def by(self, rule: Rule) -> Callable[[re.Match[str]], str]:
        """A substitution by one rule; what it writes is marked, so that no later rule reads it again."""
        return lambda match: self._written(match, rule)

    def _written(self, match: re.Match[str], rule: Rule) -> str:
        if self.said_on is None and not _has_year(match):
            self.is_unanchored = self.is_unanchored or not _is_calendar(match)
            return match.group()
        try:
            period, words = rule(match, self.said_on or date.min)
        except (
            ValueError,
            OverflowError,
        ):  # a day outside the calendar: «900 years ago» said in the year 500
            return match.group()
        self.periods += [period] if period is not None else []
        return f"\x00{words}\x01" if words else match.group()


def _span(marked: str, periods: list[Period]) -> Period | None:
    """«from August 3 to August 17» as one period."""
    if len(periods) != 2 or not SPAN.search(marked) or periods[1].last < periods[0].first:
        return None
    return Period(periods[0].first, periods[1].last)


def has_relative_word(text: str) -> bool:
    """Whether words remain that mean another day when read later."""
    return RELATIVE.search(text) is not None


def _outside_marks(pattern: re.Pattern[str], written: Callable[[re.Match[str]], str], text: str) -> str:
    """Substitute only in what no earlier rule has written."""
    parts = re.split("(\x00[^\x01]*\x01)", text)
    return "".join(part if part.startswith("\x00") else pattern.sub(written, part) for part in parts)


def _leads(words: str, marked: str) -> bool:
    """Whether such a word stands right before a date or opens it, as in a bare month's «since March»."""
    return re.search(rf"\b(?:{words})\s+(?:the )?\x00|\x00(?:{words})\b", marked, re.IGNORECASE) is not None


def _has_year(match: re.Match[str]) -> bool:
    return bool(match.groupdict().get("year"))


def _is_calendar(match: re.Match[str]) -> bool:
    return bool(match.groupdict().get("month"))
