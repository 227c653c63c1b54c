"""The vector of a query within a time limit: recall answers without it sooner than it waits."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

from memory.llm.embedders.breaker import Breaker
from memory.llm.embedders.protocol import EmbeddingError
from memory.llm.guard import refuse_inside_transaction

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Embedder, Vectors

MOST_AT_ONCE = 8
SHORT_QUERY_CHARACTERS = 500
"""An embedder at hand takes a few milliseconds for so many; longer ones are waited for within the limit."""
REMEMBERED_QUERIES = 512

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query's vector and the space it lies in, or the reason why there is none."""

    vector: Vectors | None
    """Shape (dimensions,), length one, read-only."""
    space: str = ""
    reason: str = ""
    """Without a vector: `none` (no embedder), `blank`, `busy`, `timeout`, an EmbeddingError's kind, or
    `resting after ...` while a service that failed is left alone."""


class RecentVectors:
    """The vectors of the last queries, by a digest: a process keeps no words of people in memory."""

    def __init__(self, most: int = REMEMBERED_QUERIES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._vectors: OrderedDict[bytes, QueryVector] = OrderedDict()

    def get(self, text: str) -> QueryVector | None:
        """What was put in for this text, if it is still there."""
        key = _digest(text)
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
            return self._vectors.get(key)

    def put(self, text: str, vector: QueryVector) -> None:
        """Remember a vector; the one unused for longest makes room."""
        with self._lock:
            self._vectors[_digest(text)] = vector
            if len(self._vectors) > self._most:
                self._vectors.popitem(last=False)


def is_at_hand(embedder: Embedder) -> bool:
    """Whether a query takes it no longer than some computing here; one that does not say is waited for."""
    return bool(getattr(embedder, "is_at_hand", False))


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class QueryEmbedding:
    """Embeds queries on threads of its own, at most `most_at_once`, and gives each `seconds`.

    A service that hangs costs one caller its limit; the next ones are answered at once until a trial
    succeeds (`Breaker`). An answer that comes too late is kept for the next query of the same words.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        *,
        seconds: float,
        breaker: Breaker | None = None,
        most_at_once: int = MOST_AT_ONCE,
        recent: RecentVectors | None = None,
    ) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self._breaker = breaker or Breaker()
        self._slots = threading.BoundedSemaphore(most_at_once)
        self._recent = recent or RecentVectors()

    def vector(self, text: str) -> QueryVector:
        """The query's vector, or why there is none; never raises for a service that fails.

        Raises RuntimeError inside a database transaction.
        """
        return self.begin(text)()

    def begin(self, text: str) -> Callable[[], QueryVector]:
        """Have the vector made while the caller does something else; what is given waits for it.

        The time limit runs from here on. An embedder at hand computes short queries when they are waited for.
        """
        refuse_inside_transaction()
        if self._embedder is None:
            return partial(QueryVector, None, reason="none")
        if not text.strip():
            return partial(QueryVector, None, reason="blank")
        known = self._recent.get(text)
        if known:
            return lambda: known
        if is_at_hand(self._embedder) and len(text) <= SHORT_QUERY_CHARACTERS:
            return partial(self._computed, self._embedder, text)
        return self._asked(self._embedder, text)

    def warm_up(self) -> None:
        """Have the embedder loaded before the first query needs it; returns at once."""
        if self._embedder is not None and self._slots.acquire(blocking=False):
            self._start(self._embedder, "-")

    def _asked(self, embedder: Embedder, text: str) -> Callable[[], QueryVector]:
        if not self._slots.acquire(blocking=False):
            return partial(QueryVector, None, reason="busy")
        if not self._breaker.admits():
            self._slots.release()
            return partial(QueryVector, None, reason=f"resting after {self._breaker.reason}")
        ends = time.monotonic() + self._seconds
        return partial(self._awaited, self._start(embedder, text), ends)

    def _computed(self, embedder: Embedder, text: str) -> QueryVector:
        """On the caller's thread: another one would only compete with it for the interpreter."""
        try:
            return self._embedded(embedder, text)
        except EmbeddingError as error:
            return self._failure(error.kind)

    def _awaited(self, pending: Future[QueryVector], ends: float) -> QueryVector:
        try:
            answer = pending.result(timeout=max(0.0, ends - time.monotonic()))
        except TimeoutError:
            return self._failure("timeout")
        except EmbeddingError as error:
            return self._failure(error.kind)
        except Exception as error:
            self._failure(type(error).__name__)
            raise
        self._breaker.succeeded()
        return answer

    def _failure(self, reason: str) -> QueryVector:
        self._breaker.failed(reason)
        logger.warning("no query vector: %s", reason)
        return QueryVector(None, reason=reason)

    def _start(self, embedder: Embedder, text: str) -> Future[QueryVector]:
        """Embed on a thread that holds a slot to its end, and that no exit of the process waits for."""
        future: Future[QueryVector] = Future()

        def run() -> None:
            try:
                answer = self._embedded(embedder, text)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(answer)
            finally:
                self._slots.release()

        try:
            threading.Thread(target=run, name="query-embedding", daemon=True).start()
        except RuntimeError:
            self._slots.release()
            raise
        return future

    def _embedded(self, embedder: Embedder, text: str) -> QueryVector:
        vector = embedder.embed_query(text, timeout_seconds=self._seconds)
        vector.setflags(write=False)
        answer = QueryVector(vector, embedder.space)
        self._recent.put(text, answer)
        return answer
