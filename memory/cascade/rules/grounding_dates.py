"""Dates in texts: 2026-04-22, 22 April 2026, April 22nd, 22.04.2026, 4月22日, months, weekdays."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from memory.cascade.rules.grounding_text import fold
from memory.cascade.rules.grounding_words import TIME_WORDS

# Names in English, German, French, Spanish, Italian, Portuguese and Dutch, without accents.
_MONTH_NAMES = (
    "january jan januar janner janvier enero gennaio janeiro januari",
    "february feb februar fevrier febrero febbraio fevereiro februari",
    "march mar marz mrz mars marzo marco maart",
    "april apr avril abril aprile",
    "may mai mayo maggio maio mei",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug aout agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct okt oktober octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dez dezember decembre diciembre dicembre dezembro",
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_WEEKDAY_NAMES = (
    "monday montag lundi lunes lunedi maandag",
    "tuesday dienstag mardi martes martedi dinsdag",
    "wednesday mittwoch mercredi miercoles mercoledi woensdag",
    "thursday donnerstag jeudi jueves giovedi donderdag",
    "friday freitag vendredi viernes venerdi vrijdag",
    "saturday samstag sonnabend samedi sabado sabato zaterdag",
    "sunday sonntag dimanche domingo domenica zondag",
)
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names.split()}
_SHORT_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CJK_WEEKDAY = re.compile(r"(?:星期|周|週|礼拜)([一二三四五六日天])|([月火水木金土日])曜")

# These mean a month only next to a number or behind a word of time: "may" and "march" are verbs too.
_UNSURE = {"may", "march", "mar", "mars", "sept", "dec", "jan", "nov", "jun", "mei", "marco", "mai", "marz"}

_NAME = "(?P<name>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?<![\d.,:])(?P<day>\d{1,2})(?![\d:])"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_PATTERNS = (
    re.compile(r"(?<!\d)(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)"),
    re.compile(
        r"(?<![\d.])(?P<day>\d{1,2})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d\d)(?!\d)"
    ),
    re.compile(
        r"(?:(?P<year>\d{4})\s*年\s*)?(?<!\d)(?P<month>\d{1,2})\s*月(?:\s*(?P<day>\d{1,2})\s*[日号號])?"
    ),
    re.compile(
        rf"{_DAY}(?:st|nd|rd|th|\.|er|º|o)?,?\s*(?:of\s+|de\s+|di\s+)?{_NAME}"
        rf"(?:,?\s+(?:de\s+|of\s+|del\s+)?{_YEAR})?"
    ),
    re.compile(rf"\b{_NAME}\s+(?:the\s+)?(?P<day>\d{{1,2}})(?![\d:])(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_NAME},?\s*(?:of\s+|de\s+)?{_YEAR}"),
)
_ALONE = re.compile(rf"(?P<before>\b[a-z]+\s+)?\b{_NAME}")


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date as far as it was said. `readings` are (year, month, day) with None for what was not."""

    start: int
    end: int
    readings: tuple[tuple[int | None, int, int | None], ...]


def find_dates(text: str, *, loose: bool = False) -> Iterator[DateMention]:
    """Yield the dates of a unified text; parts understood once are not read again.

    `loose` also takes "may 5" for a date where it could be "they may 5 times", as evidence may mean it.
    """
    folded = fold(text)
    for pattern in _PATTERNS:
        for match in pattern.finditer(folded):
            readings = tuple(_readings(match))
            if readings and (loose or not _is_verb(text, match)):
                yield DateMention(match.start(), match.end(), readings)
                folded = folded[: match.start()] + " " * len(match[0]) + folded[match.end() :]
    for match in _ALONE.finditer(folded):
        if _is_month(text, match, loose):
            yield DateMention(match.start("name"), match.end("name"), ((None, MONTHS[match["name"]], None),))


def _is_verb(text: str, match: re.Match[str]) -> bool:
    if match.groupdict().get("name") not in ("may", "march", "mar"):
        return False
    return text[match.start("name")].islower() and match.start() == match.start("name")


