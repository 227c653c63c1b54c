"""Themes of talk, found by the words that people use for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from memory.llm.offline.lexicon import Matter, cues_of, matters
from memory.llm.offline.words import is_value, tokens

WORD_POINTS, FAINT_POINTS = 2, 1
POINTS_NEEDED = 2
VERB_BEFORE = re.compile(
    r"to|please|will|must|should|can|could|would|may|might|let's|i|we|you|they|(?:i|we)'(?:ll|d)"
)
OBJECT_AFTER = re.compile(r"an?|the|my|our|your|their|his|her|its|me|us|it|them|th(?:is|at|ese|ose)")
MOVED_TO = ["moved", "to"]

Term = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A term of a theme at its place (in tokens) in a text."""

    theme: Matter
    term: str
    points: int
    place: int


def best_theme(text: str, needed: int = POINTS_NEEDED) -> Matter | None:
    """The theme with most points in a text, the one spoken of first on a tie; None with too few points."""
    points: dict[str, int] = {}
    first: dict[str, Found] = {}
    for found in {(found.theme.name, found.term): found for found in found_terms(text)}.values():
        points[found.theme.name] = points.get(found.theme.name, 0) + found.points
        known = first.get(found.theme.name)
        first[found.theme.name] = found if known is None or found.place < known.place else known
    ranked = sorted(points, key=lambda name: (-points[name], first[name].place))
    return first[ranked[0]].theme if ranked and points[ranked[0]] >= needed else None


@lru_cache(maxsize=4_096)
def found_terms(text: str) -> tuple[Found, ...]:
    """Every term in order of place; where a longer one stands, the shorter ones in it do not count."""
    words = [word.removesuffix("'s") for word in tokens(text)]
    found: list[Found] = []
    place = 0
    while place < len(words):
        length, entries = _longest_at(words, place)
        is_other = _is_verb(words, place) if length == 1 else _is_moved_in_time(words, place, length)
        if entries and not is_other:
            found += [Found(theme, term, points, place) for theme, term, points in entries]
        place += length
    return tuple(found)


def area_of(name: str) -> str:
    """The area of a theme by its name without its person; empty for anything else."""
    return _areas().get(name, "")


def _longest_at(words: Sequence[str], place: int) -> tuple[int, tuple[tuple[Matter, str, int], ...]]:
    for term in _index()[0].get(words[place], ()):
        if tuple(words[place : place + len(term)]) == term:
            return len(term), _index()[1][term]
    return 1, ()


def _is_verb(words: Sequence[str], place: int) -> bool:
    """Whether a noun that is a verb as well is one here: «to book», «book the flights», «Book flights»."""
    if words[place] not in matters().verbal:
        return False
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    opens = not before and bool(after) and after not in cues_of("en").function_words
    return bool(VERB_BEFORE.fullmatch(before) or OBJECT_AFTER.fullmatch(after) or opens)


def _is_moved_in_time(words: Sequence[str], place: int, length: int) -> bool:
    """«moved to June 10» says nothing of a home."""
    after = words[place + length : place + length + 2]
    return words[place : place + length] == MOVED_TO and any(map(is_value, after))


@cache
def _index() -> tuple[Mapping[str, Sequence[Term]], Mapping[Term, tuple[tuple[Matter, str, int], ...]]]:
    """Terms by their first word, the longest first, and what each one speaks for."""
    entries: dict[Term, tuple[tuple[Matter, str, int], ...]] = {}
    for theme in matters().themes:
        for written, points in _pointed(theme):
            for form in _forms(written):
                entries[form] = (*entries.get(form, ()), (theme, written, points))
    openings: dict[str, list[Term]] = {}
    for term in sorted(entries, key=lambda term: (-len(term), term)):
        openings.setdefault(term[0], []).append(term)
    return openings, entries


def _pointed(theme: Matter) -> Iterator[tuple[str, int]]:
    yield from ((term, WORD_POINTS) for term in theme.terms)
    yield from ((term, FAINT_POINTS) for term in theme.faint if term not in theme.terms)


def _forms(written: str) -> tuple[Term, ...]:
    """A term as tokens, and its plural in s."""
    words = tuple(word.removesuffix("'s") for word in tokens(written))
    plural = (*words[:-1], f"{words[-1]}s")
    return (words,) if words[-1].endswith("s") else (words, plural)


@cache
def _areas() -> Mapping[str, str]:
    return {theme.name.removeprefix("{person}'s "): theme.area for theme in matters().themes if theme.area}


def theme_order(name: str) -> int:
    """The place of a theme among all; names that are none come last."""
    return list(_areas()).index(name) if name in _areas() else len(_areas())
