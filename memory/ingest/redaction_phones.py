"""Telephone numbers, by the numbering plans that phonenumbers brings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from phonenumbers import Leniency, NumberParseException, PhoneNumberMatcher, is_valid_number, parse

from memory.ingest.redaction_kinds import Kind, Span
from memory.ingest.redaction_references import is_reference, words_before

INTERNATIONAL = re.compile(r"(?<![\w+])(?:\+|00)[ (]{0,2}[1-9][\d ().\-/\u00a0]{5,22}\d(?!\w)", re.ASCII)
# Without the country's number only what is set in groups, as people write it and counters do not.
NATIONAL = re.compile(
    r"(?<![\w+.,/#-])(?:\(\d{2,5}\)[ \-]?\d{2,5}(?:[ \-]\d{2,5}){0,3}|0\d{1,4}(?:[ /.\-]\d{2,8}){1,5}|"
    r"\d{3}[ .\-]\d{3}[ .\-]\d{4}|\d{3} \d{2,3} \d{2,3}(?: \d{2})?)(?![\w/-]|[.,]\d)",
    re.ASCII,
)
SPOKEN_OF = re.compile(
    r"(?:(?<![^\W\d_])(?:tel(?:e(?:ph|f)\w{0,12})?|phone|mobile?|cell|fax|sms|whatsapp|handy(?:nummer)?|móvil|"
    r"celular|portable|cellulare|telefoon|(?:call|ring|text|reach)(?: (?:me|us|him|her|them))?|"
    r"anruf\w{0,3}|ruf\w{0,2}|"
    r"llám\w{0,6}|appel\w{0,4}|chiama\w{0,3}|bel|телефон\w{0,3}|هاتف|טלפון)(?![^\W\d_])|"
    r"电话|手机|號碼|電話|携帯|전화)[^\d\n+]{0,20}\Z",
    re.IGNORECASE,
)
PLAIN = re.compile(r"(?<![\w+.,/#-])\(?\d[\d ()/.\-]{5,18}\d(?![\w/-]|[.,]\d)", re.ASCII)
DATE = re.compile(
    r"\(?(?:(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d)(?!\d)"
)
LONE_DIGITS = re.compile(r"(?<!\d)\d[ .]\d(?!\d)")
REGIONS = (
    "US",
    "GB",
    "DE",
    "FR",
    "ES",
    "IT",
    "NL",
    "CH",
    "AT",
    "BR",
    "MX",
    "IN",
    "CN",
    "JP",
    "KR",
    "AU",
    "PL",
    "SE",
)
"""Whose national numbers are known where the country is not said."""
FEWEST_DIGITS = 7
MOST_QUESTIONS = 2_500
QUESTIONS_OF_A_SEARCH = 8
"""A search for a number takes as long as that many questions whether something is one."""
DIGITS = re.compile(r"[0-9]+")


def find_phones(text: str) -> Iterator[Span]:
    """Numbers with a country's code, and national ones that are set like one or spoken of as one.

    The library is asked about each way of writing once, and `MOST_QUESTIONS` times for a text. What is set
    like a number after that is taken out unasked.
    """
    plans = _shared_plans.get() or NumberingPlans()
    yield from _international(text, plans)
    for match in NATIONAL.finditer(text):
        if not is_reference(text, match) and plans.is_grouped(match.group()):
            yield Span(*match.span(), Kind.PHONE)
    for match in PLAIN.finditer(text):
        is_meant = _is_spoken_of(text, match) and not is_reference(text, match)
        if is_meant and plans.is_valid(match.group()):
            yield Span(*match.span(), Kind.PHONE)


@contextmanager
def asked_together() -> Iterator[None]:
    """Within it texts count as one: the questions of all of them together are bounded."""
    token = _shared_plans.set(NumberingPlans())
    try:
        yield
    finally:
        _shared_plans.reset(token)


def _international(text: str, plans: NumberingPlans) -> Iterator[Span]:
    match = INTERNATIONAL.search(text)
    while match is not None:
        length = 0
        if match.group().startswith("+") or not is_reference(text, match):
            length = plans.international_length(match.group())
        if length:
            yield Span(match.start(), match.start() + length, Kind.PHONE)
        match = INTERNATIONAL.search(text, match.start() + length if length else match.end())


def _is_spoken_of(text: str, match: re.Match[str]) -> bool:
    """Whether such a word stands before what is not a date or a row of figures."""
    written = match.group()
    is_other = DATE.match(written) is not None or LONE_DIGITS.search(written) is not None
    return not is_other and SPOKEN_OF.search(words_before(text, match.start())) is not None


class NumberingPlans:
    """What the library knows, asked for one text: its answers are kept, and the questions counted."""

    def __init__(self) -> None:
        self._left = MOST_QUESTIONS
        self._lengths: dict[str, int] = {}
        self._answers: dict[tuple[str, int], bool] = {}

    def international_length(self, written: str) -> int:
        """How much of what begins with a country's code is one number, at most; 0 for none of it."""
        if written not in self._lengths:
            ends = [group.end() for group in DIGITS.finditer(written)]
            code = written.removeprefix("00").removeprefix("+")
            shift = len(written) - len(code)
            self._lengths[written] = next(
                (end for end in reversed(ends) if self._is_number(f"+{code[: end - shift]}", None)), 0
            )
        return self._lengths[written]

    def is_grouped(self, written: str) -> bool:
        """Whether these digits hold a number of some country, set in groups as it is there."""
        return self._is_national(written, Leniency.STRICT_GROUPING)

    def is_valid(self, written: str) -> bool:
        """Whether they hold one, however it is set."""
        return self._is_national(written, Leniency.VALID)

    def _is_national(self, written: str, leniency: int) -> bool:
        asked = (written, leniency)
        if asked not in self._answers:
            self._answers[asked] = any(
                self._is_number(run, region) and self._is_set(written, region, leniency)
                for run in _runs(written)
                for region in REGIONS
            )
        return self._answers[asked]

    def _is_number(self, digits: str, region: str | None) -> bool:
        """Much quicker than having the library look for a number within the digits."""
        self._left -= 1
        if self._left < 0:
            return True
        try:
            return is_valid_number(parse(digits, region))
        except NumberParseException:
            return False

    def _is_set(self, written: str, region: str, leniency: int) -> bool:
        self._left -= QUESTIONS_OF_A_SEARCH
        return self._left < 0 or PhoneNumberMatcher(written, region, leniency=leniency).has_next()


_shared_plans: ContextVar[NumberingPlans | None] = ContextVar("numbering_plans", default=None)


def _runs(written: str) -> Iterator[str]:
    """Groups that follow one another and have enough digits for a number, the longest run first."""
    groups = [group.span() for group in DIGITS.finditer(written)]
    for count in range(len(groups), 0, -1):
        for first in range(len(groups) - count + 1):
            run = written[groups[first][0] : groups[first + count - 1][1]]
            if sum(sign.isdigit() for sign in run) >= FEWEST_DIGITS:
                yield run
