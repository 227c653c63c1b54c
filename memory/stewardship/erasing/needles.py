"""The distinctive words of what is erased, and whether a text holds one of them. Asks no database.

A word is known by the terms that search finds it by: folded, its stems in the entity's languages, numbers
without their separators, identifiers whole and in parts, pairs of characters where no spaces are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from memory.indexing.analyser import analyse, fold
from memory.indexing.analyser_languages import stop_words
from memory.indexing.analyser_words import PIECE_MARK
from memory.stewardship.erasing.telling import Telling, words_of_chunk

LEAST_CHARACTERS = 2
"""One letter or digit alone tells nothing."""
LEAST_WITHIN = 5
"""So many characters of a term are looked for within longer words too: `orchid` within `orchidhouse`."""
MOST_WITHIN = 40
LONGEST_CHUNK = 200
CHUNKS_KEPT = 200_000
NOTHING: frozenset[str] = frozenset()

_IDENTIFIER = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\b[0-9a-f]{64}\b")
_SEPARATORS = re.compile(r"\W+")


def terms_in(texts: Iterable[str], languages: Sequence[str]) -> set[str]:
    """The telling terms of some texts: no stop words, no pieces of words, nothing shorter than two."""
    common = _common(tuple(languages))
    found: set[str] = set()
    for text in texts:
        found.update(analyse(text, languages=languages))
    return {term for term in found if _is_telling(term) and term not in common}


def _is_telling(term: str) -> bool:
    if term.startswith(PIECE_MARK):
        return False
    is_word = any(map(str.isalnum, term))
    return len(term) >= LEAST_CHARACTERS if is_word else not term.isascii()


@lru_cache(maxsize=16)
def _common(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stop_words({*languages, "en"}))


def strings_in(value: Any, *, keys: bool = True) -> Iterator[str]:
    """Every text within a JSON value, numbers too, and the keys where they are wanted."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        if keys:
            yield from map(str, value)
        for item in value.values():
            yield from strings_in(item, keys=keys)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings_in(item, keys=keys)
    elif isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        yield str(value)


def identifiers_in(value: Any) -> Iterator[str]:
    """The ids of rows that a JSON value names anywhere."""
    for text in strings_in(value):
        if len(text) >= 36:
            yield from _IDENTIFIER.findall(text)


class Needles:
    """Distinctive terms, looked for in whatever was derived. What a chunk of text gave is remembered."""

    def __init__(
        self, terms: Iterable[str], languages: Sequence[str], within: Iterable[str] | None = None
    ) -> None:
        """`within` are the terms that are looked for within longer words too: all, unless it is given."""
        self.terms = frozenset(terms)
        self._languages = tuple(languages)
        inner = self.terms if within is None else self.terms.intersection(within)
        self._inner = frozenset(term for term in inner if len(term) >= LEAST_WITHIN)
        self._identifiers = frozenset(filter(_IDENTIFIER.fullmatch, self.terms))
        self._known: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.terms)

    def are_in(self, value: Any) -> bool:
        """Whether any text of a value holds one: a text, or JSON whose texts are looked at one by one."""
        return bool(self.terms) and any(map(self._found_in_chunk, self._chunks_of(value)))

    def found_in(self, value: Any) -> frozenset[str]:
        """The terms that the texts of a value hold."""
        if not self.terms:
            return NOTHING
        return NOTHING.union(*map(self._found_in_chunk, self._chunks_of(value)))

    def _chunks_of(self, value: Any) -> Iterator[str]:
        """Without the ids of rows, whose digits say nothing; one that was said is a word like any other."""
        for text in strings_in(value):
            yield from _IDENTIFIER.sub(self._if_said, text).split()

    def _if_said(self, found: re.Match[str]) -> str:
        return found[0] if fold(found[0]) in self._identifiers else " "

    def _found_in_chunk(self, chunk: str) -> frozenset[str]:
        known = self._known.get(chunk)
        if known is None:
            if len(self._known) >= CHUNKS_KEPT:
                self._known.clear()
            known = self._known[chunk] = self._look(chunk)
        return known

    def _look(self, chunk: str) -> frozenset[str]:
        found = self.terms.intersection(self._terms_of(chunk))
        if not self._inner:
            return found or NOTHING
        folded = fold(chunk)
        parts = [folded] if len(folded) <= LONGEST_CHUNK else _SEPARATORS.split(folded)
        return found.union(*map(self._found_within, parts)) or NOTHING

    def _terms_of(self, chunk: str) -> Iterable[str]:
        return analyse(chunk, languages=self._languages)

    def _found_within(self, part: str) -> set[str]:
        starts = range(len(part) - LEAST_WITHIN + 1)
        return {
            part[start : start + length]
            for start in starts
            for length in range(LEAST_WITHIN, min(MOST_WITHIN, len(part) - start) + 1)
            if part[start : start + length] in self._inner
        }


class TellingNeedles(Needles):
    """Terms that count as they were written only: whole words, no stems."""

    def __init__(self, telling: Telling) -> None:
        super().__init__(telling.terms, (), telling.within)

    def _terms_of(self, chunk: str) -> Iterable[str]:
        return (word.term for word in words_of_chunk(chunk))
