"""Search: words and meaning over all layers, without a model on the path and in a constant few statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.indexing.analyser import query_terms
from memory.indexing.languages import known_languages
from memory.llm.embedders.queries import QueryVector
from memory.llm.embedders.registry import query_embedding
from memory.llm.embedders.vectors import halfvec_text
from memory.models import Entity
from memory.models.search import Layer
from memory.recall.arms import (
    NOTHING_NEAR,
    Filters,
    IndexCounts,
    Near,
    Usual,
    count_index,
    find_by_meaning,
    find_by_words,
    hashed_query,
    merged,
)
from memory.recall.fusion import Candidate, Population, Weights, score
from memory.recall.gathering import gather
from memory.recall.hits import ArmState, Found
from memory.recall.tail import scan_unindexed

QUERY_LIMIT = 10_000
ARM_LIMIT = 200
"""Candidates of each layer that an arm gives."""
WORDS_MILLISECONDS = 1_500
MEANING_MILLISECONDS = 1_500
OFF_REASONS = ("off", "none", "blank")


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. The query is data: no character in it is an operator."""

    query: str
    limit: int = 20
    filters: Filters = field(default_factory=Filters)
    weights: Weights = field(default_factory=Weights)
    uses_words: bool = True
    uses_meaning: bool = True
    vector: QueryVector | None = None
    """The query's vector where the caller has it: nothing is embedded then, so no time limit can cost it."""
    words_milliseconds: int = WORDS_MILLISECONDS
    meaning_milliseconds: int = MEANING_MILLISECONDS


def search(entity: Entity, request: Request) -> Found:
    """The best results for a query, each with the terms of its score.

    An arm that is down or slow is left out within its time limit, and `Found.arms` says so.
    """
    languages = known_languages(entity)
    query = request.query[:QUERY_LIMIT]
    terms = hashed_query(entity, query_terms(query, languages=languages))
    counts = count_index(entity, list(terms))
    # Before the arms: what is indexed meanwhile is found by both rather than by neither.
    tail = scan_unindexed(entity, terms, counts, request.filters, languages)
    candidates, arms, usual = _ask_arms(entity, request, query, terms, counts)
    candidates += tail.candidates
    scored = score(
        candidates,
        people=named_people(query, candidates),
        population=Population(
            units={**counts.units, Layer.MESSAGE: counts.units.get(Layer.MESSAGE, 0) + tail.count},
            similarity_mean=usual.mean,
            similarity_spread=usual.spread,
        ),
        weights=request.weights,
    )
    return Found(
        hits=gather(entity, candidates, scored, limit=request.limit),
        arms={**arms, "unindexed": "answered" if tail.is_whole else "late"},
        unindexed=tail.count,
        languages=languages,
    )


def _ask_arms(
    entity: Entity, request: Request, query: str, terms: dict[int, float], counts: IndexCounts
) -> tuple[list[Candidate], dict[str, ArmState], Usual]:
    """Both arms, one after the other: the second also says how near the first one's units are."""
    vector = _vector(request, query)
    by_words: list[Candidate] | None = []
    if request.uses_words:
        by_words = find_by_words(
            entity, terms, counts, request.filters, limit=ARM_LIMIT, milliseconds=request.words_milliseconds
        )
    near: Near | None = NOTHING_NEAR
    if vector.vector is not None:
        near = find_by_meaning(
            entity,
            halfvec_text(vector.vector),
            vector.space,
            by_words or (),
            request.filters,
            limit=ARM_LIMIT,
            milliseconds=request.meaning_milliseconds,
            index=counts.near_indexes.get(vector.space),
        )
    arms: dict[str, ArmState] = {
        "words": _state(by_words, is_used=request.uses_words),
        "meaning": _meaning_state(near, vector),
    }
    near = near or NOTHING_NEAR
    return merged(by_words or (), near), arms, near.usual


def _vector(request: Request, query: str) -> QueryVector:
    if not request.uses_meaning:
        return QueryVector(None, reason="off")
    return request.vector or query_embedding().vector(query)


def _state(found: object, *, is_used: bool) -> ArmState:
    if not is_used:
        return "off"
    return "late" if found is None else "answered"


def _meaning_state(near: Near | None, vector: QueryVector) -> ArmState:
    if vector.vector is None:
        return "off" if vector.reason in OFF_REASONS else "failed"
    return _state(near, is_used=True)


def named_people(query: str, candidates: Sequence[Candidate]) -> frozenset[str]:
    """The speakers and subjects among the candidates whom the query names, folded."""
    words = frozenset(re.findall(r"\w+", query.casefold()))
    known = {name for candidate in candidates for name in candidate.speaker.split()}
    return words & known
