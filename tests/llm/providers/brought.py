"""Models and embedders as somebody might bring them, named by dotted paths in the tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from benchmarks.answers import answer_to
from memory.llm.protocol import ModelReply, ModelRequest
from tests.stub_provider.replies import word_counts


class Thinking:
    """Answers the cascade's prompts, `async`, with a text."""

    name = "thinking@1"

    async def generate(self, prompt: str, *, response_model: type[BaseModel]) -> str:
        return json.dumps(answer_to({"messages": [{"content": prompt}]}))


class Blocking:
    """The same with an instance of the asked class, without `async` and without a name."""

    def generate(self, prompt: str, *, response_model: type[BaseModel]) -> BaseModel:
        return response_model.model_validate(answer_to({"messages": [{"content": prompt}]}))


class Whole:
    """A model by the engine's own protocol."""

    name = "whole@1"

    def answer(self, request: ModelRequest) -> ModelReply:
        return ModelReply(
            text=json.dumps(answer_to({"messages": [{"content": request.user}]})), model=self.name
        )


class Counting:
    """Vectors that count words, `async`, of any length."""

    name = "counting@1"
    dimensions = 8

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [word_counts(text, self.dimensions) for text in texts]


class Unnamed:
    """Has `answer`, but not what the protocol wants beside it."""

    def answer(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError


class Boundless:
    """An embedder that does not say how long its vectors are."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return []


class Broken:
    """Cannot be made."""

    def __init__(self) -> None:
        raise KeyError("MY_KEY")


thinking = Thinking()
nothing = object()


def make_thinking() -> Thinking:
    """A function that gives the model."""
    return Thinking()


def needs_words(words: str) -> Any:
    """Takes an argument, which nobody gives."""
    return words
