"""Where in a stored text a query is found, in places of the text as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memory.indexing.analyser import query_terms
from memory.indexing.analyser_folding import INVISIBLE, MARKS, fold, unify
from memory.indexing.analyser_tokens import Kind, Token, tokens_of
from memory.indexing.analyser_words import PIECE_LETTERS, PIECE_MARK, Vocabulary, forms_of, vocabulary_of

Span = tuple[int, int]

_CHUNK = re.compile(r"\S+")
# A character with what Unicode may write into it: marks, voicing marks of half width, letters of a syllable.
_CLUSTER = re.compile(rf".[{MARKS}{INVISIBLE}\uff9e\uff9f\u1160-\u11ff]*+", re.DOTALL)


class _Sought(NamedTuple):
    terms: frozenset[str]
    inner_words: tuple[str, ...]
    """Words that may stand within longer ones, longest first."""
    vocabulary: Vocabulary


def highlights(text: str, query: str, languages: Sequence[str]) -> list[Span]:
    """The stretches of a text that a query matches, as (start, end) in the text, in order, apart.

    Whole words are marked, of a long word only the part that is sought, and of scripts without spaces the
    characters. Marks and invisible characters within a match belong to it.
    """
    sought = _sought(query, languages)
    found = (
        (chunk.start() + start, chunk.start() + end)
        for chunk in _CHUNK.finditer(text)
        for start, end in _in_chunk(chunk.group(), sought)
    )
    return _merged(found)


def _sought(query: str, languages: Sequence[str]) -> _Sought:
    vocabulary = vocabulary_of(languages, is_query=False)
    tokens = [token for chunk in query.split() for token in tokens_of(unify(chunk))]
    forms = {
        form.term
        for token in tokens
        if token.kind in (Kind.WORD, Kind.PART)
        for form in forms_of(token, vocabulary)
        if len(form.term) >= PIECE_LETTERS and not form.term.startswith(PIECE_MARK)
    }
    terms = frozenset(query_terms(query, languages=languages))
    return _Sought(terms, tuple(sorted(forms, key=lambda form: (-len(form), form))), vocabulary)


def _in_chunk(chunk: str, sought: _Sought) -> Iterator[Span]:
    unified, places = _with_places(chunk, unify)
    for token in tokens_of(unified):
        for start, end in _in_token(token, sought):
            yield places[token.start + start][0], places[token.start + end - 1][1]


def _with_places(text: str, change: Callable[[str], str]) -> tuple[str, list[Span]]:
    """A changed text, and for each of its characters the stretch of the old text it came from."""
    changed: list[str] = []
    places: list[Span] = []
    for cluster in _CLUSTER.finditer(text):
        letters = change(cluster.group())
        changed.append(letters)
        places += [cluster.span()] * len(letters)
    return "".join(changed), places


def _in_token(token: Token, sought: _Sought) -> Iterator[Span]:
    """The stretches of one token that are sought, in places of the token."""
    if token.kind in (Kind.RUN, Kind.HANGUL):
        yield from _in_run(token, sought)
        return
    forms = [form.term for form in forms_of(token, sought.vocabulary)]
    written = forms[:1] if token.kind is Kind.WHOLE else [fold(token.text), *forms]
    terms = [term for term in written if not term.startswith(PIECE_MARK)]
    if not sought.terms.isdisjoint(terms):
        yield 0, len(token.text)
    elif any(form.startswith(PIECE_MARK) for form in forms):
        yield from _within_word(token, sought)


def _in_run(token: Token, sought: _Sought) -> Iterator[Span]:
    folded, places = _with_places(token.text, fold)
    for length in (1, 2):
        for start in range(len(folded) - length + 1):
            if folded[start : start + length] in sought.terms:
                yield places[start][0], places[start + length - 1][1]


def _within_word(token: Token, sought: _Sought) -> Iterator[Span]:
    folded, places = _with_places(token.text, fold)
    for word in sought.inner_words:
        start = folded.find(word)
        if start >= 0:
            yield places[start][0], places[start + len(word) - 1][1]
            return


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
