"""Words as the first look-up compares them: folded, without stop words, CJK text in pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

TERM_LIMIT = 64

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about after again all also am an and any are as at be because been before being but by can could
        did do does for from had has have he her here him his how i if in into is it its just may me more
        most my no not of on once only or other our out over own s said same she should so some such t than
        that the their them then there these they this those to too under until up us very was we were what
        when where which while who will with would you your
        """,
    )
)

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f"
_WORD = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}_])\w)+(?:[-.'’](?:(?![{_CJK}_])\w)+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")


def fold(text: str) -> str:
    """Case, width and accents away: `Ｃafé` and `cafe` are one word."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFKD", folded)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def terms_of(text: str) -> list[str]:
    """The distinct terms of a text, in order of appearance; none longer than 64 characters."""
    return list(dict.fromkeys(_terms(fold(text))))


def _terms(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        if _IS_CJK.match(word):
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif word not in STOP_WORDS:
            yield _stem(word)[:TERM_LIMIT]


def _stem(word: str) -> str:
    """Drop a plural or possessive ending: enough to find the same matter, not to display it."""
    for ending in ("'s", "’s"):
        word = word.removesuffix(ending)
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
