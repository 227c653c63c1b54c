"""One rule for each way to name a time: a pattern, the period it means, and words that name it for good."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
MONTH = "(?P<month>" + "|".join(f"{name}|{name[:3]}" for name in MONTHS) + r")\.?"
WEEKDAY = "(?P<weekday>" + "|".join(f"{name}|{name[:3]}|tues|thurs|thur" for name in WEEKDAYS) + r")\.?"
COUNT = r"(?P<count>\d{1,3}|" + "|".join(COUNTS) + ")"
FROM_PLACE = rf"from (?!(?:{'|'.join(name.lower() for name in MONTHS)})\b)\S+(?: \S+){{0,2}}? to\b"
"""«moved from Porto to Lisbon in May» looks back, «closed from Monday» ahead."""
AHEAD = re.compile(
    rf"\b(?:until|till|by|before|due|will|must|next|(?!{FROM_PLACE})from|scheduled|is|are|starts?|begins?|ends?|closes?|"
    r"opens?|happens?|comes|arrives)"
    r"\b[^.]{0,25}$|"
    r"\b(?:moved?|pushed|changed?|extend(?:ed)?|shifted|deferred|brought|pulled|put)"
    r"(?: \w+){0,4}? (?:to|until)\s*$|"
    r"\b(?:have|has|'ve got) an? (?:\w+ ){1,3}(?:on|at)\s*$|"
    r"\b(?:go(?:es|ing)? live|(?:we|they) (?:now )?(?:launch|release|ship))\b[^.]{0,25}$|"
    r"\b(?:postpon\w+|reschedul\w+|delay\w*)\b[^.]{0,25}$|"
    r"\b(?:am|is|are|'m|'re) "
    r"(?:starting|leaving|moving|beginning|flying|travell?ing|visiting|launching|opening)\b(?![^.]*\bsince\b)[^.]{0,60}$"
)
BEHIND = re.compile(r"\b(?:was|were|had|went|met|got|made|took|saw|since|\w{2,}ed)\b[^.]*$")


@dataclass(frozen=True, slots=True)
class Period:
    """First and last day of a time that was named; a day is both."""

    first: date
    last: date


Rule = Callable[[re.Match[str], date], tuple[Period | None, str]]


def long_date(day: date) -> str:
    """A day as the texts of memory write it: May 7, 2023."""
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


def _single(day: date, preposition: str = "on ") -> tuple[Period, str]:
    return Period(day, day), f"{preposition}{long_date(day)}"


def month_period(year: int, month: int) -> Period:
    """First and last day of a month."""
    return Period(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def shifted_month(anchor: date, months: int) -> tuple[int, int]:
    """Year and month so many months after a day's; before it for a negative count."""
    index = anchor.year * 12 + anchor.month - 1 + months
    return index // 12, index % 12 + 1


def _month_number(name: str) -> int:
    return next(number for number, full in enumerate(MONTHS, 1) if full.lower().startswith(name.lower()[:3]))


def _count(match: re.Match[str]) -> int:
    word = match.group("count").lower()
    return COUNTS.get(word) or int(word)


