"""How what two arms found becomes one order: named terms, each standardised, added with weights.

Plain rank fusion lets a weak arm spoil a strong one; standardised scores with weights do not (measured on
conversations, see docs/benchmarks.md). A message is judged with its neighbours and its session, because the
answer to a question is often the turn after the one whose words it shares.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.models.search import Layer

NO_UNIT = 0
"""Units are numbered from 1, rows that wait for the index from -1 downwards."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term counts for."""

    words: float = 1.25
    """BM25 of the unit's words, standardised over its layer."""
    meaning: float = 2.25
    """Cosine of the vectors, standardised by the space's own mean and spread."""
    turn_after: float = 0.5
    second_turn_after: float = 0.3
    turn_before: float = 0.2
    """Words of the neighbours in a session."""
    meaning_before: float = 0.25
    meaning_after: float = 0.25
    """... and their meaning."""
    session: float = 1.0
    """How much the session as a whole speaks of it: mean of its best five turns."""
    named_speaker: float = 2.75
    """The query names one person, and this person speaks, or is spoken of."""
    question: float = -2.75
    """A question asks; the turn that answers says more."""
    substance: float = 1.5
    """Longer statements say more: logarithm of the own length."""


@dataclass(slots=True)
class Candidate:
    """A unit that an arm found."""

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


@dataclass(frozen=True, slots=True)
class Population:
    """What standardising needs: units by layer, and the usual similarity of a space."""

    units: Mapping[Layer, int]
    similarity_mean: float
    similarity_spread: float


def score(
    candidates: Sequence[Candidate], *, people: frozenset[str], population: Population, weights: Weights
) -> dict[int, dict[str, float]]:
    """The weighted terms of every candidate, by unit; their sum is its score."""
    words = _standardised_words(candidates, population)
    meaning = {
        candidate.unit: (candidate.similarity - population.similarity_mean) / population.similarity_spread
        for candidate in candidates
        if candidate.similarity is not None
    }
    turns: dict[UUID | None, dict[int, int]] = defaultdict(dict)
    for candidate in candidates:
        if candidate.layer == Layer.MESSAGE:
            turns[candidate.session][candidate.position] = candidate.unit
    sessions = _sessions(candidates, words)
    return {
        candidate.unit: _terms(candidate, words, meaning, turns, sessions, people, weights)
        for candidate in candidates
    }


def _terms(
    candidate: Candidate,
    words: Mapping[int, float],
    meaning: Mapping[int, float],
    turns: Mapping[UUID | None, Mapping[int, int]],
    sessions: Mapping[UUID, float],
    people: frozenset[str],
    weights: Weights,
) -> dict[str, float]:
    terms = {
        "words": weights.words * words[candidate.unit],
        "meaning": weights.meaning * meaning.get(candidate.unit, 0.0),
        "substance": weights.substance * math.log1p(candidate.own_length),
    }
    if len(people) == 1 and people.intersection(candidate.speaker.split()):
        terms["named_speaker"] = weights.named_speaker
    if candidate.is_question:
        terms["question"] = weights.question
    if candidate.layer == Layer.MESSAGE and candidate.session is not None:
        terms |= _neighbours(candidate, words, meaning, turns, weights)
        terms["session"] = weights.session * sessions.get(candidate.session, 0.0)
    return terms


def _neighbours(
    candidate: Candidate,
    words: Mapping[int, float],
    meaning: Mapping[int, float],
    turns: Mapping[UUID | None, Mapping[int, int]],
    weights: Weights,
) -> dict[str, float]:
    session = turns[candidate.session]
    before = session.get(candidate.position - 1, NO_UNIT)
    after = session.get(candidate.position + 1, NO_UNIT)
    second_after = session.get(candidate.position + 2, NO_UNIT)
    return {
        "turn_after": weights.turn_after * words.get(after, 0.0),
        "second_turn_after": weights.second_turn_after * words.get(second_after, 0.0),
        "turn_before": weights.turn_before * words.get(before, 0.0),
        "meaning_before": weights.meaning_before * meaning.get(before, 0.0),
        "meaning_after": weights.meaning_after * meaning.get(after, 0.0),
    }


def _standardised_words(candidates: Sequence[Candidate], population: Population) -> dict[int, float]:
    """BM25 against mean and spread of the whole layer: what was not found scores 0 there."""
    by_layer: dict[Layer, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_layer[candidate.layer].append(candidate)
    standardised: dict[int, float] = {}
    for layer, rows in by_layer.items():
        count = max(population.units.get(layer, 0), len(rows))
        mean = sum(row.words for row in rows) / count
        variance = sum(row.words**2 for row in rows) / count - mean**2
        spread = math.sqrt(variance) if variance > 1e-9 else 1.0
        standardised |= {row.unit: (row.words - mean) / spread for row in rows}
    return standardised


def _sessions(candidates: Sequence[Candidate], words: Mapping[int, float]) -> dict[UUID, float]:
    best: dict[UUID, list[float]] = defaultdict(list)
    for candidate in candidates:
        if candidate.layer == Layer.MESSAGE and candidate.session is not None:
            best[candidate.session].append(words[candidate.unit])
    means = {session: sum(sorted(found, reverse=True)[:5]) / 5 for session, found in best.items()}
    if not means:
        return {}
    mean = sum(means.values()) / len(means)
    spread = math.sqrt(sum((value - mean) ** 2 for value in means.values()) / len(means)) or 1.0
    return {session: (value - mean) / spread for session, value in means.items()}
