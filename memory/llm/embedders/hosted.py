"""Any embedder over a network: batches, tries again, makes texts fit. One request is the provider's part.

Errors of the wire, which are those of the models, leave this file as EmbeddingErrors.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from memory.llm.abilities import is_context_overflow
from memory.llm.embedders.protocol import (
    MOST_DIMENSIONS,
    EmbeddingError,
    PermanentEmbeddingError,
    TransientEmbeddingError,
)
from memory.llm.embedders.texts import fit_text
from memory.llm.guard import refuse_inside_transaction
from memory.llm.pacing import Deadline, Pace
from memory.llm.protocol import ModelError, TransientModelError
from memory.llm.wire import StatusError

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors

# A character of Chinese may be more than one token, and the usual limit is 8,191 tokens.
LONGEST_TEXT_CHARACTERS = 6_000
SHORTEST_CUT_CHARACTERS = 200
TEXTS_PER_REQUEST = 64
CHARACTERS_PER_REQUEST = 150_000
TEXT_TO_MEASURE = "How long is a vector?"

STATUSES_OF_A_REFUSAL = frozenset({400, 404, 413, 422, 500})
TOO_MUCH_WORDS = re.compile(
    r"batch.?size|too (large|long|many)|maximum (input|request|batch)|less than \d+ tokens|physical batch",
    re.I,
)
DIMENSIONS_WORDS = re.compile(r"dimensions|matryoshka", re.I)


class _TooMuchError(Exception):
    """The endpoint takes fewer or shorter texts at once."""

    def __init__(self, failure: StatusError) -> None:
        super().__init__(failure.kind)
        self.failure = failure


class Once(Protocol):
    """Asks once for unit vectors of some texts, in their order; 0 dimensions takes what the model gives.

    Raises StatusError for an error status, other ModelErrors for the rest; never outlasts its deadline.
    """

    def __call__(self, texts: list[str], dimensions: int, deadline: Deadline) -> Vectors: ...


class HostedEmbedder:
    """Embeds through one provider. What it does not bear is found out once for the process.

    With `dimensions` set, that many are asked for, and a model that gives others is a permanent error;
    without, the first answer tells. Prefixes are the words some models want before what is stored and what
    is asked (`passage: `, `query: `); the first of them is part of the space.
    """

    def __init__(
        self,
        once: Once,
        *,
        provider: str,
        model: str,
        dimensions: int = 0,
        asks_for_dimensions: bool = True,
        text_prefix: str = "",
        query_prefix: str = "",
        timeout_seconds: float = 30.0,
        pace: Pace | None = None,
    ) -> None:
        self._once = once
        self._provider = provider
        self._model = model
        self._dimensions = dimensions
        self._sends_dimensions = asks_for_dimensions and bool(dimensions)
        self._text_prefix = text_prefix
        self._query_prefix = query_prefix
        self._timeout_seconds = timeout_seconds
        self._pace = pace or Pace()
        self._measure_lock = threading.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r})"

    @property
    def space(self) -> str:
        """Without the address: the same model elsewhere gives the same vectors."""
        prefix = hashlib.sha256(self._text_prefix.encode()).hexdigest()[:8] if self._text_prefix else ""
        mark = f"+{prefix}" if prefix else ""
        return f"{self._provider}:{self._model}{mark}/{self.dimensions}"

    @property
    def dimensions(self) -> int:
        """As set, else as the first answer had them; asks for one vector when there was none yet.

        Raises RuntimeError when it would have to ask inside a database transaction.
        """
        with self._measure_lock:
            if not self._dimensions:
                refuse_inside_transaction()
                self._batch([TEXT_TO_MEASURE], self._pace, self._timeout_seconds)
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Batch after batch; each has the whole time limit for itself, its parts and their tries."""
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        fitted = [self._text_prefix + fit_text(text, LONGEST_TEXT_CHARACTERS) for text in texts]
        return np.concatenate(
            [self._batch(batch, self._pace, self._timeout_seconds) for batch in _batches(fitted)]
        )

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Vectors:
        """One request; recall does without its answer sooner than it waits for a second."""
        fitted = self._query_prefix + fit_text(text, LONGEST_TEXT_CHARACTERS)
        limit = self._timeout_seconds if timeout_seconds is None else timeout_seconds
        vector: Vectors = self._batch([fitted], Pace(tries=1), limit)[0]
        return vector

    def _batch(self, texts: list[str], pace: Pace, seconds: float) -> Vectors:
        """Vectors of the dimensions known. Raises EmbeddingError, with nothing of the request chained."""
        try:
            return self._checked(self._fitted(texts, pace, Deadline(seconds)))
        except ModelError as error:
            failure = _translated(error)
        raise failure

    def _fitted(self, texts: list[str], pace: Pace, deadline: Deadline) -> Vectors:
        """Vectors of texts that may be too many or too long: halves of the batch, then of the text."""
        import numpy as np

        try:
            return self._tried(texts, pace, deadline)
        except _TooMuchError as refusal:
            failure = refusal.failure
        middle = len(texts) // 2
        if middle:
            halves = (texts[:middle], texts[middle:])
            return np.concatenate([self._fitted(half, pace, deadline) for half in halves])
        length = len(texts[0]) // 2
        if length < SHORTEST_CUT_CHARACTERS:
            raise failure.translated()
        return self._fitted([fit_text(texts[0], length)], pace, deadline)

    def _tried(self, texts: list[str], pace: Pace, deadline: Deadline) -> Vectors:
        """One request's vectors, after as many tries as the pace allows."""
        tries = 0
        while True:
            tries += 1
            try:
                return self._asked(texts, deadline)
            except TransientModelError as error:
                pause = pace.pause_seconds(tries, error.retry_after_seconds)
                if pause is None or pause >= deadline.remaining_seconds:
                    raise
            pace.sleep(pause)

    def _asked(self, texts: list[str], deadline: Deadline) -> Vectors:
        """One request, or a second one without the dimensions when the endpoint cannot choose them."""
        if deadline.is_over:
            raise TransientModelError("timeout", "No time was left for another request.")
        is_choosing = self._sends_dimensions
        try:
            return self._once(texts, self._dimensions if is_choosing else 0, deadline)
        except StatusError as failure:
            if _is_too_much(failure):
                raise _TooMuchError(failure) from None
            if not is_choosing or not _is_about_dimensions(failure):
                raise failure.translated() from None
        self._sends_dimensions = False
        return self._asked(texts, deadline)

    def _checked(self, vectors: Vectors) -> Vectors:
        """The vectors, if they have the dimensions that are set or that the first answer had."""
        found = int(vectors.shape[1])
        wanted = self._dimensions or found
        if found == wanted <= MOST_DIMENSIONS:
            self._dimensions = found
            return vectors
        message = f"The model gives {found} dimensions, "
        message += f"{wanted} are expected." if found != wanted else f"an index takes {MOST_DIMENSIONS}."
        raise PermanentEmbeddingError("dimensions", f"{message} Set MEMSEEK_EMBEDDING_DIMENSIONS.")


