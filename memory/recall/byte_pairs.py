"""Byte pair encoding with a vocabulary that is kept small: how many tokens a piece of text becomes.

Of a vocabulary only the hashes and ranks of its tokens are kept, three megabytes for 200,000 of them, where
tables of the tokens themselves take 45 and more. How many tokens a piece becomes is all that is asked here.

Hashes have 64 bits: that one of 10^9 processes takes two tokens for one, or one of 10^14 answers is wrong,
costs a token in some count.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

_GONE = -1


class Vocabulary:
    """The ranks of byte strings, the most common first."""

    def __init__(self, tokens: Iterable[bytes]) -> None:
        """Keep the ranks of the tokens, which come most common first; every single byte has to be one."""
        hashes, longest = array("q"), 0
        for token in tokens:
            hashes.append(hash(token))
            longest = max(longest, len(token))
        order = sorted(range(len(hashes)), key=hashes.__getitem__)
        self._hashes = array("q", map(hashes.__getitem__, order))
        self._ranks = array("l", order)
        self._longest = longest

    def rank(self, token: bytes) -> int | None:
        """The rank of a token; None for what is none."""
        if len(token) > self._longest:
            return None
        wanted = hash(token)
        place = bisect_left(self._hashes, wanted)
        if place == len(self._hashes) or self._hashes[place] != wanted:
            return None
        return self._ranks[place]

    def count(self, piece: bytes) -> int:
        """The tokens of a piece that no token reaches across."""
        if not piece or self.rank(piece) is not None:
            return int(bool(piece))
        return self._merged(piece)

    def _merged(self, piece: bytes) -> int:
        """Join the two neighbours whose token has the least rank, the first of several, until none are left.

        Neighbours wait in a heap, so that 65,000 bytes take hardly longer for each than a word does; what has
        been joined otherwise since it was put there is passed over.
        """
        length = count = len(piece)
        following = [*range(1, length + 1)]
        before = [*range(-1, length - 1)]
        waiting = [
            (rank, start, start + 2)
            for start in range(length - 1)
            if (rank := self.rank(piece[start : start + 2])) is not None
        ]
        heapify(waiting)
        while waiting:
            _, start, end = heappop(waiting)
            middle = following[start]
            if middle in (_GONE, length) or following[middle] != end:
                continue
            following[start], following[middle] = end, _GONE
            count -= 1
            if end < length:
                before[end] = start
                self._wait(waiting, piece, start, following[end])
            if (first := before[start]) >= 0:
                self._wait(waiting, piece, first, end)
        return count

    def _wait(self, waiting: list[tuple[int, int, int]], piece: bytes, start: int, end: int) -> None:
        if (rank := self.rank(piece[start:end])) is not None:
            heappush(waiting, (rank, start, end))
