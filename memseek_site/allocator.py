"""How the C library hands out memory to this process."""

from __future__ import annotations

import ctypes

M_ARENA_MAX = -8
"""glibc's number of the option (malloc.h)."""
ARENAS = 2


def limit_arenas() -> None:
    """Have threads share two arenas, before the first thread begins.

    By default there are eight times as many as processors, and each keeps what its threads have freed: 6 MB
    of a web process, which computes on one thread at a time anyway. Nothing happens where the C library has
    no such option.
    """
    try:
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
    except (AttributeError, OSError, TypeError):
        return
