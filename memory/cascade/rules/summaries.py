"""The summary of a scene: made or checked by code, for navigation only."""

from __future__ import annotations

from collections.abc import Sequence

LEAST_WORDS = 8
MOST_WORDS = 40
MOST_CHARACTERS = 400


def summary_of(given: str, lines: Sequence[str]) -> str:
    """The given summary cut to forty words, or, where there is none worth the name, one from the lines."""
    words = given.split()
    if len(words) < LEAST_WORDS:
        words = " ".join(lines).split()
    text = " ".join(words[:MOST_WORDS])
    if len(words) > MOST_WORDS:
        text = f"{text.rstrip(',;:.')} …"
    # Scripts without spaces have no words to count; the limit in characters holds for them.
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
