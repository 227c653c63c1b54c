"""One provider after the other behind the same questions, each over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from memory.llm import openai_wire
from memory.llm.chained import ChainedModel
from memory.llm.pacing import Pace
from memory.llm.providers import anthropic, ollama_wire
from memory.llm.providers.anthropic import AnthropicModel
from memory.llm.providers.ollama import OllamaModel
from memory.llm.providers.openai import OpenAIModel
from tests.llm.conftest import KEY
from tests.stub_provider import Reply, StubProvider
from tests.stub_provider.dialects import (
    AnthropicStub,
    OllamaStub,
    as_text,
    chat,
    chat_error,
    message,
    message_error,
)


@dataclass(frozen=True)
class Dialect:
    """One protocol: its server, its model and how its answers are written."""

    name: str
    stub: type[StubProvider]
    model: Callable[..., ChainedModel]
    text: Callable[..., Reply]
    cut_off: Callable[[str], Reply]
    without_usage: Callable[[str], Reply]
    error: Callable[..., Reply]

    def json(self, answer: Any) -> Reply:
        """A good answer."""
        return self.text(as_text(answer))


DIALECTS = (
    Dialect(
        "openai",
        StubProvider,
        OpenAIModel,
        text=Reply.text,
        cut_off=lambda text: Reply.text(text, finish_reason="length"),
        without_usage=lambda text: Reply.text(text, usage=None),
        error=Reply.status,
    ),
    Dialect(
        "anthropic",
        AnthropicStub,
        AnthropicModel,
        text=message,
        cut_off=lambda text: message(text, stop_reason="max_tokens"),
        without_usage=lambda text: message(text, usage=None),
        error=message_error,
    ),
    Dialect(
        "ollama",
        OllamaStub,
        OllamaModel,
        text=chat,
        cut_off=lambda text: chat(text, done_reason="length"),
        without_usage=lambda text: chat(text, counts=None),
        error=chat_error,
    ),
)

Start = Callable[..., StubProvider]
Make = Callable[..., ChainedModel]


@pytest.fixture(params=DIALECTS, ids=lambda dialect: dialect.name)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    chosen: Dialect = request.param
    return chosen


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts stubs that end with the test, and every connection with them."""
    with ExitStack() as stack:

        def begin(kind: type[StubProvider], *arguments: Any, **options: Any) -> StubProvider:
            return stack.enter_context(kind(*arguments, **options))

        yield begin
        for module in (openai_wire, anthropic, ollama_wire):
            module.close_clients()


@pytest.fixture
def pauses() -> list[float]:
    """The waits that a model wanted between tries; none of them is waited for."""
    return []


@pytest.fixture
def pace(pauses: list[float]) -> Pace:
    return Pace(jitter=lambda: 1.0, sleep=pauses.append)


@pytest.fixture
def at(dialect: Dialect, pace: Pace) -> Make:
    """Makes the dialect's model at a stub."""

    def make(stub: StubProvider, **options: Any) -> ChainedModel:
        return dialect.model("stub-large", base_url=stub.base_url, api_key=KEY, **{"pace": pace, **options})

    return make
