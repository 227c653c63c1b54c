"""Where the tokens of a text are: words, numbers, runs without spaces, pictures, and what joins them.

A chunk is what stands between two spaces. It is read at three depths, and each depth is something people
search by: the chunk as written (`C:\\data\\in/out`), its segments (`in`, `alice@example.com`, `v8.2.1`) and
their words. Places are counted in the unified chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from memory.indexing.analyser_folding import HAN, HANGUL, KANA, MARKS, SYMBOL, UNSPACED

RUN = f"{HAN}{KANA}{HANGUL}{UNSPACED}"
WHOLE_CHARACTERS = 256
"""Longer chunks are data, not names: only their words are found."""
_MIXED_LETTERS = 64

_WORD = rf"(?:[^\W_]|[{MARKS}])"
_WEAK = r"\-._@+~'’&"
_SEGMENT = re.compile(rf"{_WORD}++(?:[{_WEAK}]++{_WORD}++)*+")
_NUMBER = re.compile(rf"(?<![\w{_WEAK}])\d++(?:[.,'’]\d++)*+(?![{_WEAK}]?\w)")
_ATOM = re.compile(
    rf"(?P<run>[{HAN}{KANA}{UNSPACED}](?:[{HAN}{KANA}{UNSPACED}]|[{MARKS}])*+)"
    rf"|(?P<hangul>[{HANGUL}]++)|(?P<word>(?:(?![{RUN}])[^\W_]|[{MARKS}])++)"
)
_MODIFIERS = "[\ufe0f\U0001f3fb-\U0001f3ff]*"
_SIGN = re.compile(rf"[\U0001f1e6-\U0001f1ff]{{2}}|[{SYMBOL}]{_MODIFIERS}(?:\u200d[{SYMBOL}]{_MODIFIERS})*")
# Several words in one, told by capitals or digits within: `parseHttp`, `HTTPServer`, `order481`.
_MIXED = re.compile(
    "[A-Za-z]{2,}[0-9]+|[0-9]+[A-Za-z]{2,}|[A-Za-z0-9]*(?:[a-z][A-Z]|[A-Z]{2}[a-z]{2})[A-Za-z0-9]*"
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# What an apostrophe ties to a word: the English possessive, the elided words of French and Italian.
_TIED = re.compile(
    rf"(?:(?:[cdjlmnst]|qu|lorsqu|puisqu|quelqu|dell|all|nell|sull|dall|un)['’])?(?P<word>{_WORD}++)(?:['’]s)?",
    re.IGNORECASE,
)
_IS_RUN = re.compile(f"[{RUN}]")

_BEFORE = "\"'`([{<*_,;:!?=>|-“”„«»‘’‚‹›（「『【〈《"
_AFTER = "\"'`)]}>*_,;:!?=<|-.…“”„«»‘’‚‹›）」』】〉》。、，；：！？"
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？…]['\"’”)\]}»*_`]*$")


class Kind(Enum):
    """What a token is, and so how it is compared."""

    WORD = "word"
    PART = "part of a compound"
    NUMBER = "number"
    RUN = "run of a script without spaces"
    HANGUL = "Korean word"
    SIGN = "picture"
    WHOLE = "as written"


class Token(NamedTuple):
    """A stretch of a unified chunk, with its text."""

    kind: Kind
    start: int
    end: int
    text: str


def ends_sentence(chunk: str) -> bool:
    """Whether what follows a chunk begins a sentence; so does what follows a bullet or a dash."""
    return bool(_ENDS_SENTENCE.search(chunk)) or not any(map(str.isalnum, chunk))


def tokens_of(chunk: str) -> Iterator[Token]:
    """The tokens of a unified chunk, longer ones first where they overlap."""
    start, end = _bounds(chunk)
    segments = list(_segments(chunk))
    is_whole = _is_written_whole(chunk[start:end], segments)
    if is_whole:
        yield Token(Kind.WHOLE, start, end, chunk[start:end])
    for segment in segments:
        if segment.kind is Kind.NUMBER:
            yield segment
        else:
            yield from _within_segment(segment, is_part=is_whole and len(segments) > 1)
    for sign in _SIGN.finditer(chunk) if not chunk.isascii() else ():
        yield Token(Kind.SIGN, sign.start(), sign.end(), sign.group())


def _bounds(chunk: str) -> tuple[int, int]:
    """The chunk without the punctuation around it."""
    start = len(chunk) - len(chunk.lstrip(_BEFORE))
    return start, max(start, len(chunk.rstrip(_AFTER)))


def _is_written_whole(inner: str, segments: list[Token]) -> bool:
    """Whether a chunk is a name with signs of its own, and not a sentence without spaces."""
    if not segments or len(inner) > WHOLE_CHARACTERS or inner == segments[0].text:
        return False
    return not _IS_RUN.search(inner) and all(each.isascii() or each.isalnum() for each in inner)


def _segments(chunk: str) -> Iterator[Token]:
    position = 0
    while found := _SEGMENT.search(chunk, position):
        number = _NUMBER.match(chunk, found.start())
        if number:
            yield Token(Kind.NUMBER, number.start(), number.end(), number.group())
        else:
            yield Token(Kind.WORD, found.start(), found.end(), found.group())
        position = number.end() if number else found.end()


def _within_segment(segment: Token, *, is_part: bool) -> Iterator[Token]:
    tied = _TIED.fullmatch(segment.text)
    if tied:
        start, text = segment.start + tied.start("word"), tied["word"]
        for atom in _ATOM.finditer(text):
            yield from _atom(atom, start, is_part=is_part)
        return
    atoms = _ATOM.finditer(segment.text)
    if len(segment.text) <= WHOLE_CHARACTERS and not _IS_RUN.search(segment.text):
        yield segment._replace(kind=Kind.WHOLE)
        yield from _address_host(segment)
    for atom in atoms:
        yield from _atom(atom, segment.start, is_part=True)


def _address_host(segment: Token) -> Iterator[Token]:
    """What stands after the at sign of an address."""
    name, _, host = segment.text.rpartition("@")
    if name and "." in host:
        yield Token(Kind.WHOLE, segment.end - len(host), segment.end, host)


def _atom(found: re.Match[str], offset: int, *, is_part: bool) -> Iterator[Token]:
    text, start = found.group(), offset + found.start()
    if found.lastgroup != "word":
        yield Token(Kind.RUN if found.lastgroup == "run" else Kind.HANGUL, start, start + len(text), text)
        return
    yield Token(Kind.PART if is_part else Kind.WORD, start, start + len(text), text)
    if len(text) <= _MIXED_LETTERS and _MIXED.fullmatch(text):
        for part in _CAMEL.finditer(text):
            yield Token(Kind.PART, start + part.start(), start + part.end(), part.group())