def _written_day(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    """«July 15», «15 July 2026»: without a year the one nearest to when it was said."""
    month, number = _month_number(match.group("month")), int(match.group("day"))
    year = int(match.group("year")) if match.group("year") else _nearest_year(anchor, month, number, match)
    try:
        day = date(year, month, number)
    except ValueError:
        return None, ""
    return Period(day, day), long_date(day)


def _nearest_year(anchor: date, month: int, number: int, match: re.Match[str]) -> int:
    """The coming one after words that look ahead, the latest after words of the past, else the nearer."""
    before = match.string[: match.start()].lower()
    is_later = (month, number) > (anchor.month, anchor.day)
    if AHEAD.search(before):
        return anchor.year if is_later or (month, number) == (anchor.month, anchor.day) else anchor.year + 1
    if BEHIND.search(before):
        return anchor.year - 1 if is_later else anchor.year
    return anchor.year - 1 if is_later and (anchor.month - month) % 12 <= 5 else anchor.year


def _iso_day(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    try:
        day = date(int(match.group("year")), int(match.group("number")), int(match.group("day")))
    except ValueError:
        return None, ""
    return Period(day, day), long_date(day)


def _month_and_year(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    period = month_period(int(match.group("year")), _month_number(match.group("month")))
    return period, f"in {MONTHS[period.first.month - 1]} {period.first.year}"


def _bare_month(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    month = _month_number(match.group("month"))
    word = (match.group("which") or "").lower()
    year = anchor.year
    if month > anchor.month and word == "last":
        year -= 1
    elif month < anchor.month and word == "next":
        year += 1
    elif not word:
        year = _nearest_year(anchor, month, 28, match)
    return month_period(year, month), f"{match.group('lead')} {MONTHS[month - 1]} {year}"


def _bare_year(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    year = int(match.group("year"))
    return Period(date(year, 1, 1), date(year, 12, 31)), match.group()


def _year_span(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    """«from 2014 to 2018» is one period, ends included."""
    first, last = int(match.group("year")), int(match.group("until"))
    if last < first:
        return None, ""
    return Period(date(first, 1, 1), date(last, 12, 31)), match.group()


def _near_day(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    word = match.group().lower()
    if "before yesterday" in word:
        return _single(anchor - timedelta(days=2))
    if "after tomorrow" in word:
        return _single(anchor + timedelta(days=2))
    if "night" in word and ("last" in word or "yesterday" in word):
        return _single(anchor - timedelta(days=1), "on the night of ")
    if "yesterday" in word:
        return _single(anchor - timedelta(days=1))
    return _single(anchor + timedelta(days=1)) if "tomorrow" in word else _single(anchor)


def _weekday(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    """«last Friday» is the one before today, «next Friday» the coming one, never today."""
    number = next(
        index for index, name in enumerate(WEEKDAYS) if name.startswith(match.group("weekday").lower()[:3])
    )
    which = match.group("which").lower()
    if which == "last":
        return _single(anchor - timedelta(days=(anchor.weekday() - number - 1) % 7 + 1))
    return _single(anchor + timedelta(days=(number - anchor.weekday() - 1) % 7 + 1))


def _coming_weekday(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    """«by Friday» is the coming one, or today."""
    number = next(
        index for index, name in enumerate(WEEKDAYS) if name.startswith(match.group("weekday").lower()[:3])
    )
    return _single(anchor + timedelta(days=(number - anchor.weekday()) % 7), f"{match.group('lead')} ")


def _unit(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    """«last week», «this month», «next year», «last weekend», «this summer»."""
    step = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}[match.group("which").lower()]
    unit = match.group("unit").lower()
    if unit == "week":
        first = anchor - timedelta(days=anchor.weekday()) + timedelta(weeks=step)
        return Period(first, first + timedelta(days=6)), f"in the week of {long_date(first)}"
    if unit == "weekend":
        return _weekend(anchor, step)
    if unit == "month":
        period = month_period(*shifted_month(anchor, step))
        return period, f"in {MONTHS[period.first.month - 1]} {period.first.year}"
    if unit == "year":
        year = anchor.year + step
        return Period(date(year, 1, 1), date(year, 12, 31)), f"in {year}"
    return _season(unit, anchor, step)


def _weekend(anchor: date, step: int) -> tuple[Period, str]:
    saturday = anchor + timedelta(days=(5 - anchor.weekday()) % 7)
    if anchor.weekday() == 6:
        saturday = anchor - timedelta(days=1)
    first = saturday + timedelta(weeks=step)
    return Period(first, first + timedelta(days=1)), f"on the weekend of {long_date(first)}"


def _season(unit: str, anchor: date, step: int) -> tuple[Period, str]:
    month = SEASONS[unit]
    year = anchor.year
    if step < 0 and month + 2 >= anchor.month:
        year -= 1
    elif step > 0 and month <= anchor.month:
        year += 1
    last_year, last_month = shifted_month(date(year, month, 1), 2)
    return Period(date(year, month, 1), month_period(last_year, last_month).last), f"in the {unit} of {year}"


def _ago(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    unit = match.group("unit").lower()
    count = _count(match)
    if unit == "day":
        return _single(anchor - timedelta(days=count))
    if unit == "week":
        first = anchor - timedelta(days=anchor.weekday()) - timedelta(weeks=count)
        return Period(first, first + timedelta(days=6)), f"in the week of {long_date(first)}"
    if unit == "weekend":
        return _weekend(anchor, -count)
    if unit == "month":
        period = month_period(*shifted_month(anchor, -count))
        return period, f"in {MONTHS[period.first.month - 1]} {period.first.year}"
    year = anchor.year - count
    return Period(date(year, 1, 1), date(year, 12, 31)), f"in {year}"


def _in_future(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    unit, count = match.group("unit").lower(), _count(match)
    if unit == "month":
        period = month_period(*shifted_month(anchor, count))
        return period, f"in {MONTHS[period.first.month - 1]} {period.first.year}"
    return _single(anchor + timedelta(days=count * (7 if unit == "week" else 1)))


def _vague_past(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    return None, f"shortly before {long_date(anchor)}"


def _vague_now(match: re.Match[str], anchor: date) -> tuple[Period | None, str]:
    return None, f"as of {long_date(anchor)}"


def _rule(pattern: str, rule: Rule) -> tuple[re.Pattern[str], Rule]:
    return re.compile(pattern, re.IGNORECASE), rule


LEAD = r"(?<![\w-])(?:(?:on|in|at|over|during|for)\s+)?(?:the\s+)?"
YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d))"
NEAR = (
    r"(?:the day before yesterday|the day after tomorrow|(?<!like )(?<!like just )yesterday (?:night|"
    r"evening)|last (?:night|evening)|"
    r"(?<!like )(?<!like just )yesterday(?: (?:morning|afternoon))?|today|tonight|this (?:morning|"
    r"afternoon|evening)|"
    r"tomorrow(?: (?:morning|night|evening|afternoon))?)\b(?!'s)"
)
UNIT = "(?P<unit>weekend|week|month|year|spring|summer|autumn|fall|winter)"
BARE_MONTH = (
    r"\b(?P<lead>in|of|to|since|until|till|by|before|from|after|during)\s+(?:(?P<which>last|next)\s+)?"
    rf"(?-i:(?P<month>{'|'.join(MONTHS)}))\b(?!\s+\d)"
)
VAGUE_PAST = (
    r"\b(?:a few|a couple of|some|several)\s+(?:day|week|month|year)s?\s+(?:ago|back)\b|"
    r"\bthe other day\b|\brecently\b|\ba while (?:ago|back)\b"
)
VAGUE_NOW = r"\b(?:lately|nowadays|these days|right now|currently|at the moment)\b"
RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    _rule(r"\b(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)\b", _iso_day),
    _rule(rf"\b{MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*(?:%|:)){YEAR}?", _written_day),
    _rule(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b{YEAR}?", _written_day),
    _rule(rf"\bin\s+{MONTH}{YEAR}", _month_and_year),
    _rule(rf"{LEAD}{NEAR}", _near_day),
    _rule(rf"{LEAD}(?P<which>last|next|this coming|this)\s+{WEEKDAY}\b", _weekday),
    _rule(rf"\b(?P<lead>by|until)\s+{WEEKDAY}(?!\w)", _coming_weekday),
    _rule(rf"{LEAD}(?P<which>last|past|this|next|coming)\s+{UNIT}\b", _unit),
    _rule(
        rf"\b(?:about |around )?{COUNT}\s+(?P<unit>day|weekend|week|month|year)s?\s+(?:ago|back|earlier)\b",
        _ago,
    ),
    _rule(rf"\bin\s+{COUNT}\s+(?P<unit>day|week|month)s?(?:'\s*time)?\b(?!\s+of)", _in_future),
    _rule(BARE_MONTH, _bare_month),
    _rule(
        r"\b(?:from|between)\s+(?P<year>(?:19|20)\d\d)\s*(?:to|until|till|and|through|-|"
        r"–)\s*(?P<until>(?:19|20)\d\d)\b",
        _year_span,
    ),
    _rule(
        r"\b(?:in|since|until|till|by|before|from|after|during)\s+(?P<year>(?:19|20)\d\d)\b(?!-)", _bare_year
    ),
    _rule(VAGUE_PAST, _vague_past),
    _rule(VAGUE_NOW, _vague_now),
)
YEARLESS_RULES = frozenset({_written_day, _bare_month})
"""They complete a day or month with a year."""
