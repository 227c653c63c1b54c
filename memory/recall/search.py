"""Search: words and meaning over all layers, without a model on the path and in a constant few statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from memory.cascade.designs import Weights, design_of
from memory.indexing.analyser import query_terms
from memory.indexing.languages import known_languages
from memory.llm.choosing import may_embed
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
from memory.recall.fusion import Candidate, Population, Scores, score
from memory.recall.gathering import gather
from memory.recall.hits import ArmState, Found
from memory.recall.records import SceneRecord
from memory.recall.second_look import look_around
from memory.recall.tail import TAIL_LIMIT, Tail, scan_unindexed

QUERY_LIMIT = 10_000
CANDIDATES_PER_RESULT = 3
LEAST_CANDIDATES, MOST_CANDIDATES = 60, 200
"""Candidates of each layer that an arm gives: some for each wanted result, within these bounds."""
WORDS_MILLISECONDS = 1_500
MEANING_MILLISECONDS = 1_500
RELATED_MILLISECONDS = 500
OFF_REASONS = ("off", "none", "blank")


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. The query is data: no character in it is an operator."""

    query: str
    limit: int = 20
    filters: Filters = field(default_factory=Filters)
    weights: Weights | None = None
    """None takes those of the workspace's design."""
    uses_words: bool = True
    uses_meaning: bool = True
    vector: QueryVector | None = None
    """The query's vector where the caller has it: nothing is embedded then, so no time limit can cost it."""
    languages: tuple[str, ...] | None = None
    """Those of the entity where the caller has read them."""
    scenes: tuple[SceneRecord, ...] | None = None
    """All live ones with their lines where the caller has read them."""
    words_milliseconds: int = WORDS_MILLISECONDS
    meaning_milliseconds: int = MEANING_MILLISECONDS
    related_milliseconds: int = RELATED_MILLISECONDS
    candidates_per_result: float = CANDIDATES_PER_RESULT
    """What an arm gives of each layer for every wanted result; fewer are quicker."""

    @property
    def candidates(self) -> int:
        """How many of each layer an arm gives."""
        return min(MOST_CANDIDATES, max(LEAST_CANDIDATES, round(self.candidates_per_result * self.limit)))


def search(entity: Entity, request: Request) -> Found:
    """The best results for a query, each with the terms of its score.

    An arm that is down or slow is left out within its time limit, and `Found.arms` says so.
    """
    query = request.query[:QUERY_LIMIT]
    vector = _begin_vector(entity, request, query)
    languages = request.languages or known_languages(entity)
    terms = hashed_query(entity, query_terms(query, languages=languages))
    counts = count_index(entity, list(terms), layers=request.filters.layers, most_waiting=TAIL_LIMIT + 1)
    # Before the arms: what is indexed meanwhile is found by both rather than by neither.
    tail = scan_unindexed(entity, terms, counts, request.filters, languages)
    asked = _ask_arms(entity, request, vector, terms, counts)
    weights = request.weights or design_of(entity).weights
    candidates, scores, related = _score_twice(entity, request, query, asked, tail, counts, weights)
    return Found(
        hits=gather(
            entity,
            candidates,
            scores,
            filters=request.filters,
            weights=weights,
            limit=request.limit,
            scenes=request.scenes,
        ),
        arms={**asked.arms, "related": related, "unindexed": "answered" if tail.is_whole else "late"},
        unindexed=tail.count,
        languages=languages,
    )


def _score_twice(
    entity: Entity,
    request: Request,
    query: str,
    asked: _Asked,
    tail: Tail,
    counts: IndexCounts,
    weights: Weights,
) -> tuple[list[Candidate], Scores, ArmState]:
    """What was found first, and what stands around the best of it; also whether that came in time."""
    candidates = [*asked.candidates, *tail.candidates]
    scoring = partial(
        score,
        people=named_people(query, candidates),
        population=_population(counts, tail, asked.usual),
        weights=weights,
    )
    scores = scoring(candidates)
    related = look_around(
        entity, candidates, scores, asked.vector, request.filters, milliseconds=request.related_milliseconds
    )
    if related:
        candidates = sorted((*candidates, *related), key=lambda candidate: candidate.unit)
        scores = scoring(candidates, before=scores)
    return candidates, scores, _state(related, is_used=True)


def _population(counts: IndexCounts, tail: Tail, usual: Usual) -> Population:
    """What waits is counted among the messages: most of it is."""
    messages = counts.units.get(Layer.MESSAGE, 0) + tail.count
    return Population(
        units={**counts.units, Layer.MESSAGE: messages},
        similarity_mean=usual.mean,
        similarity_spread=usual.spread,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What both arms found together."""

    candidates: list[Candidate]
    arms: dict[str, ArmState]
    usual: Usual
    vector: QueryVector
    """The query's; without one when nothing could be compared with it in time."""


def _ask_arms(
    entity: Entity,
    request: Request,
    pending: Callable[[], QueryVector],
    terms: dict[int, float],
    counts: IndexCounts,
) -> _Asked:
    """Both arms, one after the other: the second also says how near the first one's units are."""
    by_words = _ask_words(entity, request, terms, counts, pending) if request.uses_words else []
    vector = pending()
    near: Near | None = NOTHING_NEAR
    if vector.vector is not None:
        near = find_by_meaning(
            entity,
            halfvec_text(vector.vector),
            vector.space,
            by_words or (),
            request.filters,
            limit=request.candidates,
            milliseconds=request.meaning_milliseconds,
            index=counts.near_indexes.get(vector.space),
        )
    return _Asked(
        candidates=merged(by_words or (), near or NOTHING_NEAR),
        arms={
            "words": _state(by_words, is_used=request.uses_words),
            "meaning": _meaning_state(near, vector),
        },
        usual=(near or NOTHING_NEAR).usual,
        vector=QueryVector(None) if near is None else vector,
    )


def _ask_words(
    entity: Entity,
    request: Request,
    terms: dict[int, float],
    counts: IndexCounts,
    pending: Callable[[], QueryVector],
) -> list[Candidate] | None:
    return find_by_words(
        entity,
        terms,
        counts,
        request.filters,
        limit=request.candidates,
        milliseconds=request.words_milliseconds,
        meanwhile=pending,
    )


def _begin_vector(entity: Entity, request: Request, query: str) -> Callable[[], QueryVector]:
    """The query is embedded while the database looks for its words; asked again it is the same vector."""
    if not request.uses_meaning or not may_embed(entity.workspace_id):
        return partial(QueryVector, None, reason="off")
    if given := request.vector:
        return lambda: given
    return cache(query_embedding().begin(query))


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
    speakers = {candidate.speaker for candidate in candidates}
    return words & {name for speaker in speakers for name in speaker.split()}
