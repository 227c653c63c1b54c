"""The stub provider and models that talk to it over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from memory.llm.abilities import AbilityMemory, JsonMode
from memory.llm.endpoints import Endpoint
from memory.llm.openai_compatible import OpenAICompatibleModel
from memory.llm.openai_wire import close_clients
from memory.llm.pacing import Pace
from memory.llm.protocol import ModelRequest
from tests.stub_provider import StubProvider

Serve = Callable[..., StubProvider]
KEY = "sk-test-Zq8Lw3Nv5Rt7Yb1Mx9"


class Note(BaseModel):
    """One remembered thing."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(max_length=500)
    priority: int = Field(default=50, ge=0, le=100)


class Notes(BaseModel):
    """An answer like those of the steps."""

    model_config = ConfigDict(extra="forbid")
    items: list[Note]
    nothing_reason: str | None = None


GOOD = {"items": [{"text": "Alice likes tea.", "priority": 40}], "nothing_reason": None}


def question(**changes: Any) -> ModelRequest:
    """A request as a step would make it."""
    told: dict[str, Any] = {
        "task": "l1_extract",
        "system": "You do l1_extract.",
        "user": "m1 Alice: I like tea.",
        "schema": Notes,
        "payload": None,
        "timeout_seconds": 10.0,
        "max_output_tokens": 256,
    }
    return ModelRequest(**{**told, **changes})


@dataclass
class KeptModes:
    """What processes share, without a database."""

    modes: dict[tuple[str, str], JsonMode] = field(default_factory=dict)

    def load(self, endpoint: Endpoint) -> JsonMode | None:
        return self.modes.get(endpoint.identity)

    def save(self, endpoint: Endpoint, mode: JsonMode) -> None:
        self.modes[endpoint.identity] = mode


@dataclass
class Bench:
    """Makes models that never really wait between tries; `pauses` holds the waits they wanted."""

    memory: AbilityMemory
    pauses: list[float]

    def pace(self, **changes: Any) -> Pace:
        return Pace(**{"jitter": lambda: 1.0, "sleep": self.pauses.append, **changes})

    def endpoint(self, stub: StubProvider, model: str = "stub-large", **changes: Any) -> Endpoint:
        return Endpoint(**{"model": model, "base_url": stub.base_url, "api_key": SecretStr(KEY), **changes})

    def model(self, *endpoints: Endpoint, pace: Pace | None = None) -> OpenAICompatibleModel:
        chains = {"strong": endpoints, "cheap": endpoints[-1:]}
        return OpenAICompatibleModel(chains, pace=pace or self.pace(), memory=self.memory)

    def model_at(self, stub: StubProvider, **changes: Any) -> OpenAICompatibleModel:
        return self.model(self.endpoint(stub, **changes))


@pytest.fixture
def bench() -> Bench:
    return Bench(AbilityMemory(KeptModes()), [])


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts stubs that end with the test."""
    started: list[StubProvider] = []

    def start(*arguments: Any, **options: Any) -> StubProvider:
        stub = StubProvider(*arguments, **options)
        started.append(stub.__enter__())
        return stub

    yield start
    close_clients()
    for stub in started:
        stub.__exit__(None, None, None)
