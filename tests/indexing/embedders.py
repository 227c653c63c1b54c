"""Embedders for tests: the settings' model names the space, and the shape of what comes out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memory.llm.embedders.protocol import TransientEmbeddingError
from memseek_site.product import EmbeddingSettings

SILENT = "silent"
PATH = "tests.indexing.embedders.scripted_embedder"


@dataclass(frozen=True)
class ScriptedEmbedder:
    """One vector for each text, the same whenever the text is; the model called `silent` never answers."""

    model: str
    dimensions: int

    @property
    def space(self) -> str:
        return f"{self.model}/{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Any:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Any:
        if self.model == SILENT:
            raise TransientEmbeddingError("timeout", "no answer within 1 s")
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return vector / np.linalg.norm(vector)


def scripted_embedder(settings: EmbeddingSettings) -> ScriptedEmbedder:
    """As the registry makes embedders."""
    return ScriptedEmbedder(settings.model, settings.dimensions)