def _is_month(text: str, match: re.Match[str], loose: bool) -> bool:
    name, before = match["name"], (match["before"] or "").strip()
    if not loose and not text[match.start("name")].isupper():
        return False
    return before in TIME_WORDS or (name not in _UNSURE and len(name) > 3)


def _readings(match: re.Match[str]) -> Iterator[tuple[int | None, int, int | None]]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    day = int(parts["day"]) if parts.get("day") else None
    month = MONTHS[parts["name"]] if parts.get("name") else int(parts["month"])
    if year is not None and year < 100:
        year += 2000 if year < 70 else 1900
    yield from _if_valid(year, month, day)
    # 04/05/2026 is the fourth of May or the fifth of April, whoever wrote it.
    if day is not None and "name" not in parts and match.start("day") < match.start("month") and day != month:
        yield from _if_valid(year, day, month)


def _if_valid(year: int | None, month: int, day: int | None) -> Iterator[tuple[int | None, int, int | None]]:
    if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
        yield (year, month, day)


def find_weekdays(text: str, *, short: bool) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, weekday from Monday = 0) for each weekday named; short names only if asked."""
    folded = fold(text)
    for match in re.finditer(r"[^\W\d_]+", folded):
        word = match[0]
        if word in WEEKDAYS:
            yield match.start(), match.end(), WEEKDAYS[word]
        elif word[:-1] in WEEKDAYS and word[-1] == "s":
            yield match.start(), match.end(), WEEKDAYS[word[:-1]]
        elif short and word[:3] in _SHORT_WEEKDAYS and len(word) <= 5:
            yield match.start(), match.end(), _SHORT_WEEKDAYS.index(word[:3])
    for match in _CJK_WEEKDAY.finditer(folded):
        named = "一二三四五六日".find((match[1] or "").replace("天", "日")) if match[1] else -1
        yield match.start(), match.end(), named if match[1] else "月火水木金土日".index(match[2])


@dataclass(slots=True)
class KnownDates:
    """What evidence and the caller allow to be said about days, months, years and weekdays."""

    said: set[tuple[int | None, int, int | None]] = field(default_factory=set)
    allowed_years: set[int] = field(default_factory=set)
    years: set[int] = field(default_factory=set)
    days: set[int] = field(default_factory=set)
    weekdays: set[int] = field(default_factory=set)

    def learn(self, text: str) -> None:
        """Take in the dates and weekdays of a unified evidence text."""
        for mention in find_dates(text, loose=True):
            self.said.update(mention.readings)
        self.weekdays.update(day for _, _, day in find_weekdays(text, short=True))
        self.years.update(int(year) for year in re.findall(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)", text))
        for year, month, day in self.said:
            if year and day:
                self._learn_weekday(year, month, day)

    def allow(self, dates: Iterable[date]) -> None:
        """Take in dates that may be said though no evidence text spells them out."""
        for allowed in dates:
            self.said.add((allowed.year, allowed.month, allowed.day))
            self.allowed_years.add(allowed.year)
            self.days.add(allowed.day)
            self.weekdays.add(allowed.weekday())

    def _learn_weekday(self, year: int, month: int, day: int) -> None:
        try:
            self.weekdays.add(date(year, month, day).weekday())
        except ValueError:
            return

    def hold(self, mention: DateMention, numbers: set[float]) -> bool:
        """Say whether a date mentioned is one of them, as far as it was said."""
        return any(self._holds(*reading, numbers) for reading in mention.readings)

    def _holds(self, year: int | None, month: int, day: int | None, numbers: set[float]) -> bool:
        return any(
            known_month == month
            and (day is None or day == known_day or (known_day is None and day in numbers))
            and (
                year is None or year == known_year or (known_year is None and self.holds_year(year, spare=1))
            )
            for known_year, known_month, known_day in self.said
        )

    def holds_year(self, year: int, *, spare: int = 0) -> bool:
        """Say whether a year is known; "by January", said in December, means the year after (`spare`)."""
        near = any(abs(year - allowed) <= spare for allowed in self.allowed_years)
        return near or year in self.years
