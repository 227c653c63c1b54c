"""What of a long message is shown: the passage that speaks most of what is asked."""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST_CHARACTERS = 900
_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s+|\n+")
_WORD_END = re.compile(r"\s+")


def excerpt(text: str, weigh: Callable[[str], float], *, longest: int = LONGEST_CHARACTERS) -> str:
    """A text that is not longer than the limit as it is; of a longer one the best run of sentences.

    `weigh` says how much a sentence counts. An ellipsis stands where something was cut.
    """
    if len(text) <= longest:
        return text
    pieces = [part for sentence in _SENTENCE_END.split(text) for part in _pieces(sentence, longest // 2)]
    weights = [weigh(piece) for piece in pieces]
    start, end = _best_run(pieces, weights, longest)
    before = "… " if start else ""
    after = " …" if end < len(pieces) else ""
    return f"{before}{' '.join(pieces[start:end])}{after}"


def _pieces(sentence: str, longest: int) -> list[str]:
    """A sentence, or parts of one that is too long to be shown with a neighbour."""
    pieces: list[str] = []
    while len(sentence) > longest:
        at = max((space.start() for space in _WORD_END.finditer(sentence[:longest])), default=0) or longest
        pieces.append(sentence[:at].strip())
        sentence = sentence[at:].strip()
    return [piece for piece in (*pieces, sentence) if piece]


def _best_run(pieces: list[str], weights: list[float], longest: int) -> tuple[int, int]:
    """The heaviest run of neighbours within the limit; the first one of equals."""
    best, best_weight = (0, 1), float("-inf")
    end = 0
    length, weight = 0, 0.0
    for start, piece in enumerate(pieces):
        while end < len(pieces) and length + len(pieces[end]) + 1 <= longest:
            length += len(pieces[end]) + 1
            weight += weights[end]
            end += 1
        if weight > best_weight:
            best, best_weight = (start, end), weight
        length -= len(piece) + 1
        weight -= weights[start]
    return best
