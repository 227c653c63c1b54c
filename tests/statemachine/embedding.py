"""An embedder for the machine: it remembers what it was shown, and something may happen while it works."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memory.models import Entity, UnitVector
from tests.indexing.embedders import ScriptedEmbedder

CLOSE = 0.01
"""Numbers are stored with half the precision: so far they may lie from what was computed."""


class RememberingEmbedder:
    """The same vector for the same text; `shown` are all the texts."""

    def __init__(self) -> None:
        self._scripted = ScriptedEmbedder("scripted", 8)
        self._meanwhile: Callable[[], object] | None = None
        self.space = self._scripted.space
        self.dimensions = self._scripted.dimensions
        self.shown: set[str] = set()

    def embed(self, texts: Sequence[str]) -> Any:
        self.shown.update(texts)
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return self._scripted.embed(texts)

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Any:
        return self._scripted.embed_query(text, timeout_seconds=timeout_seconds)

    def interrupt(self, meanwhile: Callable[[], object]) -> None:
        """Have something happen while the next texts are embedded."""
        self._meanwhile = meanwhile

    def is_of(self, row: UnitVector, text: str) -> bool:
        """Whether a stored vector is that of a text."""
        return bool(np.allclose(row.embedding, self.embed_query(text), atol=CLOSE))

    def kept_of(self, entity: Entity, words: set[str]) -> set[str]:
        """Those of some words that a text holds whose vector is stored."""
        texts = {word: [text for text in self.shown if word in text.casefold()] for word in words}
        if not any(texts.values()):
            return set()
        rows = list(UnitVector.objects.filter(entity=entity))
        return {word for word in words if any(self.is_of(row, text) for text in texts[word] for row in rows)}
