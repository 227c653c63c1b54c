"""What a context is made of, read in a number of statements that does not grow with the memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from uuid import UUID

from memory.indexing.analyser import analyse
from memory.indexing.analyser_words import PIECE_MARK
from memory.models import Entity, Layer
from memory.recall.arms import Filters
from memory.recall.context.standing import Standing, read_standing
from memory.recall.hits import Found
from memory.recall.search import Request, search

TOKENS_OF_A_LINE = 25
"""Lines of memory take as many and more: so many results fill the budget, beside those that are left out."""
CANDIDATES_PER_RESULT = 1.0
"""Of each layer and arm: with so many results asked for, more of them change nothing (docs/benchmarks.md)."""
LEAST_RESULTS = 40
MOST_RESULTS = 400
KEPT_CHARACTERS, KEPT_WORDS = 200, 512
"""The words of so many short texts are kept: less than 1 MB for everyday lines, 20 MB at the very most."""
SAME_WORDS = 0.8
"""A line that holds so much of an atom's words says the same."""


@dataclass(frozen=True, slots=True)
class Material:
    """Rows as they stand, and what search found."""

    standing: Standing
    """What depends on no request."""
    found: Found


def read_material(
    entity: Entity, task: str, *, floor: int, filters: Filters, memory_budget: int, uses_meaning: bool
) -> Material:
    """Read everything; the database is asked for nothing else afterwards."""
    standing = read_standing(entity, floor=floor)
    # Traits are shown whole, not searched.
    layers = tuple(layer for layer in filters.layers if layer != Layer.TRAIT)
    found = search(
        entity,
        Request(
            task,
            limit=min(MOST_RESULTS, LEAST_RESULTS + memory_budget // TOKENS_OF_A_LINE),
            filters=replace(filters, layers=layers),
            uses_meaning=uses_meaning,
            candidates_per_result=CANDIDATES_PER_RESULT,
            languages=standing.languages,
            scenes=standing.scenes,
        ),
    )
    return Material(standing, found)


def line_texts(material: Material, lines: Collection[UUID]) -> Mapping[UUID, str]:
    """The texts of some lines of scenes."""
    return {
        line.id: line.text
        for scene in material.standing.scenes
        for section in scene.sections
        for line in section.lines
        if line.id in lines
    }


def told_in_lines(
    texts: Mapping[UUID, str],
    atoms_of_lines: Mapping[UUID, Sequence[tuple[UUID, str]]],
    languages: Sequence[str],
) -> frozenset[UUID]:
    """The atoms that a line, given by its text, says in the same words."""
    return frozenset(
        atom
        for line, text in texts.items()
        for atom, words in atoms_of_lines.get(line, ())
        if _says(text, words, languages)
    )


def messages_told(
    messages_of_atoms: Mapping[UUID, frozenset[UUID]], atoms: Collection[UUID]
) -> frozenset[UUID]:
    """The messages whose claims stand in another block."""
    return frozenset().union(*(messages_of_atoms.get(atom, frozenset()) for atom in atoms))


def _says(line: str, atom: str, languages: Sequence[str]) -> bool:
    """Whether a line holds nearly all words of an atom."""
    wanted = words_of(atom, languages)
    return len(wanted & words_of(line, languages)) >= SAME_WORDS * len(wanted)


def words_of(text: str, languages: Sequence[str]) -> frozenset[str]:
    """The words of a text in all their forms, as search compares them."""
    return _words_kept(text, tuple(languages)) if len(text) <= KEPT_CHARACTERS else _words(text, languages)


def _words(text: str, languages: Sequence[str]) -> frozenset[str]:
    return frozenset(term for term in analyse(text, languages=languages) if not term.startswith(PIECE_MARK))


_words_kept = lru_cache(maxsize=KEPT_WORDS)(_words)
"""Lines, rules and what they rest on are the same in the next context."""
