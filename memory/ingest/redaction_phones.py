"""Telephone numbers, by the numbering plans that phonenumbers brings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phonenumbers import Leniency, PhoneNumberMatcher

from memory.ingest.redaction_kinds import Kind, Span

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
WINDOW = 40
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


def find_phones(text: str) -> Iterator[Span]:
    """Numbers with a country's code, and national ones that are set like one or spoken of as one."""
    for match in INTERNATIONAL.finditer(text):
        yield from _international(match)
    for match in NATIONAL.finditer(text):
        if _is_national(match.group(), Leniency.STRICT_GROUPING):
            yield Span(*match.span(), Kind.PHONE)
    for match in PLAIN.finditer(text):
        before = text[max(0, match.start() - WINDOW) : match.start()]
        if SPOKEN_OF.search(before) and _is_spoken(match.group()):
            yield Span(*match.span(), Kind.PHONE)


def _international(match: re.Match[str]) -> Iterator[Span]:
    written = match.group()
    shift = 0
    if written.startswith("00"):
        written, shift = f"+{written[2:]}", 1
    for found in PhoneNumberMatcher(written, None, leniency=Leniency.VALID):
        start = match.start() + (found.start + shift if found.start else 0)
        yield Span(start, match.start() + found.end + shift, Kind.PHONE)


def _is_spoken(written: str) -> bool:
    """Whether digits after such a word are a number, not a date or a row of figures."""
    is_other = DATE.match(written) is not None or LONE_DIGITS.search(written) is not None
    return not is_other and _is_national(written, Leniency.VALID)


def _is_national(written: str, leniency: int) -> bool:
    if sum(sign.isdigit() for sign in written) < FEWEST_DIGITS:
        return False
    return any(PhoneNumberMatcher(written, region, leniency=leniency).has_next() for region in REGIONS)
