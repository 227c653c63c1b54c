"""Personal data that is told by its shape and its check digits: e-mail, cards, accounts, IP addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

from stdnum import iban, luhn

from memory.ingest.redaction_identities import find_identities
from memory.ingest.redaction_kinds import Find, Kind, Span
from memory.ingest.redaction_phones import find_phones
from memory.ingest.redaction_references import REFERENCE_WINDOW, is_reference

LOCAL_PART = re.compile(r"[^\W_](?:[\w+%'-]{0,63})(?:\.[\w+%'-]{1,64}){0,8}\Z")
DOMAIN = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}(?P<top>[^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})(?![\w-])"
)
LONGEST_LOCAL_PART = 64
# `bob [at] example [dot] com`, as people hide it from programs; the brackets alone tell it from prose.
SPELT_AT = re.compile(r" ?(?:\[ ?at ?\]|\( ?at ?\)|\{ ?at ?\}|<at>) ?", re.IGNORECASE)
SPELT_DOT = r" ?(?:\[ ?dot ?\]|\( ?dot ?\)|\{ ?dot ?\}|<dot>) ?"
SPELT_DOMAIN = re.compile(
    rf"(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?(?:\.|{SPELT_DOT})){{1,6}}(?P<top>[^\W\d_]{{2,24}})(?![\w-])",
    re.IGNORECASE,
)
# `icon@2x.png` and `git@github.com:team/project` are no addresses of people.
FILE_ENDINGS = frozenset(
    {"png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "ts", "html", "json", "py"}
)
PROGRAM_USERS = frozenset({"git", "hg", "svn"})

CARD = re.compile(r"(?<![\w.,+#/-])\d(?:[ -]?\d){13,18}(?![\w/-])(?!\.\d)", re.ASCII)
CARD_BRAND = re.compile(
    r"3[47]\d{13}|4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|62\d{14}(?:\d{3})?"
)
CARD_GROUPS = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (6, 13)})

ACCOUNT = re.compile(r"(?<![A-Za-z0-9-])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
ACCOUNT_CUT = re.compile(r"[ -][A-Za-z0-9]+\Z")

IPV4 = re.compile(r"(?<![\w.:-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)", re.ASCII)
IPV6 = re.compile(r"(?<![\w:.])[23][0-9a-fA-F]{3}:[0-9a-fA-F:]{3,34}(?![\w:])", re.ASCII)
VERSION_BEFORE = re.compile(
    r"(?i)(?:version|release|build|ver|rev|firmware|driver|版本|バージョン)[\s.:=v]{0,3}\Z"
)


def find_emails(text: str) -> Iterator[Span]:
    """Addresses of people, in any script."""
    at = text.find("@")
    while at >= 0:
        local = LOCAL_PART.search(text[max(0, at - LONGEST_LOCAL_PART) : at])
        domain = DOMAIN.match(text, at + 1)
        if local and domain and _is_address(local.group(), domain):
            yield Span(at - len(local.group()), domain.end(), Kind.EMAIL)
        at = text.find("@", at + 1)
    for spelt in SPELT_AT.finditer(text):
        local = LOCAL_PART.search(text[max(0, spelt.start() - LONGEST_LOCAL_PART) : spelt.start()])
        domain = SPELT_DOMAIN.match(text, spelt.end())
        if local and domain:
            yield Span(spelt.start() - len(local.group()), domain.end(), Kind.EMAIL)


def _is_address(local: str, domain: re.Match[str]) -> bool:
    name = domain.group().rpartition(".")[0]
    is_of_a_program = local.lower() in PROGRAM_USERS or domain["top"].lower() in FILE_ENDINGS
    return not is_of_a_program and any(sign.isalpha() for sign in name)


def find_cards(text: str) -> Iterator[Span]:
    """Payment cards: brand, length, grouping and check digit (ISO/IEC 7812)."""
    for match in CARD.finditer(text):
        written = match.group()
        digits = written.replace(" ", "").replace("-", "")
        groups = tuple(map(len, re.split("[ -]", written)))
        is_grouped = len(groups) == 1 or groups in CARD_GROUPS
        if (
            is_grouped
            and CARD_BRAND.fullmatch(digits)
            and luhn.is_valid(digits)
            and not is_reference(text, match)
        ):
            yield Span(*match.span(), Kind.CARD)


def find_accounts(text: str) -> Iterator[Span]:
    """International bank accounts with a country's structure and their check number (ISO 13616)."""
    for match in ACCOUNT.finditer(text):
        written: str | None = match.group()
        while written and not iban.is_valid(written):
            # The words after it may look like one more group.
            cut = ACCOUNT_CUT.search(written)
            written = written[: cut.start()] if cut else None
        if written:
            yield Span(match.start(), match.start() + len(written), Kind.ACCOUNT)


def find_addresses(text: str) -> Iterator[Span]:
    """Addresses of machines on the internet; those of a private network tell nobody apart."""
    for match in (*IPV4.finditer(text), *IPV6.finditer(text)):
        if _is_on_the_internet(match.group().rstrip(":")) and not _is_version(text, match):
            yield Span(match.start(), match.start() + len(match.group().rstrip(":")), Kind.ADDRESS)


def _is_version(text: str, match: re.Match[str]) -> bool:
    return VERSION_BEFORE.search(text[max(0, match.start() - REFERENCE_WINDOW) : match.start()]) is not None


def _is_on_the_internet(written: str) -> bool:
    try:
        address: IPv4Address | IPv6Address = ip_address(written)
    except ValueError:
        return False
    if isinstance(address, IPv4Address) and int(address) >> 24 in (0, 10, 127, 255):
        return False
    is_local = address.is_link_local or address.is_multicast or address.is_loopback
    return not is_local and not written.startswith("192.168.") and not _is_between(written)


def _is_between(written: str) -> bool:
    """172.16.0.0 to 172.31.255.255."""
    first, _, rest = written.partition(".")
    return first == "172" and 16 <= int(rest.partition(".")[0]) <= 31


PERSONAL_FINDS: tuple[Find, ...] = (
    find_emails,
    find_accounts,
    find_cards,
    find_identities,
    find_phones,
    find_addresses,
)
