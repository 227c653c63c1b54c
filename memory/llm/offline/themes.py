"""Themes of talk, found by the words that people use for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from memory.llm.offline.lexicon import Matter, cues_of, matters
from memory.llm.offline.words import is_value, tokens

WORD_POINTS, FAINT_POINTS, SUPPORT_POINTS = 2, 1, 1
POINTS_NEEDED = 2
VERB_BEFORE = re.compile(
    r"to|please|will|must|should|can|could|would|may|might|let's|i|we|you|they|(?:i|we)'(?:ll|d)"
)
GERUND_AFTER = re.compile(r"from|to|into|out|against")
"""«reading from the queue», «writing to disk»."""
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
    is_support: bool = False
    """It has another sense as well, and says nothing without another word of the theme."""


def best_theme(text: str, needed: int = POINTS_NEEDED) -> Matter | None:
    """The theme with most points in a text; None with too few points.

    On a tie shared work goes before a theme that only faint words speak for, then what is spoken of first.
    """
    told: dict[str, list[Found]] = {}
    for found in {(found.theme.name, found.term): found for found in found_terms(text)}.values():
        told.setdefault(found.theme.name, []).append(found)
    named = [group for group in told.values() if not all(found.is_support for found in group)]
    best = min(named, key=_rank, default=None)
    return best[0].theme if best and _points(best) >= needed else None


def _rank(group: Sequence[Found]) -> tuple[int, bool, int]:
    is_faint_life = not group[0].theme.is_shared and all(found.points < WORD_POINTS for found in group)
    return -_points(group), is_faint_life, min(found.place for found in group)


def _points(group: Sequence[Found]) -> int:
    return sum(found.points for found in group)


@lru_cache(maxsize=4_096)
def found_terms(text: str) -> tuple[Found, ...]:
    """Every term in order of place; where a longer one stands, the shorter ones in it do not count."""
    words = [word.removesuffix("'s") for word in tokens(text)]
    found: list[Found] = []
    place = 0
    while place < len(words):
        length, entries = _longest_at(words, place)
        is_other = _is_verb(words, place) if length == 1 else _is_moved_in_time(words, place, length)
        is_name = _names_thing(words, place + length)
        found += [
            replace(entry, place=place)
            for entry in entries
            if not is_other and not (is_name and not entry.theme.is_shared)
        ]
        place += length
    return tuple(found)


def area_of(name: str) -> str:
    """The area of a theme by its name without its person; empty for anything else."""
    return _areas().get(name, "")


def _longest_at(words: Sequence[str], place: int) -> tuple[int, tuple[Found, ...]]:
    for term in _index()[0].get(words[place], ()) if place < len(words) else ():
        if tuple(words[place : place + len(term)]) == term:
            return len(term), _index()[1][term]
    return 1, ()


def _is_verb(words: Sequence[str], place: int) -> bool:
    """Whether a noun that is a verb as well is one here: «to book», «book the flights», «Book flights»."""
    if words[place] not in matters().verbal:
        return False
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if words[place].endswith("ing"):
        is_technical = any(found.theme.is_shared for found in _longest_at(words, place + 1)[1])
        return bool(OBJECT_AFTER.fullmatch(after) or GERUND_AFTER.fullmatch(after)) or is_technical
    opens = not before and bool(after) and after not in cues_of("en").function_words
    return bool(VERB_BEFORE.fullmatch(before) or OBJECT_AFTER.fullmatch(after) or opens)


def _names_thing(words: Sequence[str], after: int) -> bool:
    """«the match engine»: what stands before a thing of software is its name."""
    return after < len(words) and words[after] in matters().technical_heads


def _is_moved_in_time(words: Sequence[str], place: int, length: int) -> bool:
    """«moved to June 10» says nothing of a home."""
    after = words[place + length : place + length + 2]
    return words[place : place + length] == MOVED_TO and any(map(is_value, after))


@cache
def _index() -> tuple[Mapping[str, Sequence[Term]], Mapping[Term, tuple[Found, ...]]]:
    """Terms by their first word, the longest first, and what each one speaks for; an idiom for nothing."""
    entries: dict[Term, tuple[Found, ...]] = {
        form: () for idiom in matters().idioms for form in _forms(idiom)
    }
    for theme in matters().themes:
        for found in _told_by(theme):
            for form in _forms(found.term):
                if found.theme not in {known.theme for known in entries.get(form, ())}:
                    entries[form] = (*entries.get(form, ()), found)
    openings: dict[str, list[Term]] = {}
    for term in sorted(entries, key=lambda term: (-len(term), term)):
        openings.setdefault(term[0], []).append(term)
    return openings, entries


def _told_by(theme: Matter) -> Iterator[Found]:
    yield from (Found(theme, term, WORD_POINTS, 0) for term in theme.terms)
    yield from (Found(theme, term, FAINT_POINTS, 0) for term in theme.faint)
    yield from (Found(theme, term, SUPPORT_POINTS, 0, is_support=True) for term in theme.support)


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
