"""How what two arms found becomes one order: named terms, each standardised, added with weights.

Plain rank fusion lets a weak arm spoil a strong one; standardised scores with weights do not (measured on
conversations, see docs/benchmarks.md). A message is judged with its neighbours and its session, because the
answer to a question is often the turn after the one whose words it shares.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.cascade.designs.schema import Weights
from memory.models.search import Layer

Column = NDArray[np.float64]
"""A number for each candidate, in their order."""
Flags = NDArray[np.bool_]
BEST = 5
"""So many of a session, a topic or a person are looked at together."""


class Relation(NamedTuple):
    """What a unit has in common with what was found before it."""

    topic: bool = False
    person: bool = False
    time: bool = False


UNRELATED = Relation()


@dataclass(slots=True)
class Candidate:
    """A unit that an arm, or the second look, found."""

    unit: int
    layer: Layer
    row: UUID
    """The message, atom, scene or trait."""
    section: str
    session: UUID | None
    position: int
    speaker: str
    is_question: bool
    own_length: int
    words: float = 0.0
    """BM25; 0 when the text arm did not find it."""
    similarity: float | None = None
    """Cosine; None when there is no vector, or no vector arm."""
    relation: Relation = UNRELATED
    """Why the second look found it; nothing for what an arm found."""


@dataclass(frozen=True, slots=True)
class Population:
    """What standardising needs: units by layer, and the usual similarity of a space."""

    units: Mapping[Layer, int]
    similarity_mean: float
    similarity_spread: float


class Scores:
    """What every candidate is worth, and the named terms that this is the sum of."""

    def __init__(
        self, units: Sequence[int], terms: Mapping[str, Term], *, before: Scores | None = None
    ) -> None:
        self._places = {unit: place for place, unit in enumerate(units)}
        self._terms = terms
        self._before = before
        total = sum((term.values for term in terms.values()), start=np.zeros(len(units)))
        self.totals: dict[int, float] = dict(zip(units, total.tolist(), strict=True))
        """The score of each unit; one that was scored before keeps what it got."""
        if before is not None:
            self.totals |= before.totals

    def terms(self, unit: int) -> dict[str, float]:
        """The terms that have a part in a unit's score."""
        if self._before is not None and unit in self._before.totals:
            return self._before.terms(unit)
        place = self._places[unit]
        return {
            name: float(term.values[place])
            for name, term in self._terms.items()
            if term.applies is None or term.applies[place]
        }


class Term(NamedTuple):
    """One term for all candidates."""

    values: Column
    """0 where it does not apply."""
    applies: Flags | None = None
    """None: to all of them."""


def ranked(candidates: Iterable[Candidate], scores: Scores) -> list[Candidate]:
    """The best first; equal scores in the order of units."""
    return sorted(candidates, key=lambda found: (-scores.totals[found.unit], found.unit))


def score(
    candidates: Sequence[Candidate],
    *,
    people: frozenset[str],
    population: Population,
    weights: Weights,
    before: Scores | None = None,
) -> Scores:
    """Score all candidates at once; those of `before` keep their score and are neighbours to the others."""
    words = _standardised_words(candidates, population)
    meaning = _standardised_meaning(candidates, population)
    own_length = np.array([candidate.own_length for candidate in candidates], dtype=float)
    is_question = np.array([candidate.is_question for candidate in candidates], dtype=bool)
    speaks = np.array([_is_about(candidate, people) for candidate in candidates], dtype=bool)
    terms = {
        "words": Term(weights.words * words),
        "meaning": Term(weights.meaning * meaning),
        "substance": Term(weights.substance * np.log1p(own_length)),
        "named_speaker": Term(weights.named_speaker * speaks, speaks),
        "question": Term(weights.question * is_question, is_question),
    }
    return Scores(
        [candidate.unit for candidate in candidates],
        terms
        | _terms_of_turns(candidates, words, meaning, weights)
        | _terms_of_relation(candidates, weights),
        before=before,
    )


