"""Arithmetic of vectors, and their form in PostgreSQL's `halfvec`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors

# `halfvec_send` begins with the number of dimensions and an unused field, two bytes each.
SENT_HEADER_BYTES = 4


def unit_rows(rows: Vectors) -> Vectors:
    """The rows at length one. Raises ValueError for a row that has no direction (zeros, not finite)."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
        raise ValueError("A vector has no direction.")
    return np.asarray(rows / lengths, dtype=np.float32)


def halfvec_text(vector: Vectors) -> str:
    """A vector as text that PostgreSQL casts to `halfvec`; five digits tell every half-precision number."""
    return "[" + ",".join([f"{number:.5g}" for number in vector.astype("float16").tolist()]) + "]"


def read_halfvecs(sent: Sequence[bytes | memoryview]) -> Vectors:
    """Rows of a column selected as `halfvec_send(column)`: many times quicker than reading its text.

    Shape (rows, dimensions), float32; all rows have to be of one length.
    """
    import numpy as np

    bodies = [bytes(row)[SENT_HEADER_BYTES:] for row in sent]
    if not bodies:
        return np.empty((0, 0), dtype=np.float32)
    numbers = np.frombuffer(b"".join(bodies), dtype=">f2").astype(np.float32)
    return numbers.reshape(len(bodies), -1)
