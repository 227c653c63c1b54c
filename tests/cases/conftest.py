"""An agent with a memory; a provider at the other end of a socket; no vectors unless a test wants them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.cases.agents import Agent
from tests.stub_provider import StubProvider
from tests.stub_provider.configured import as_the_model


@pytest.fixture(autouse=True)
def without_vectors(settings: Any) -> None:
    """Words alone decide what is found."""
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, embedding=replace(product.embedding, provider="none"))


@pytest.fixture
def agent(db: None) -> Agent:
    """Alice's."""
    return Agent()


@pytest.fixture
def stub(db: None, settings: Any) -> Iterator[StubProvider]:
    """The model of the site."""
    with as_the_model(settings) as provider:
        yield provider
