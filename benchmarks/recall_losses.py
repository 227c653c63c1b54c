"""What recall's statements take alone, and what its two short cuts lose against the exact answer."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.models import Entity

TOP = 10
NEIGHBOURS = 100
NO_LIMIT_MILLISECONDS = 60_000
NO_CAP = 10**9


def sql_milliseconds(entity: Entity, queries: Sequence[str]) -> dict[str, float]:
    """The time that all statements of a search take together: there, in the server, and back."""
    from benchmarks.recall import percentiles
    from memory.recall.search import Request, search

    spent: list[float] = []
    for query in queries:
        request = Request(query, vector=_vector(query))
        search(entity, request)
        with _timed_statements(spent):
            search(entity, request)
    return percentiles(spent)


@contextmanager
def _timed_statements(spent: list[float]) -> Iterator[None]:
    """Adds one sum to `spent`. What goes through a pipeline is sent at once and waited for later: it is timed
    as a whole, not by its statements."""
    from django.db import connection

    from memory import queries

    spent.append(0.0)
    is_timed = [False]

    def timing(action: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            if is_timed[0]:
                return action(*given, **named)
            began, is_timed[0] = time.perf_counter(), True
            try:
                return action(*given, **named)
            finally:
                is_timed[0] = False
                spent[-1] += (time.perf_counter() - began) * 1_000

        return timed

    def single(execute: Callable[..., Any], *given: Any) -> Any:
        return timing(execute)(*given)

    piped = {name: getattr(queries, name) for name in ("kept_rows", "rows_within")}
    for name, action in piped.items():
        setattr(queries, name, timing(action))
    try:
        with connection.execute_wrapper(single):
            yield
    finally:
        for name, action in piped.items():
            setattr(queries, name, action)


def _vector(query: str) -> Any:
    from memory.llm.embedders.queries import QueryVector
    from memory.llm.embedders.registry import configured_embedder

    embedder = configured_embedder()
    return QueryVector(embedder.embed_query(query), embedder.space) if embedder else None


def losses(entity: Entity, queries: Sequence[str]) -> dict[str, float]:
    """Shares of the exact answers that are found: the best by BM25 under the cap, neighbours by the index."""
    found = {
        "bm25_top_10_overlap": statistics.fmean(_capped_share(entity, query) for query in queries),
        "vector_index_recall_at_100": statistics.fmean(_index_share(entity, query) for query in queries),
    }
    return {name: round(share, 4) for name, share in found.items()}


def _capped_share(entity: Entity, query: str) -> float:
    from memory.indexing.analyser import query_terms
    from memory.indexing.languages import known_languages
    from memory.recall.arms import (
        MOST_CANDIDATES,
        POSTINGS_CAP,
        Filters,
        count_index,
        find_by_words,
        hashed_query,
    )

    terms = hashed_query(entity, query_terms(query, languages=known_languages(entity)))
    counts = count_index(entity, list(terms))

    def best(cap: int, most: int) -> set[int]:
        found = find_by_words(
            entity,
            terms,
            counts,
            Filters(),
            limit=TOP,
            milliseconds=NO_LIMIT_MILLISECONDS,
            cap=cap,
            most=most,
        )
        ranked = sorted(found or (), key=lambda candidate: (-candidate.words, candidate.unit))
        return {candidate.unit for candidate in ranked[:TOP]}

    exact = best(NO_CAP, NO_CAP)
    return len(exact & best(POSTINGS_CAP, MOST_CANDIDATES)) / max(1, len(exact))


def _index_share(entity: Entity, query: str) -> float:
    from memory.llm.embedders.vectors import halfvec_text
    from memory.recall.arms import Filters, count_index, find_by_meaning
    from memory.recall.search import MOST_CANDIDATES

    vector = _vector(query)
    indexes = count_index(entity, []).near_indexes

    def nearest(index: Any) -> set[int]:
        near = find_by_meaning(
            entity,
            halfvec_text(vector.vector),
            vector.space,
            (),
            Filters(),
            limit=MOST_CANDIDATES,
            milliseconds=NO_LIMIT_MILLISECONDS,
            index=index,
        )
        return {candidate.unit for candidate in near.candidates[:NEIGHBOURS]} if near else set()

    exact = nearest(None)
    return len(exact & nearest(indexes.get(vector.space))) / max(1, len(exact))
