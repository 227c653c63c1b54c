"""Making any text fit for an embedder."""

from __future__ import annotations

import re
import unicodedata

# A cut may lose so much of the room for the sake of a whole sentence or word.
EARLIEST_CUT = 3 / 4
BOUNDARIES = (
    re.compile(r"\n\s*\n|[.!?…؟۔。！？]+(?=\s|$)|[。！？]"),
    re.compile(r"\s+"),
)
# Endpoints refuse an empty input, and one of them would fail a whole batch.
INSTEAD_OF_BLANK = "-"


def fit_text(text: str, longest_characters: int) -> str:
    """The beginning of a text, encodable, never blank, at most `longest_characters` long.

    A longer text ends after its last whole sentence, else its last word, else anywhere between letters;
    a query may hold lone surrogates and U+0000, which no encoder and few servers take.
    """
    beginning = _shortened(text.lstrip(), longest_characters)
    clean = beginning.replace("\x00", " ").encode("utf-8", "replace").decode()
    return clean if clean.strip() else INSTEAD_OF_BLANK


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    # One more character shows whether a word or sentence ends exactly at the limit.
    window = text[: longest + 1]
    for boundary in BOUNDARIES:
        ends = [found.end() for found in boundary.finditer(window, int(longest * EARLIEST_CUT))]
        fitting = [end for end in ends if end <= longest]
        if fitting:
            return window[: fitting[-1]].rstrip()
    return text[: _between_letters(text, longest)]


def _between_letters(text: str, end: int) -> int:
    """The nearest place at or before `end` that does not part a mark from its letter."""
    earliest = int(end * EARLIEST_CUT)
    for place in range(end, earliest, -1):
        if not unicodedata.combining(text[place]):
            return place
    return end
