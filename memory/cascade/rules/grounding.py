"""Does the evidence hold it: names, numbers and dates of a derived text that nobody said.

The rule is conservative in both directions. What the words of the evidence support in any usual way of
writing is grounded; what is not clearly a name, number or date is not judged. It cannot say that a text
is true, only that its particulars were not made up. Titles, where every word has a capital, are not
sentences: do not pass them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memory.cascade.rules.grounding_dates import KnownDates, find_dates, find_weekdays
from memory.cascade.rules.grounding_names import Evidence, find_names, initials_of
from memory.cascade.rules.grounding_numbers import (
    find_clock_times,
    find_digits,
    find_words,
    holds_clock_time,
    is_list_number,
    known_numbers,
)
from memory.cascade.rules.grounding_relative import dates_said
from memory.cascade.rules.grounding_text import UNSPACED, fold, mask, unify, vocabulary

__all__ = ["Ground", "dates_said", "ungrounded"]

_CHUNK = re.compile(rf"[^\s\0{UNSPACED}\u3000-\u303f\uff00-\uffef\"<>|]+")
_EDGES = "'()[]{},;:!?*`…"
_LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|[^@\s]+@[^@\s]+\.\w+|@\w{2,}", re.IGNORECASE)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w.-]+\S*|[A-Za-z]:[\\/]\S*|\S*\w\\\w\S*|[\w.-]+(?:/[\w.-]+)*/[\w-]+\.\w{1,5}"
)
_DOTTED = re.compile(r"[^\W\d_][\w-]+(?:\.[^\W_][\w-]+)+")
_MEASURE = re.compile(r"[#~≈<>=+±$€£¥-]*\d[\d.,']*(?:[-/]\d[\d.,']*)*(?:[^\W\d_]{1,3}|[%°€$£¥+]+)?")
_WORDS_AND_NUMBERS = re.compile(r"[^\W\d_]*[a-zäöüß]+(?:-(?:[a-zäöüß]+|\d+))+|\d+(?:-[a-zäöüß]+)+")
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}(?:-?[a-z0-9]+)?", re.IGNORECASE)
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]\w*")
_DAY_OR_HOUR = re.compile(r"\d+(?:st|nd|rd|th)|\d{1,2}(?:[:h]\d\d)?(?:[ap]\.?m\.?)?", re.IGNORECASE)
_PARTS = re.compile(r"[^\W\d_]+|\d+")


class Ground:
    """What a set of evidence texts holds, taken in once to judge several texts by it."""

    def __init__(
        self, evidence_texts: Iterable[str], *, extra: Iterable[str] = (), allowed_dates: Iterable[date] = ()
    ) -> None:
        self._raw = (*evidence_texts, *extra)
        self._text = "\n".join(unify(text) for text in self._raw)
        self._folded = fold(self._text)
        self._evidence = Evidence(frozenset(vocabulary(self._text)), self._text, initials_of(self._text))
        self._numbers = known_numbers(self._text)
        self._dates = KnownDates()
        self._dates.learn(self._text)
        self._numbers |= {float(day) for _, _, day in self._dates.said if day}
        self._numbers |= {float(month) for _, month, _ in self._dates.said}
        self._dates.allow(allowed_dates)
        self._judges = (
            self._identifiers,
            self._judge_dates,
            self._weekdays,
            self._clock,
            self._figures,
            self._words,
        )
        self._times = {minute for time in find_clock_times(self._text) for minute in time.minutes}

    def ungrounded(self, text: str) -> tuple[str, ...]:
        """Return the names, numbers and dates of `text` that are not in the evidence, in its order."""
        if any(text in evidence for evidence in self._raw):
            return ()
        unified = unify(text)
        found: list[tuple[int, int]] = []
        masked = unified
        for judge in (
            self._identifiers,
            self._judge_dates,
            self._weekdays,
            self._clock,
            self._figures,
            self._words,
        ):
            for start, end, is_grounded in list(judge(masked)):
                masked = mask(masked, start, end)
                found += [] if is_grounded else [(start, end)]
        found += find_names(masked, self._evidence)
        return tuple(dict.fromkeys(unified[start:end] for start, end in sorted(found)))

    # Each of these yields (start, end, is it grounded) for what it understands.

    def _identifiers(self, text: str) -> Iterator[tuple[int, int, bool]]:
        for match in _CHUNK.finditer(text):
            chunk = re.sub(r"'s$", "", match[0].strip(_EDGES)).rstrip(".'" + _EDGES)
            start = match.start() + match[0].find(chunk)
            if chunk and _is_identifier(chunk):
                yield start, start + len(chunk), self._holds_identifier(chunk)

    def _holds_identifier(self, chunk: str) -> bool:
        parts = _PARTS.findall(re.sub(r"^(?:[a-z]+://)?(?:www\.)?|^v(?=\d)", "", fold(chunk)))
        if not parts:
            return True
        pattern = r"[\W_]{0,3}".join(map(re.escape, parts))
        if re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", self._folded):
            return True
        if re.search(rf"(?<![a-z0-9])v{pattern}(?![a-z0-9])", self._folded):
            return True
        # "done.Next" is two words without a space, not a file.
        return "/" not in chunk and "@" not in chunk and all(part in self._evidence.words for part in parts)

    def _judge_dates(self, text: str) -> Iterator[tuple[int, int, bool]]:
        for mention in find_dates(text):
            yield mention.start, mention.end, self._dates.hold(mention, self._numbers)

    def _weekdays(self, text: str) -> Iterator[tuple[int, int, bool]]:
        for start, end, weekday in find_weekdays(text, short=False):
            yield start, end, weekday in self._dates.weekdays

    def _clock(self, text: str) -> Iterator[tuple[int, int, bool]]:
        for time in find_clock_times(text):
            yield time.start, time.end, holds_clock_time(time, self._times, self._numbers)

    def _figures(self, text: str) -> Iterator[tuple[int, int, bool]]:
        for mention in find_digits(text):
            is_split = bool(mention.parts) and mention.parts <= self._numbers
            is_known = bool(mention.values & self._numbers) or is_split or not mention.values
            is_free = is_list_number(text, mention.start) or self._is_date_part(
                text, mention.end, mention.values
            )
            yield mention.start, mention.end, is_known or is_free

    def _is_date_part(self, text: str, end: int, values: frozenset[float]) -> bool:
        is_ordinal = re.match(r"(?:st|nd|rd|th)\b", text[end : end + 3]) is not None
        day_known = is_ordinal and bool(values & {float(day) for day in self._dates.days})
        return day_known or any(value.is_integer() and self._dates.holds_year(int(value)) for value in values)

    def _words(self, text: str) -> Iterator[tuple[int, int, bool]]:
        for mention in find_words(text, loose=False):
            is_known = bool(mention.values & self._numbers) or mention.parts <= self._numbers
            yield mention.start, mention.end, is_known


def _is_identifier(chunk: str) -> bool:
    if _LINK.fullmatch(chunk) or _PATH.fullmatch(chunk) or _VERSION.fullmatch(chunk):
        return True
    if _MEASURE.fullmatch(chunk) or _WORDS_AND_NUMBERS.fullmatch(chunk):
        return False
    if not re.search(r"[^\W\d_]", chunk):
        return False
    if re.search(r"\d", chunk):
        return not (_DAY_OR_HOUR.fullmatch(chunk) or _is_glued_date(chunk))
    return bool(_DOTTED.fullmatch(chunk) or re.search(r"\w_\w", chunk) or _INNER_CAPITAL.fullmatch(chunk))


def _is_glued_date(chunk: str) -> bool:
    """Say whether a chunk is a day and a month without a space, as in 14September."""
    return next((mention.end - mention.start == len(chunk) for mention in find_dates(chunk)), False)


def ungrounded(
    text: str,
    evidence_texts: Sequence[str],
    *,
    extra: Iterable[str] = (),
    allowed_dates: Iterable[date] = (),
) -> tuple[str, ...]:
    """Return the names, numbers and dates of `text` that occur nowhere in the evidence.

    `extra` are further texts that count, such as speakers' names; `allowed_dates` are days that may be
    named although the evidence says them otherwise: a message's own day and `dates_said` by its words.
    Their years and weekdays may be named too. A text that is part of the evidence is always grounded.
    """
    return Ground(evidence_texts, extra=extra, allowed_dates=allowed_dates).ungrounded(text)
