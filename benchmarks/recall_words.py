"""Made-up texts with the frequencies of real ones, Zipf-distributed and seeded, and their real vectors.

The words are those of the tokeniser's vocabulary, most common first. Vectors are not made up, for how well an
index finds neighbours depends on how the vectors of a model lie; only beyond a number of texts they may be
drawn around those of the first ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VOCABULARY = 30_000
SHORTEST_WORD = 4
ZIPF_EXPONENT = 1.07
ZIPF_OFFSET = 2.7
DRAWN_DISTANCE = 0.5
"""Length of what is added to a vector that another one is drawn around: the two have a cosine of 0.89."""


class Words:
    """A source of texts; the same seed gives the same ones. `embedded`: so many get vectors of their own."""

    def __init__(self, seed: int, *, embedded: int | None = None) -> None:
        import numpy as np

        self._embedded_most = embedded
        self._embedded: list[NDArray[np.float32]] = []

        self._random = np.random.default_rng(seed)
        ranks = np.arange(len(self.vocabulary))
        chances = 1.0 / (ranks + ZIPF_OFFSET) ** ZIPF_EXPONENT
        self._edges = np.cumsum(chances / chances.sum())

    @cached_property
    def vocabulary(self) -> list[str]:
        """Words in lower case, most common first."""
        from memory.recall.tokens import tokens_by_rank

        found = (token[1:] for token in tokens_by_rank() if token[:1] == b" ")
        words = [
            word.decode()
            for word in found
            if word.isascii() and word.isalpha() and word.islower() and len(word) >= SHORTEST_WORD
        ]
        return words[:VOCABULARY]

    def numbers(self, texts: int, *, least: int, most: int) -> list[NDArray[np.int64]]:
        """Texts as numbers of words, each of `least` to `most` words."""
        import numpy as np

        lengths = self._random.integers(least, most + 1, texts)
        drawn = np.searchsorted(self._edges, self._random.random(int(lengths.sum())))
        drawn = np.minimum(drawn, len(self.vocabulary) - 1)
        return np.split(drawn, np.cumsum(lengths)[:-1])

    def written(self, numbers: Sequence[int] | NDArray[np.int64]) -> str:
        """A text in words."""
        return " ".join(self.vocabulary[number] for number in numbers)

    def query(self, text: Sequence[int] | NDArray[np.int64]) -> str:
        """A question of three words of a text, and three of any."""
        own = self._random.choice(text, size=min(3, len(text)), replace=False)
        others = self.numbers(1, least=3, most=3)[0]
        return f"what about {self.written(own)} and {self.written(others)}?"

    def vectors(self, texts: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
        """A row of length one for each text: by the embedder in use, later ones drawn around earlier ones."""
        import numpy as np

        known = sum(len(rows) for rows in self._embedded)
        most = self._embedded_most
        left = len(texts) if most is None else min(len(texts), max(0, most - known))
        rows = [_embedded([self.written(text) for text in texts[:left]])] if left else []
        if most is not None:
            self._embedded += rows
        if left < len(texts):
            rows.append(self._drawn(len(texts) - left))
        return np.concatenate(rows)

    def _drawn(self, count: int) -> NDArray[np.float32]:
        import numpy as np

        known = np.concatenate(self._embedded)
        centres = known[self._random.integers(0, len(known), count)]
        noise = self._random.standard_normal(centres.shape, dtype=np.float32)
        near = centres + noise * (DRAWN_DISTANCE / np.sqrt(centres.shape[1]))
        rows: NDArray[np.float32] = near / np.linalg.norm(near, axis=1, keepdims=True)
        return rows


def _embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    from memory.llm.embedders.registry import configured_embedder

    embedder = configured_embedder()
    if embedder is None:
        raise SystemExit("This benchmark needs the local embedder (the extra `embeddings`).")
    return embedder.embed(texts)


class Terms:
    """The hashed terms of texts in one entity's index, each word analysed once."""

    def __init__(self, entity_id: Any, words: Words) -> None:
        self._entity_id = entity_id
        self._words = words
        self._known: dict[int, tuple[dict[int, int], int]] = {}

    def of_word(self, number: int) -> tuple[dict[int, int], int]:
        """A word's terms with their frequencies, and its length."""
        if number not in self._known:
            self._known[number] = self.of_text(self._words.vocabulary[number])
        return self._known[number]

    def of_text(self, text: str) -> tuple[dict[int, int], int]:
        """The same for any text, as the index step makes them."""
        from memory.indexing.analyser import analyse, length_of
        from memory.indexing.units import hashed_terms

        found = analyse(text, languages=("en",))
        return hashed_terms(self._entity_id, found), length_of(found)

    def of_words(self, *texts: Sequence[int] | NDArray[np.int64]) -> tuple[Counter[int], int]:
        """Of texts that stand together in one unit."""
        terms: Counter[int] = Counter()
        length = 0
        for text in texts:
            for number in text:
                found, own = self.of_word(int(number))
                terms.update(found)
                length += own
        return terms, length
