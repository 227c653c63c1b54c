"""Any embedding model behind an OpenAI-compatible address: batches, tries again, makes texts fit.

The wire is that of the models. Its errors leave this file as EmbeddingErrors.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from memory.llm.abilities import is_context_overflow
from memory.llm.embedders.protocol import (
    MOST_DIMENSIONS,
    EmbeddingError,
    PermanentEmbeddingError,
    TransientEmbeddingError,
)
from memory.llm.embedders.texts import fit_text
from memory.llm.embedders.wire import embeddings
from memory.llm.endpoints import Endpoint
from memory.llm.guard import refuse_inside_transaction
from memory.llm.openai_wire import StatusError
from memory.llm.pacing import Deadline, Pace, Slots
from memory.llm.protocol import ModelError, TransientModelError

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors
    from memseek_site.product import EmbeddingSettings

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

_slots = Slots()


def openai_compatible_embedder(settings: EmbeddingSettings) -> OpenAICompatibleEmbedder:
    """The embedder that the settings describe."""
    return OpenAICompatibleEmbedder(
        Endpoint(settings.model, settings.base_url, SecretStr(settings.api_key)),
        dimensions=settings.dimensions,
        text_prefix=settings.text_prefix,
        query_prefix=settings.query_prefix,
        timeout_seconds=settings.timeout_seconds,
    )


class _TooMuchError(Exception):
    """The endpoint takes fewer or shorter texts at once."""

    def __init__(self, failure: StatusError) -> None:
        super().__init__(failure.kind)
        self.failure = failure


class OpenAICompatibleEmbedder:
    """Embeds through one endpoint. What the endpoint does not bear is found out once for the process.

    With `dimensions` set, that many are asked for, and a model that gives others is a permanent error;
    without, the first answer tells. Prefixes are the words some models want before what is stored and what
    is asked (`passage: `, `query: `); the first of them is part of the space.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        dimensions: int = 0,
        text_prefix: str = "",
        query_prefix: str = "",
        timeout_seconds: float = 30.0,
        pace: Pace | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._dimensions = dimensions
        self._sends_dimensions = bool(dimensions)
        self._text_prefix = text_prefix
        self._query_prefix = query_prefix
        self._timeout_seconds = timeout_seconds
        self._pace = pace or Pace()
        self._measure_lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAICompatibleEmbedder({self._endpoint.model!r})"

    @property
    def space(self) -> str:
        """Without the address: the same model elsewhere gives the same vectors."""
        prefix = hashlib.sha256(self._text_prefix.encode()).hexdigest()[:8] if self._text_prefix else ""
        mark = f"+{prefix}" if prefix else ""
        return f"openai_compatible:{self._endpoint.model}{mark}/{self.dimensions}"

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
        body: dict[str, Any] = {"model": self._endpoint.model, "input": texts}
        if is_choosing:
            body["dimensions"] = self._dimensions
        try:
            with _slots.taken(self._endpoint.base_url, self._endpoint.concurrency, deadline):
                return embeddings(self._endpoint, body, deadline)
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
