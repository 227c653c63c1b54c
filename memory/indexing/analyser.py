"""What a text is found by: its terms for the index, and the weighted terms of a query.

Both are read by the same rules, so whatever a text says is a query that finds it. Text is always data: no
character has a meaning of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memory.indexing.analyser_folding import fold, unify
from memory.indexing.analyser_languages import detect_languages
from memory.indexing.analyser_tokens import Kind, Token, ends_sentence, tokens_of
from memory.indexing.analyser_words import PIECE_MARK, Form, Vocabulary, forms_of, is_stop_word, vocabulary_of

__all__ = ["analyse", "detect_languages", "fold", "length_of", "query_terms"]

_CHUNK_CHARACTERS_KEPT = 40
_CHUNKS_KEPT = 16_384
_VOCABULARIES_KEPT = 16
_SPACED_THOUSANDS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")


class Reading(NamedTuple):
    """What one chunk of text gives, wherever it stands."""

    forms: tuple[Form, ...]
    terms: tuple[str, ...]
    stop_words: tuple[str, ...]
    is_capital: bool
    """Whether its stop words may be a name: `Will`, `IT`, `The Who`."""
    ends_sentence: bool


def analyse(text: str, *, languages: Sequence[str]) -> Counter[str]:
    """The terms of a text for the index, with how often each occurs.

    `languages` are codes as `detect_languages` gives them; unknown ones are ignored. A text of stop words
    alone keeps them, and one of punctuation alone is kept as written; only a text without anything to be
    seen has no terms.
    """
    reader = _reader(tuple(languages), is_query=False)
    terms: list[str] = []
    named: list[str] = []
    for reading, is_named in reader.readings(text):
        terms += reading.terms
        if is_named:
            named += reading.stop_words
    return Counter(terms + named if terms else reader.last_resort(text))


def query_terms(text: str, *, languages: Sequence[str]) -> dict[str, float]:
    """The terms of a query with their weights; a plain word weighs 1 with all its forms together.

    Every term but the pieces of words is a term that `analyse` gives for the same text.
    """
    reader = _reader(tuple(languages), is_query=True)
    forms: list[Form] = []
    named: list[str] = []
    for reading, is_named in reader.readings(text):
        forms += reading.forms
        if is_named:
            named += reading.stop_words
    weights = dict.fromkeys(named if forms else reader.last_resort(text), 1.0)
    for term, weight in forms:
        weights[term] = weights.get(term, 0.0) + weight
    return weights


def length_of(terms: Counter[str]) -> int:
    """The length of an analysed text in terms, for BM25; pieces of words do not make a text longer."""
    return sum(count for term, count in terms.items() if not term.startswith(PIECE_MARK))


@lru_cache(maxsize=_VOCABULARIES_KEPT)
def _reader(languages: tuple[str, ...], *, is_query: bool) -> _Reader:
    return _Reader(vocabulary_of(languages, is_query=is_query))


class _Reader:
    """Reads texts by one vocabulary and remembers short chunks, since most of them come again.

    Threads may share it: readings are values, and at worst two threads make the same one.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._kept: dict[str, Reading] = {}

    def readings(self, text: str) -> Iterator[tuple[Reading, bool]]:
        """Each chunk's reading, and whether its stop words stand there as a name.

        They do when written with a capital within a sentence, unless the sentence is all capitals.
        """
        capitals_tell = not text.isupper()
        for line in _lines(text):
            begins = True
            for chunk in line.split():
                reading = self._kept.get(chunk) or self._read(chunk)
                yield reading, reading.is_capital and capitals_tell and not begins
                begins = reading.ends_sentence

    def last_resort(self, text: str) -> Iterator[str]:
        """The stop words of a text that holds nothing else, or else its punctuation."""
        readings = [reading for reading, _ in self.readings(text)]
        words = [word for reading in readings for word in reading.stop_words]
        yield from words or filter(None, map(fold, text.split()))

    def _read(self, chunk: str) -> Reading:
        reading = _read(chunk, self._vocabulary)
        if len(chunk) <= _CHUNK_CHARACTERS_KEPT:
            if len(self._kept) >= _CHUNKS_KEPT:
                self._kept.clear()
            self._kept[chunk] = reading
        return reading


def _lines(text: str) -> Iterable[str]:
    if not text.isascii():
        text = _SPACED_THOUSANDS.sub("", text)
    return text.splitlines()


def _read(chunk: str, vocabulary: Vocabulary) -> Reading:
    unified = unify(chunk)
    tokens = list(_without_contractions(tokens_of(unified), vocabulary))
    forms = tuple(form for token in tokens for form in forms_of(token, vocabulary))
    stops = [token.text for token in tokens if is_stop_word(token, vocabulary)]
    return Reading(
        forms=forms,
        terms=tuple(term for term, _ in forms),
        stop_words=tuple(map(fold, stops)),
        is_capital=any(len(word) > 1 and word[0].isupper() and word[:2].isalpha() for word in stops),
        ends_sentence=ends_sentence(unified),
    )


def _without_contractions(tokens: Iterable[Token], vocabulary: Vocabulary) -> Iterator[Token]:
    """Leave out what is within a stop word that is written with an apostrophe, as in `don't`."""
    covered = 0
    for token in tokens:
        if token.kind is Kind.WHOLE and is_stop_word(token, vocabulary):
            covered = token.end
            yield token
        elif token.start >= covered:
            yield token
