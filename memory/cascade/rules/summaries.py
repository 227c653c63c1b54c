"""The summary of a scene: made or checked by code, for navigation only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

LEAST_WORDS = 8
FEWEST_WORDS = 30
"""Below this a summary takes a part of one more line, where there is one."""
MOST_WORDS = 40
MOST_CHARACTERS = 400

_WORD = re.compile(r"[^\W\d_]{4,}")


def summary_of(given: str, lines: Sequence[str]) -> str:
    """The given summary cut to forty words, or, where there is none worth the name, one from the lines."""
    words = given.split()
    text = _cut(words) if len(words) >= LEAST_WORDS else _telling(lines)
    # Scripts without spaces have no words to count; the limit in characters holds for them.
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _telling(lines: Sequence[str]) -> str:
    """The lines that say most of what the scene is about, whole and in their order, thirty to forty words.

    A line tells by its words of four letters and more, each worth the number of lines that hold it, averaged
    over the line with a few words for free, so that short asides do not win.
    """
    lines = list(dict.fromkeys(line for line in lines if line.strip()))
    weights = Counter(word for line in lines for word in _words_of(line))
    ranked = sorted(range(len(lines)), key=lambda place: (-_worth(lines[place], weights), place))
    chosen: list[int] = []
    room = MOST_WORDS
    for place in ranked:
        if len(lines[place].split()) <= room:
            chosen.append(place)
            room -= len(lines[place].split())
    rest = [place for place in ranked if place not in chosen]
    parts = [lines[place] for place in sorted(chosen)]
    if rest and room > MOST_WORDS - FEWEST_WORDS:
        parts.append(f"{' '.join(lines[rest[0]].split()[:room]).rstrip(',;:.')} …")
    return " ".join(parts)


def _worth(line: str, weights: Counter[str]) -> float:
    words = _words_of(line)
    return sum(weights[word] - 1 for word in words) / (len(words) + 3)


def _words_of(line: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(line))


def _cut(words: Sequence[str]) -> str:
    text = " ".join(words[:MOST_WORDS])
    return f"{text.rstrip(',;:.')} …" if len(words) > MOST_WORDS else text
