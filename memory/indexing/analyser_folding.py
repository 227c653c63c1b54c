"""One form for what people write in several: case, width, accents, marks and variants of letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
UNSPACED = "\u0e00-\u0e3e\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer: written without spaces between words, as Chinese and Japanese are."""
SYMBOL = "\u00a9\u00ae\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff"
"""Pictures and signs that mean something alone, emoji above all."""

INVISIBLE = "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
_JOINERS = "\u200c\u200d"
# Marks that only decorate a letter. Those of India and South East Asia are vowels and stay, and so do the
# voicing marks of kana.
_DECORATION = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u093c\u09bc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
# Letters that Unicode does not take apart, Arabic and Persian variants, Hebrew final letters, signs.
_VARIANTS = {
    "ae": "æ",
    "oe": "œ",
    "th": "þ",
    "d": "đð",
    "h": "ħ",
    "i": "ı",
    "k": "ĸ",
    "l": "ł",
    "n": "ŋ",
    "o": "ø",
    "t": "ŧ",
    "ا": "ٱ",
    "ه": "ةەہھ",
    "ك": "ک",
    "ي": "ىیے",
    "כ": "ך",
    "מ": "ם",
    "נ": "ן",
    "פ": "ף",
    "צ": "ץ",
    "'": "’‘ʼ′",
    "-": "‐‑‒−",
}


def expand(ranges: str) -> Iterable[int]:
    """The code points of the inside of a regular expression's character class."""
    position = 0
    while position < len(ranges):
        start, end = ranges[position], ranges[position]
        if ranges[position + 1 : position + 2] == "-":
            end = ranges[position + 2]
        yield from range(ord(start), ord(end) + 1)
        position += 1 if end == start else 3


class _Letters(dict[int, str | None]):
    """What each code point becomes once it is decomposed and in lower case; remembers what it was asked."""

    def __missing__(self, code: int) -> str | None:
        digit = unicodedata.decimal(chr(code), None)
        self[code] = chr(code) if digit is None else str(digit)
        return self[code]


_HIRAGANA = {code: chr(code - 0x60) for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}
_DROPPED: dict[int, str | None] = dict.fromkeys(expand(INVISIBLE + _JOINERS + _DECORATION))
_FOLDING = _Letters(
    _DROPPED | _HIRAGANA | {ord(each): plain for plain, variants in _VARIANTS.items() for each in variants}
)
_UNIFYING: dict[int, str | None] = dict.fromkeys(expand(INVISIBLE))


def _mark_ranges() -> str:
    """The combining marks of the basic plane, as the inside of a character class."""
    ranges: list[tuple[int, int]] = []
    for code in range(0x300, 0xFFFF):
        if unicodedata.category(chr(code))[0] != "M":
            continue
        first = ranges.pop()[0] if ranges and ranges[-1][1] == code - 1 else code
        ranges.append((first, code))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


MARKS = _mark_ranges() + _JOINERS
"""What continues a word without being a letter."""


def unify(text: str) -> str:
    """Return a text in composed, compatible characters without invisible ones; case and marks stay."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_UNIFYING)


def fold(text: str) -> str:
    """Return a text in the one form that is compared: `Ｃafé` is `cafe`, `أحمد` is `احمد`.

    The result is the same for composed and decomposed input, and folding it again changes nothing.
    """
    if text.isascii():
        return text.lower()
    lower = unicodedata.normalize("NFKD", text).casefold()
    letters = unicodedata.normalize("NFKD", lower).translate(_FOLDING)
    return unicodedata.normalize("NFC", letters)
