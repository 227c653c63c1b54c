"""The simple methods that recall is compared with: BM25 and vectors over single turns."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memory.indexing.analyser_languages import stems, stop_words

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors

K1 = 1.2
B = 0.75

_WORD = re.compile(r"\w+")

Cut = Callable[[str], list[str]]


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, nothing else done to them."""
    return _WORD.findall(text.lower())


def english_stems(text: str) -> list[str]:
    """The words of a text without English stop words, cut by the Snowball stemmer."""
    common = stop_words(["en"])
    return [stem for word in plain_words(text) if word not in common for stem in stems(word, ["en"], "latin")]


class Bm25:
    """BM25 over some texts (Robertson and Zaragoza, 2009; k1 1.2, b 0.75), with Lucene's rarity."""

    def __init__(self, texts: Sequence[str], cut: Cut) -> None:
        self._cut = cut
        counted = [Counter(cut(text)) for text in texts]
        lengths = [sum(counts.values()) for counts in counted]
        average = max(1.0, sum(lengths) / max(1, len(lengths)))
        self._weights: dict[str, dict[int, float]] = defaultdict(dict)
        for number, counts in enumerate(counted):
            norm = K1 * (1 - B + B * lengths[number] / average)
            for word, count in counts.items():
                self._weights[word][number] = count * (K1 + 1) / (count + norm)
        for postings in self._weights.values():
            rarity = math.log(1 + (len(texts) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number in postings:
                postings[number] *= rarity

    def order(self, query: str) -> list[int]:
        """The numbers of the texts that share a word with the query, the best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in self._cut(query):
            for number, weight in self._weights.get(word, {}).items():
                scores[number] += weight
        return sorted(scores, key=lambda number: (-scores[number], number))


def nearest(vectors: Vectors, query: Vectors) -> list[int]:
    """The numbers of the rows, the nearest to the query first; all are of length one."""
    import numpy as np

    order: list[int] = np.argsort(-(vectors @ query), kind="stable").tolist()
    return order
