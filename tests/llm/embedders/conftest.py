"""Embedders that talk to the stub over real HTTP, and embedders of which a test holds the reins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pydantic import SecretStr

from memory.llm.embedders.openai_compatible import OpenAICompatibleEmbedder
from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Pace
from tests.llm.conftest import KEY
from tests.stub_provider import StubProvider, word_counts

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors

Embed = Callable[..., OpenAICompatibleEmbedder]


@pytest.fixture
def pauses() -> list[float]:
    """The waits that an embedder wanted; none of them is waited for."""
    return []


@pytest.fixture
def at(pauses: list[float]) -> Embed:
    """Makes an embedder that asks a stub."""

    def make(stub: StubProvider, **options: Any) -> OpenAICompatibleEmbedder:
        endpoint = Endpoint("stub-small", stub.base_url, SecretStr(KEY))
        pace = Pace(jitter=lambda: 1.0, sleep=pauses.append)
        return OpenAICompatibleEmbedder(endpoint, **{"pace": pace, "timeout_seconds": 10.0, **options})

    return make


def expected(texts: Sequence[str], dimensions: int = 8) -> Vectors:
    """What the stub's vectors are at length one."""
    rows = np.array([word_counts(text, dimensions) for text in texts], dtype=np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


@dataclass
class HeldEmbedder:
    """Answers when `gate` is open, with an error while one is set."""

    gate: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    space: str = "held/2"
    dimensions: int = 2
    is_at_hand: bool = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str, *, timeout_seconds: float | None = None) -> Vectors:
        self.asked.append(text)
        self.threads.append(threading.current_thread().name)
        assert self.gate.wait(20)
        if self.error is not None:
            raise self.error
        return np.array([0.6, 0.8], dtype=np.float32)


@pytest.fixture
def held() -> Iterator[HeldEmbedder]:
    """An embedder whose gate is open until a test closes it, and again at the test's end."""
    embedder = HeldEmbedder()
    embedder.gate.set()
    yield embedder
    embedder.gate.set()
