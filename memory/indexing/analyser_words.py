"""The forms under which one token is found, each with its share of the token's weight in a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memory.indexing.analyser_folding import HAN, fold
from memory.indexing.analyser_languages import script_of, stems, stop_words
from memory.indexing.analyser_tokens import WHOLE_CHARACTERS, Kind, Token

PIECE_MARK = "…"
"""Begins the term of a piece of a word; folding never leaves this character in a word."""
PIECE_LETTERS = 5
LONG_WORD_LETTERS = 10
_PIECE_STRIDE = 3
_LETTERS_IN_PIECES = 64
_PIECES_SHARE = 0.4
_PIECES_OF_FULL_SHARE = 3
"""A word of fewer pieces gets less: one piece alone says little."""

_EXACT_SHARE = 0.2
_PART_WEIGHT = 0.6
_PAIR_WEIGHT = 0.6
_JOINED_LETTERS = 32
_STEMMED_LETTERS = range(3, 41)

_HAN = re.compile(f"[{HAN}]")
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:([.,'])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?")
_DECIMAL = re.compile(r"(\d+)[.,](\d+)")
_JOINABLE = re.compile(r"[^\W\d_]\w*(?:['’_-]\w+){1,3}")
_VERSION = re.compile(r"v(\d+(?:[.\-+]\w+)+)")
_HEBREW_PREFIX = re.compile("^(?:ו?[הבכלמש]?[הבכלמש]|ו)(?=.{3})")
_HEBREW_ENDING = re.compile("(?<=.{3})(?:ימ|ות|יה|ה|ת)$")


class Form(NamedTuple):
    """A term and what it weighs in a query; in the index each counts once."""

    term: str
    weight: float


class Vocabulary(NamedTuple):
    """What decides the forms of words: the languages, their stop words, and whether a query is read."""

    languages: tuple[str, ...]
    stop_words: frozenset[str]
    is_query: bool


def vocabulary_of(languages: Sequence[str], *, is_query: bool) -> Vocabulary:
    """The vocabulary of some languages; the common pairs of Chinese and Japanese are left out in all."""
    return Vocabulary(tuple(languages), stop_words({*languages, "zh", "ja"}), is_query)


def forms_of(token: Token, vocabulary: Vocabulary) -> list[Form]:
    """The forms of a token, heaviest kinds first; none for a stop word."""
    return list(_FORMS[token.kind](token, vocabulary))


def is_stop_word(token: Token, vocabulary: Vocabulary) -> bool:
    return token.kind in (Kind.WORD, Kind.PART, Kind.WHOLE) and fold(token.text) in vocabulary.stop_words


def _word(token: Token, vocabulary: Vocabulary, weight: float = 1.0) -> Iterator[Form]:
    folded = fold(token.text)[:WHOLE_CHARACTERS]
    if not folded or folded in vocabulary.stop_words:
        return
    others = _other_forms(folded, token.text, vocabulary)
    yield Form(folded, weight * (_EXACT_SHARE if others else 1.0))
    for other in others:
        yield Form(other, weight * (1.0 - _EXACT_SHARE) / len(others))
    shortest = min((folded, *others), key=len)
    pieces = _pieces_to_find(shortest) if vocabulary.is_query else _pieces_to_keep(folded, shortest)
    share = weight * _PIECES_SHARE / max(len(pieces), _PIECES_OF_FULL_SHARE)
    yield from (Form(piece, share) for piece in pieces)


def _part(token: Token, vocabulary: Vocabulary) -> Iterator[Form]:
    """A part of a compound weighs less; a single digit or letter of it finds nothing of use."""
    if len(token.text) > 1:
        yield from _word(token, vocabulary, _PART_WEIGHT)


def _other_forms(folded: str, written: str, vocabulary: Vocabulary) -> list[str]:
    """The stems of a word, of its folded form too, since people leave accents out.

    The Arabic stemmer takes one affix at a time: cut once more, a word with its article meets the bare one.
    """
    if len(folded) not in _STEMMED_LETTERS or not folded.isalpha():
        return []
    script = script_of(folded)
    if script == "hebrew":
        return _hebrew_forms(folded)
    found = dict.fromkeys(stems(folded, vocabulary.languages, script))
    if script == "arabic":
        found |= dict.fromkeys(form for stem in found for form in stems(stem, vocabulary.languages, script))
    lower = written.casefold()
    if lower != folded and script in ("latin", "cyrillic", "devanagari"):
        found |= dict.fromkeys(map(fold, stems(lower, vocabulary.languages, script)))
    return [stem for stem in found if stem and stem != folded]


def _hebrew_forms(folded: str) -> list[str]:
    """A Hebrew word without its leading particles, and that without its ending."""
    bare = _HEBREW_PREFIX.sub("", folded)
    candidates = (bare, _HEBREW_ENDING.sub("", folded), _HEBREW_ENDING.sub("", bare))
    return [form for form in dict.fromkeys(candidates) if form != folded]


def _pieces_to_keep(folded: str, shortest: str) -> list[str]:
    """All pieces of a word that is long even as a stem, so that its inner words can be found."""
    if len(shortest) < LONG_WORD_LETTERS or not folded.isalpha():
        return []
    letters = folded[:_LETTERS_IN_PIECES]
    starts = range(len(letters) - PIECE_LETTERS + 1)
    return [PIECE_MARK + letters[start : start + PIECE_LETTERS] for start in starts]


def _pieces_to_find(shortest: str) -> list[str]:
    """Pieces that cover a word sought within longer ones: who has them all very likely has the word."""
    if len(shortest) < PIECE_LETTERS or not shortest.isalpha():
        return []
    last = min(len(shortest), _LETTERS_IN_PIECES) - PIECE_LETTERS
    starts = dict.fromkeys((*range(0, last, _PIECE_STRIDE), last))
    return [PIECE_MARK + shortest[start : start + PIECE_LETTERS] for start in starts]


def _run(token: Token, vocabulary: Vocabulary) -> Iterator[Form]:
    """Pairs of characters; single Chinese ones are kept too, and sought when they stand alone."""
    folded = fold(token.text)
    if len(folded) == 1:
        yield Form(folded, 1.0)
        return
    pairs = (folded[start : start + 2] for start in range(len(folded) - 1))
    yield from (Form(pair, _PAIR_WEIGHT) for pair in pairs if pair not in vocabulary.stop_words)
    if not vocabulary.is_query:
        yield from (Form(character, 0.0) for character in _HAN.findall(folded))


def _hangul(token: Token, vocabulary: Vocabulary) -> Iterator[Form]:
    """A Korean word, and its pairs, since particles are written onto it."""
    folded = fold(token.text)
    yield Form(folded, 1.0 if len(folded) < 3 else _PAIR_WEIGHT)
    if len(folded) > 2:
        pairs = (folded[start : start + 2] for start in range(len(folded) - 1))
        yield from (Form(pair, _PAIR_WEIGHT) for pair in pairs)


def _number(token: Token, vocabulary: Vocabulary) -> Iterator[Form]:
    """A number without separators of thousands and trailing zeros: `1,200.50` is `1200.5`.

    `1.200` is both 1200 and 1.2, and `3.10` may be a version, so it is kept as written too. What has more
    points is a version or a date: as written, and in parts.
    """
    written = fold(token.text)
    found = dict.fromkeys(_values(written))
    if not found:
        yield Form(written, 1.0)
        yield from (Form(part, _PART_WEIGHT) for part in re.findall(r"\d{2,}", written))
    for value in found:
        yield Form(value, 1.0 / len(found))


def _values(written: str) -> Iterator[str]:
    grouped = _GROUPED.fullmatch(written)
    if grouped:
        yield _plain(re.sub(r"\D", "", grouped[1]), grouped[3])
    decimal = _DECIMAL.fullmatch(written)
    if decimal and (not grouped or "." in written):
        yield _plain(decimal[1], decimal[2])
    if written.isdigit() or decimal:
        yield written


def _plain(whole: str, fraction: str | None) -> str:
    return f"{whole}.{fraction}".rstrip("0").rstrip(".") if fraction else whole


def _sign(token: Token, vocabulary: Vocabulary) -> Iterator[Form]:
    """A picture without variants of colour; one that is put together also by what it holds."""
    parts = [re.sub("[\ufe0f\U0001f3fb-\U0001f3ff]", "", part) for part in token.text.split("\u200d")]
    whole = "\u200d".join(parts)
    yield Form(whole, 1.0)
    if len(parts) > 1:
        yield from (Form(part, _PART_WEIGHT) for part in parts)


def _whole(token: Token, vocabulary: Vocabulary) -> Iterator[Form]:
    """A name as written, and as others write it: `e-mail` as `email`, `v8.2.1` as `8.2.1`."""
    folded = fold(token.text)
    if not folded or folded in vocabulary.stop_words:
        return
    yield Form(folded, 1.0)
    if len(folded) <= _JOINED_LETTERS and _JOINABLE.fullmatch(folded):
        yield Form(re.sub(r"['’_-]", "", folded), 1.0)
    version = _VERSION.fullmatch(folded)
    if version:
        yield Form(version[1], 1.0)


_FORMS: dict[Kind, Callable[[Token, Vocabulary], Iterator[Form]]] = {
    Kind.WORD: _word,
    Kind.PART: _part,
    Kind.NUMBER: _number,
    Kind.RUN: _run,
    Kind.HANGUL: _hangul,
    Kind.SIGN: _sign,
    Kind.WHOLE: _whole,
}
