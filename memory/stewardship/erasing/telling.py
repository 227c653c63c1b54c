"""Which distinctive words tell so much that even what people and applications wrote themselves goes for them.

A distinctive word is telling as it was written, whole, and when it is none of the everyday ones. What holds a
digit, has the shape of an identifier, stands with a capital within a sentence, or is of a script without
capitals is telling in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memory.indexing.analyser import detect_languages, fold
from memory.indexing.analyser_folding import unify
from memory.indexing.analyser_tokens import Kind, Token, ends_sentence, tokens_of
from memory.indexing.analyser_words import forms_of, vocabulary_of
from memory.stewardship.erasing.everyday import is_everyday

LEAST_DIGITS = 5
"""So many digits of a longer number tell which number it is."""

GERMAN = "de"
"""Every noun has a capital in it."""

_CHUNKS_KEPT = 16_384
_NO_LANGUAGE = vocabulary_of((), is_query=False)
_WORDS = (Kind.WORD, Kind.PART)
_IDENTIFIER_SIGNS = re.compile(r"\d|[_@:\\#$=]")
_CAPITAL_WITHIN = re.compile(r"[a-z][A-Z]")


class Word(NamedTuple):
    """A term as it was written, folded."""

    term: str
    is_identifier: bool
    is_capital: bool
    is_piece: bool
    """Part of what was written, and telling nothing alone: `Http` of `parseHttp`, `05` of `2026-05-01`."""


class Telling(NamedTuple):
    """The telling terms, and those that are looked for within longer words too."""

    terms: frozenset[str]
    within: frozenset[str]


@lru_cache(maxsize=_CHUNKS_KEPT)
def words_of_chunk(chunk: str) -> tuple[Word, ...]:
    """The words of what stands between two spaces: whole, without stems and pieces."""
    unified = unify(chunk)
    return tuple(word for token in tokens_of(unified) for word in _words_of(token, unified))


def _words_of(token: Token, chunk: str) -> Iterator[Word]:
    text = token.text
    is_plain = token.kind in _WORDS
    terms = [fold(text)] if is_plain else [form.term for form in forms_of(token, _NO_LANGUAGE)]
    for term in filter(None, terms):
        yield Word(
            term,
            is_identifier=bool(_IDENTIFIER_SIGNS.search(term) or _CAPITAL_WITHIN.search(text)),
            is_capital=is_plain and len(text) > 1 and text[0].isupper() and text[:2].isalpha(),
            is_piece=_is_piece(token, term, chunk),
        )


def _is_piece(token: Token, term: str, chunk: str) -> bool:
    if token.kind is Kind.NUMBER:
        return term.isdigit() and term != "".join(filter(str.isdigit, token.text))
    if token.kind is Kind.WHOLE:
        return term != fold(token.text) and not any(map(str.isdigit, term))
    if token.kind is not Kind.PART:
        return False
    around = (chunk[token.start - 1 : token.start], chunk[token.end : token.end + 1])
    return any(map(str.isalnum, around)) or (term.isdigit() and len(term) < LEAST_DIGITS)


def telling_among(terms: frozenset[str], texts: Iterable[str], languages: Sequence[str]) -> Telling:
    """Those of the distinctive terms of the erased texts that are telling."""
    found: set[str] = set()
    within: set[str] = set()
    for text in texts:
        sought = [(word, begins) for word, begins in _written(text) if word.term in terms]
        within.update(word.term for word, _ in sought if word.is_identifier)
        plain = [pair for pair in sought if pair[0].term not in found and pair[0].term not in within]
        if plain:
            found.update(_telling_of(text, plain, languages))
    return Telling(frozenset(found | within), frozenset(within))


def _telling_of(text: str, sought: list[tuple[Word, bool]], languages: Sequence[str]) -> Iterator[str]:
    names = {word.term for word, begins in sought if word.is_capital and not begins}
    if names and (text.isupper() or text.istitle() or GERMAN in detect_languages([text])):
        names.clear()
    for word, _ in sought:
        if word.term in names or _is_telling(word.term, languages):
            yield word.term


def _is_telling(term: str, languages: Sequence[str]) -> bool:
    if not any(map(str.isalpha, term)):
        return False
    return term.upper() == term.lower() or not is_everyday(term, languages)


def _written(text: str) -> Iterator[tuple[Word, bool]]:
    """Each whole word, and whether it begins a sentence."""
    for line in text.splitlines():
        begins = True
        for chunk in line.split():
            for word in words_of_chunk(chunk):
                if not word.is_piece:
                    yield word, begins
            begins = ends_sentence(unify(chunk))
