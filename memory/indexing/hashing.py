"""Terms as numbers: salted with the entity's secret, so that an index gives no words away."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

_ENTITIES_KEPT = 16
_TERMS_KEPT = 8_192
_DIGEST_BYTES = 8


def term_hash(salt: bytes, term: str) -> int:
    """The signed 64-bit number of a term in an entity's index; the salt has 1 to 64 bytes.

    Keyed BLAKE2b: without the salt nobody can try words against the numbers, and the same word has
    another number in another entity. Raises ValueError for a salt of no or too many bytes.
    """
    return _hasher(salt)(term)


@lru_cache(maxsize=_ENTITIES_KEPT)
def _hasher(salt: bytes) -> Callable[[str], int]:
    if not salt:
        raise ValueError("a term is never hashed without a salt")
    keyed = blake2b(key=salt, digest_size=_DIGEST_BYTES)

    @lru_cache(maxsize=_TERMS_KEPT)
    def hashed(term: str) -> int:
        state = keyed.copy()
        state.update(term.encode("utf-8", "surrogatepass"))
        return int.from_bytes(state.digest(), "big", signed=True)

    return hashed
