"""How what two arms found becomes one order: named terms, each standardised, added with weights.

Plain rank fusion lets a weak arm spoil a strong one; standardised scores with weights do not (measured on
conversations, see docs/benchmarks.md). A message is judged with its neighbours and its session, because the
answer to a question is often the turn after the one whose words it shares.

Columns are plain lists: for some hundred candidates numpy is no quicker, and a process that embeds nothing
would load its ten megabytes for them alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from memory.cascade.designs.schema import Weights
from memory.models.search import Layer

Column = Sequence[float]
"""A number for each candidate, in their order."""
Flags = Sequence[bool]
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
        totals = map(sum, zip(*(term.values for term in terms.values()), strict=True))
        self.totals: dict[int, float] = dict(zip(units, totals, strict=True))
        """The score of each unit; one that was scored before keeps what it got."""
        if before is not None:
            self.totals |= before.totals

    def terms(self, unit: int) -> dict[str, float]:
        """The terms that have a part in a unit's score."""
        if self._before is not None and unit in self._before.totals:
            return self._before.terms(unit)
        place = self._places[unit]
        return {
            name: term.values[place]
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
    speaks = [_is_about(candidate, people) for candidate in candidates]
    is_question = [candidate.is_question for candidate in candidates]
    substance = [weights.substance * math.log1p(candidate.own_length) for candidate in candidates]
    terms = {
        "words": Term(_times(weights.words, words)),
        "meaning": Term(_times(weights.meaning, meaning)),
        "substance": Term(substance),
        "named_speaker": Term(_times(weights.named_speaker, speaks), speaks),
        "question": Term(_times(weights.question, is_question), is_question),
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
    columns = zip(*(candidate.relation for candidate in candidates), strict=True)
    return {
        f"related_{name}": Term(_times(weights.related, shared), shared)
        for name, shared in zip(Relation._fields, columns, strict=True)
    }


def _times(weight: float, column: Column) -> Column:
    return [weight * value for value in column]


def _is_about(candidate: Candidate, people: frozenset[str]) -> bool:
    return len(people) == 1 and not people.isdisjoint(candidate.speaker.split())


def _standardised_words(candidates: Sequence[Candidate], population: Population) -> Column:
    """BM25 against mean and spread of the whole layer: what was not found scores 0 there."""
    found: dict[Layer, list[float]] = defaultdict(list)
    for candidate in candidates:
        found[candidate.layer].append(candidate.words)
    usual = {layer: _usual(words, population.units.get(layer, 0)) for layer, words in found.items()}
    return [
        (candidate.words - mean) / spread
        for candidate in candidates
        for mean, spread in (usual[candidate.layer],)
    ]


def _usual(found: Sequence[float], units: int) -> tuple[float, float]:
    """Mean and spread of so many units, of which all that were not found count 0."""
    count = max(units, len(found), 1)
    mean = sum(found) / count
    variance = sum(words * words for words in found) / count - mean**2
    return mean, math.sqrt(variance) if variance > 1e-9 else 1.0


def _standardised_meaning(candidates: Sequence[Candidate], population: Population) -> Column:
    """Similarity against mean and spread of its space; 0 without one."""
    usual, spread = population.similarity_mean, population.similarity_spread
    return [0.0 if (near := found.similarity) is None else (near - usual) / spread for found in candidates]


def _terms_of_turns(
    candidates: Sequence[Candidate], words: Column, meaning: Column, weights: Weights
) -> dict[str, Term]:
    """What the neighbours and the session of a message say for it."""
    keys = [_turn(candidate) for candidate in candidates]
    turns = {key: place for place, key in enumerate(keys) if key is not None}
    is_turn = [key is not None for key in keys]

    def at(weight: float, column: Column, distance: int) -> Column:
        # The place behind the last one stands for a turn that is not among the candidates.
        weighted = [*_times(weight, column), 0.0]
        return [weighted[turns.get((key[0], key[1] + distance), -1) if key else -1] for key in keys]

    values = {
        "turn_after": at(weights.turn_after, words, 1),
        "second_turn_after": at(weights.second_turn_after, words, 2),
        "turn_before": at(weights.turn_before, words, -1),
        "meaning_before": at(weights.meaning_before, meaning, -1),
        "meaning_after": at(weights.meaning_after, meaning, 1),
        "session": _times(weights.session, _sessions(keys, words)),
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
    for key, value in zip(keys, scores, strict=True):
        if key:
            found[key].append(value)
    if not found:
        return [0.0] * len(keys)
    means = {key: sum(sorted(best, reverse=True)[:BEST]) / BEST for key, best in found.items()}
    mean = sum(means.values()) / len(means)
    spread = math.sqrt(sum((value - mean) ** 2 for value in means.values()) / len(means)) or 1.0
    return [(means[key] - mean) / spread if key else 0.0 for key in keys]


def standardised(scores: Column) -> Column:
    """Against their own mean and spread; 0 where all are the same."""
    mean = sum(scores) / max(len(scores), 1)
    spread = math.sqrt(sum((score - mean) ** 2 for score in scores) / max(len(scores), 1))
    return [(score - mean) / spread if spread > 1e-9 else 0.0 for score in scores]
