"""What a claim says: when two values mean the same, and how a value reads. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

from memory.ingest.storable import is_hidden

VALUE_BYTES_LIMIT = 8_192
CLAIM_TEXT_LIMIT = 500
DIGEST_CHARACTERS = 12
LONGEST_PLAIN_NUMBER = 40

_BARE_KEY = re.compile(r"\w[\w.-]*")
_NEEDS_QUOTES = re.compile(r'[,:;(){}\[\]"\\]|^\s|\s$|\s{2}|[^\S ]')
_LOOKS_LIKE_ANOTHER = re.compile(r"(?:true|false|null|-?\d+(?:\.\d+)?(?:E[+-]\d+)?)?")
_WORDS = re.compile(r"[^\W_]+")


def meaning_of(value: Any) -> Hashable:
    """Equal for values that mean the same: 1200 and 1200.0, objects in any order of keys; never true and 1.

    As PostgreSQL compares jsonb.
    """
    if isinstance(value, bool) or value is None:
        return ("word", value)
    if isinstance(value, (int, float)):
        return ("number", _decimal(value))
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, list):
        return ("list", tuple(meaning_of(item) for item in value))
    return ("object", frozenset((key, meaning_of(item)) for key, item in value.items()))


def claim_text(*, kind: str, identifier: str, predicate: str, value: Any) -> str:
    """A claim as words that search finds: `customer customer-123 billing.plan: cycle annual, price 1200`.

    Claims that differ in meaning differ in text, also where a long value is cut: then its digest follows.
    """
    head = f"{kind} {_identifier(identifier)} {predicate}: "
    return _within_limit(head + _whole(value))


def reference_text(*, kind: str, identifier: str, predicate: str, source: str) -> str:
    """The same for a claim whose value is fetched; no value reads like it."""
    return _within_limit(f"{kind} {_identifier(identifier)} {predicate}: live, from {source}")


def value_text(value: Any) -> str:
    """A value alone, as claims show it."""
    return _whole(value)


def words_of(predicate: str) -> str:
    """The words of a dotted name: `home_address.city` is found by any of them."""
    return " ".join(_WORDS.findall(predicate))


def topic_of(predicate: str) -> str:
    """What claims of a predicate are filed under: its first part, in words."""
    return words_of(predicate.partition(".")[0])


def _decimal(number: int | float) -> Decimal:
    return Decimal(number) if isinstance(number, int) else Decimal(repr(number))


def _whole(value: Any) -> str:
    """A value that stands alone: an object of several fields needs no brackets around it."""
    if isinstance(value, dict) and len(value) > 1:
        return _fields(value)
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(_shown(item) for item in value)}]"
    return f"({_fields(value)})"


def _fields(value: dict[str, Any]) -> str:
    return ", ".join(f"{_key(key)} {_shown(value[key])}" for key in sorted(value))


def _key(key: str) -> str:
    is_bare = _BARE_KEY.fullmatch(key) and not any(map(is_hidden, key))
    return key if is_bare else _quoted(key)


def _number(number: int | float) -> str:
    """Without zeros that say nothing; what is too long for that has an exponent."""
    sign, digits, exponent = _decimal(number).as_tuple()
    written = "".join(map(str, digits)).lstrip("0")
    kept = written.rstrip("0")
    power = int(exponent) + len(written) - len(kept)
    if not kept:
        return "0"
    minus = "-" if sign else ""
    if max(len(kept), len(kept) + power, 2 - power) <= LONGEST_PLAIN_NUMBER:
        return minus + format(Decimal(f"{kept}E{power}"), "f")
    return f"{minus}{kept}E{power:+d}"


def _text(text: str) -> str:
    is_bare = not (_NEEDS_QUOTES.search(text) or _LOOKS_LIKE_ANOTHER.fullmatch(text))
    return text if is_bare and not any(map(is_hidden, text)) else _quoted(text)


def _identifier(identifier: str) -> str:
    return _quoted(identifier) if re.search(r'[\s":]', identifier) else identifier


def _quoted(text: str) -> str:
    """As JSON writes it, with what cannot be seen spelled out."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(sign):04x}" if is_hidden(sign) else sign for sign in written)


def _within_limit(text: str) -> str:
    if len(text) <= CLAIM_TEXT_LIMIT:
        return text
    mark = f"… #{hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARACTERS]}"
    return text[: CLAIM_TEXT_LIMIT - len(mark)].rstrip() + mark
