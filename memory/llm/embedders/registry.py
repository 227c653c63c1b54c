"""Which embedder turns texts into vectors: chosen by the settings from a table of dotted paths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.module_loading import import_string

from memory.llm.embedders.protocol import Embedder
from memory.llm.embedders.queries import QueryEmbedding, is_at_hand
from memory.llm.guard import refuse_inside_transaction

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors
    from memseek_site.product import EmbeddingSettings

# Each names a callable that takes the settings and gives the embedder; nothing is loaded or asked by it.
PROVIDERS = {
    "local": "memory.llm.embedders.local.local_embedder",
    "openai_compatible": "memory.llm.embedders.openai_compatible.openai_compatible_embedder",
    "ollama": "memory.llm.providers.ollama.ollama_embedder",
}
OWN_PROVIDER = "memory.llm.providers.own.configured_embedder"


def configured_embedder() -> Embedder | None:
    """The process's embedder; None when the settings want no vectors or nothing could make them.

    It refuses to run inside a database transaction.
    """
    return _embedder(settings.MEMSEEK.embedding)


def query_embedding() -> QueryEmbedding:
    """The process's one place for vectors of queries, with its recent ones and its breaker."""
    return _query_embedding(settings.MEMSEEK.embedding)


@lru_cache(maxsize=1)
def _embedder(configured: EmbeddingSettings) -> Embedder | None:
    path = OWN_PROVIDER if configured.is_own else PROVIDERS.get(configured.provider)
    return None if path is None else GuardedEmbedder(import_string(path)(configured))


@lru_cache(maxsize=1)
def _query_embedding(configured: EmbeddingSettings) -> QueryEmbedding:
    return QueryEmbedding(_embedder(configured), seconds=configured.query_seconds)


class GuardedEmbedder:
    """Any embedder, refusing to run inside a database transaction."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __repr__(self) -> str:
        return f"GuardedEmbedder({self._embedder!r})"

    @property
    def space(self) -> str:
        """The inner embedder's; may ask an endpoint."""
        return self._embedder.space

    @property
    def dimensions(self) -> int:
        """The inner embedder's; may ask an endpoint."""
        return self._embedder.dimensions

    @property
    def is_at_hand(self) -> bool:
        """The inner embedder's; one that does not say is waited for."""
        return is_at_hand(self._embedder)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The inner embedder's vectors; RuntimeError inside a transaction."""
        refuse_inside_transaction()
        return self._embedder.embed(texts)

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Vectors:
        """The inner embedder's vector; RuntimeError inside a transaction."""
        refuse_inside_transaction()
        return self._embedder.embed_query(text, timeout_seconds=timeout_seconds)