class AsyncEmbedder:
    """The seam's face (`seams.TextEmbedder`) of an embedder that waits for a network."""

    def __init__(self, embedder: HostedEmbedder, name: str) -> None:
        self._embedder = embedder
        self.name = name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def dimensions(self) -> int:
        """Length of every vector; a model whose dimensions were not given is asked once."""
        return self._embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of length one for each text, in their order. Raises an EmbeddingError."""
        vectors = await asyncio.to_thread(self._embedder.embed, texts)
        rows: list[list[float]] = vectors.tolist()
        return rows


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """The texts in order, cut by number and by size."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == TEXTS_PER_REQUEST or size + len(text) > CHARACTERS_PER_REQUEST):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    yield batch


def _is_too_much(failure: StatusError) -> bool:
    if failure.status == 413 or is_context_overflow(failure.status, failure.raw):
        return True
    return failure.status in STATUSES_OF_A_REFUSAL and bool(TOO_MUCH_WORDS.search(failure.raw))


def _is_about_dimensions(failure: StatusError) -> bool:
    return failure.status in STATUSES_OF_A_REFUSAL and bool(DIMENSIONS_WORDS.search(failure.raw))


def _translated(error: ModelError) -> EmbeddingError:
    """The same failure for callers that know nothing of models; what the endpoint wrote is left out."""
    error = error.translated() if isinstance(error, StatusError) else error
    kind = TransientEmbeddingError if isinstance(error, TransientModelError) else PermanentEmbeddingError
    return kind(error.kind, error.message, error.retry_after_seconds)