def _terms_of_relation(candidates: Sequence[Candidate], weights: Weights) -> dict[str, Term]:
    """What the second look found shares a topic, a person, a time with the first finds."""
    if all(candidate.relation is UNRELATED for candidate in candidates):
        return {}
    shared = np.array([candidate.relation for candidate in candidates], dtype=bool).reshape(-1, 3)
    return {
        f"related_{name}": Term(weights.related * shared[:, place], shared[:, place])
        for place, name in enumerate(Relation._fields)
    }


def _is_about(candidate: Candidate, people: frozenset[str]) -> bool:
    return len(people) == 1 and not people.isdisjoint(candidate.speaker.split())


def _standardised_words(candidates: Sequence[Candidate], population: Population) -> Column:
    """BM25 against mean and spread of the whole layer: what was not found scores 0 there."""
    words = np.array([candidate.words for candidate in candidates], dtype=float)
    layers = np.array([candidate.layer for candidate in candidates], dtype=int)
    for layer in Layer:
        rows = layers == layer
        found = words[rows]
        count = max(population.units.get(layer, 0), len(found), 1)
        mean = found.sum() / count
        variance = (found**2).sum() / count - mean**2
        words[rows] = (found - mean) / (math.sqrt(variance) if variance > 1e-9 else 1.0)
    return words


def _standardised_meaning(candidates: Sequence[Candidate], population: Population) -> Column:
    """Similarity against mean and spread of its space; 0 without one."""
    usual = population.similarity_mean
    near = [usual if found.similarity is None else found.similarity for found in candidates]
    return (np.array(near, dtype=float) - usual) / population.similarity_spread


def _terms_of_turns(
    candidates: Sequence[Candidate], words: Column, meaning: Column, weights: Weights
) -> dict[str, Term]:
    """What the neighbours and the session of a message say for it."""
    keys = [_turn(candidate) for candidate in candidates]
    turns = {key: place for place, key in enumerate(keys) if key is not None}
    is_turn = np.array([key is not None for key in keys], dtype=bool)

    def at(column: Column, distance: int) -> Column:
        # The place behind the last one stands for a turn that is not among the candidates.
        nobody = len(keys)
        places = [turns.get((key[0], key[1] + distance), nobody) if key else nobody for key in keys]
        neighbours: Column = np.append(column, 0.0)[places]
        return neighbours

    values = {
        "turn_after": weights.turn_after * at(words, 1),
        "second_turn_after": weights.second_turn_after * at(words, 2),
        "turn_before": weights.turn_before * at(words, -1),
        "meaning_before": weights.meaning_before * at(meaning, -1),
        "meaning_after": weights.meaning_after * at(meaning, 1),
        "session": weights.session * _sessions(keys, words),
    }
    return {name: Term(column, is_turn) for name, column in values.items()}


def _turn(candidate: Candidate) -> tuple[int, int] | None:
    """A message's session, as a number, and its place there."""
    if candidate.layer != Layer.MESSAGE or candidate.session is None:
        return None
    return candidate.session.int, candidate.position


def _sessions(keys: Sequence[tuple[int, int] | None], words: Column) -> Column:
    """How much each turn's session speaks of it."""
    return lift_together([key and key[0] for key in keys], words)


def lift_together(keys: Sequence[Hashable | None], scores: Column) -> Column:
    """What those with the same key (a session, a topic) are worth together, for each of them.

    The mean of a key's best five scores, where one that is not there counts 0, standardised over all keys.
    None and an empty text are no key, and get 0.
    """
    found: dict[Hashable, list[float]] = defaultdict(list)
    for key, value in zip(keys, scores.tolist(), strict=True):
        if key:
            found[key].append(value)
    if not found:
        return np.zeros(len(keys))
    means = {key: sum(sorted(best, reverse=True)[:BEST]) / BEST for key, best in found.items()}
    mean = sum(means.values()) / len(means)
    spread = math.sqrt(sum((value - mean) ** 2 for value in means.values()) / len(means)) or 1.0
    return np.array([(means[key] - mean) / spread if key else 0.0 for key in keys])


def standardised(scores: Column) -> Column:
    """Against their own mean and spread; 0 where all are the same."""
    spread = float(scores.std()) if len(scores) else 0.0
    return (scores - scores.mean()) / spread if spread > 1e-9 else np.zeros(len(scores))
