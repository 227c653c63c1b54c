"""Which provider the settings give, and what they are told where they do not go together."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core import checks
from django.db import transaction

from memory.llm.checks import providers_have_the_seams_shape
from memory.llm.embedders.registry import configured_embedder
from memory.llm.registry import (
    UnknownModelError,
    configured_model,
    configured_provider,
    language_model,
    named_model,
    warm_up,
)
from memseek_site.doctor.configuration import examine
from memseek_site.environment import Environment
from memseek_site.product import MemseekSettings
from memseek_site.product_reading import read_product_settings
from tests.llm.conftest import GOOD, KEY, question
from tests.llm.providers.conftest import Dialect, Start

HERE = "tests.llm.providers.brought"
Configure = Callable[..., None]


def read(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> tuple[MemseekSettings, list[str]]:
    """The product's settings under some variables, and the names of those that were wrong."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    reader = Environment()
    product = read_product_settings(reader, Path("/nowhere"))
    return product, [problem.name for problem in reader.problems]


@pytest.fixture
def configure(settings: Any) -> Configure:
    def change(*, embedding: str = "none", **model: Any) -> None:
        product = settings.MEMSEEK
        settings.MEMSEEK = replace(
            product,
            model=replace(product.model, **model),
            embedding=replace(product.embedding, provider=embedding),
        )

    return change


@pytest.mark.parametrize(
    ("variables", "provider", "wrong"),
    [
        ({}, "offline", []),
        ({"STRONG": "large", "BASE_URL": "http://localhost:1/v1"}, "openai_compatible", []),
        ({"STRONG": "large"}, "openai_compatible", ["OPENAI_API_KEY"]),
        ({"PROVIDER": "openai", "STRONG": "large"}, "openai_compatible", ["OPENAI_API_KEY"]),
        ({"PROVIDER": "openai"}, "openai_compatible", ["MEMSEEK_MODEL_STRONG"]),
        ({"PROVIDER": "anthropic", "STRONG": "large"}, "anthropic", ["ANTHROPIC_API_KEY"]),
        ({"PROVIDER": "anthropic", "STRONG": "large", "BASE_URL": "http://gate"}, "anthropic", []),
        ({"PROVIDER": "anthropic"}, "anthropic", ["MEMSEEK_MODEL_STRONG"]),
        ({"PROVIDER": "ollama", "STRONG": "large"}, "ollama", []),
        ({"PROVIDER": "ollama", "STRONG": "large", "BASE_URL": "gate"}, "ollama", ["MEMSEEK_MODEL_BASE_URL"]),
        ({"PROVIDER": "ollama"}, "ollama", ["MEMSEEK_MODEL_STRONG"]),
        ({"PROVIDER": "offline", "STRONG": "large"}, "offline", []),
        ({"PROVIDER": "my_package.models.mine"}, "my_package.models.mine", []),
        ({"PROVIDER": "my_package.mine", "STRONG": "large"}, "my_package.mine", ["MEMSEEK_MODEL_PROVIDER"]),
        ({"PROVIDER": "mine"}, "offline", ["MEMSEEK_MODEL_PROVIDER"]),
        ({"PROVIDER": "my-package.mine"}, "offline", ["MEMSEEK_MODEL_PROVIDER"]),
    ],
)
def test_the_models_provider_is_read(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], provider: str, wrong: list[str]
) -> None:
    product, told = read(monkeypatch, {f"MEMSEEK_MODEL_{name}": value for name, value in variables.items()})

    assert (product.model.chosen_provider, told) == (provider, wrong)


@pytest.mark.parametrize(
    ("variables", "provider", "wrong"),
    [
        ({"PROVIDER": "openai", "MODEL": "small"}, "openai_compatible", []),
        ({"PROVIDER": "ollama", "MODEL": "small"}, "ollama", []),
        ({"PROVIDER": "ollama"}, "ollama", ["MEMSEEK_EMBEDDING_MODEL"]),
        ({"PROVIDER": "my_package.models.mine"}, "my_package.models.mine", []),
        (
            {"PROVIDER": "my_package.mine", "MODEL": "small"},
            "my_package.mine",
            ["MEMSEEK_EMBEDDING_PROVIDER"],
        ),
    ],
)
def test_the_embedders_provider_is_read(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], provider: str, wrong: list[str]
) -> None:
    product, told = read(
        monkeypatch, {f"MEMSEEK_EMBEDDING_{name}": value for name, value in variables.items()}
    )

    assert (product.embedding.provider, told) == (provider, wrong)


def test_each_vendors_key_lies_where_it_usually_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_API_KEY", "for-the-cloud")
    product, told = read(
        monkeypatch,
        {
            "MEMSEEK_MODEL_PROVIDER": "anthropic",
            "MEMSEEK_MODEL_STRONG": "large",
            "MEMSEEK_EMBEDDING_PROVIDER": "ollama",
            "MEMSEEK_EMBEDDING_MODEL": "small",
        },
    )

    assert (product.model.api_key, product.embedding.api_key, told) == (KEY, "for-the-cloud", [])
    assert (product.unused_key_variables, product.model.is_key_missing) == ((), False)
    assert (KEY in repr(product), KEY in product.configuration_hash()) == (False, False)


@pytest.mark.parametrize("package", ["anthropic", "ollama"])
def test_a_vendor_whose_package_is_missing_is_told_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    # How Python marks a module that cannot be imported.
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("MEMSEEK_MODEL_PROVIDER", package)
    monkeypatch.setenv("MEMSEEK_MODEL_STRONG", "large")
    monkeypatch.setenv("MEMSEEK_MODEL_BASE_URL", "http://localhost:1")
    reader = Environment()
    read_product_settings(reader, Path("/nowhere"))

    assert [(problem.name, problem.hint) for problem in reader.problems] == [
        ("MEMSEEK_MODEL_PROVIDER", f"Install the extra with pip install '.[{package}]'.")
    ]


def test_the_settings_lead_to_each_vendor(
    dialect: Dialect, start: Start, configure: Configure, transactional_db: None
) -> None:
    stub = start(dialect.stub, [dialect.json(GOOD)] * 2)
    provider = "openai_compatible" if dialect.name == "openai" else dialect.name
    configure(provider=provider, strong="large", cheap="small", base_url=stub.base_url, api_key=KEY)

    warm_up()
    model = language_model()
    assert model is not None
    reply, other = model.answer(question(alias="cheap")), named_model("other").answer(question())

    assert (configured_provider(), model.name, reply.model, other.model) == (
        provider,
        "large",
        "small",
        "other",
    )
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a database transaction"):
        model.answer(question())


def test_the_settings_lead_to_ones_own(configure: Configure, transactional_db: None) -> None:
    configure(provider=f"{HERE}.thinking", embedding=f"{HERE}.Counting", concurrency=2)

    model, embedder = configured_model(), configured_embedder()

    assert model is not None
    assert embedder is not None
    assert (model.name, named_model("strong").name) == ("thinking@1", "thinking@1")
    assert (embedder.space, embedder.embed(["tea"]).shape) == ("own:counting@1/8", (1, 8))
    with pytest.raises(UnknownModelError, match="is called thinking@1, not other"):
        named_model("other")
    with transaction.atomic():
        with pytest.raises(RuntimeError, match="inside a database transaction"):
            model.answer(question())
        with pytest.raises(RuntimeError, match="inside a database transaction"):
            embedder.embed(["tea"])


def test_the_offline_model_is_no_language_model(configure: Configure) -> None:
    configure(provider="offline", strong="large")

    assert (language_model(), named_model("offline").name) == (None, "offline@1")


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({}, "the offline model answers; MEMSEEK_MODEL_STRONG names a real one"),
        (
            {"provider": "ollama", "strong": "large", "cheap": "small"},
            "ollama: strong large, cheap small, at the provider's own endpoint, no key",
        ),
        (
            {"provider": "anthropic", "strong": "large", "api_key_variable": "ANTHROPIC_API_KEY"},
            "large is to answer, but ANTHROPIC_API_KEY holds no key",
        ),
        ({"provider": f"{HERE}.thinking"}, f"{HERE}.thinking answers, a model of your own"),
    ],
)
def test_the_doctor_says_who_answers(configure: Configure, model: dict[str, Any], told: str) -> None:
    configure(**model)

    assert [finding.text for finding in examine() if finding.topic == "model"] == [told]


def test_good_paths_pass_the_check(configure: Configure) -> None:
    configure(provider=f"{HERE}.thinking", embedding=f"{HERE}.Counting")
    assert providers_have_the_seams_shape() == []
    configure()
    assert providers_have_the_seams_shape() == []


def test_bad_paths_are_found_by_the_system_check(configure: Configure) -> None:
    configure(provider=f"{HERE}.missing", embedding=f"{HERE}.Boundless")

    found = [error for error in checks.run_checks() if error.id in ("memseek.E005", "memseek.E006")]

    assert [(error.id, error.msg.partition(":")[0]) for error in found] == [
        ("memseek.E005", f"{HERE}.missing cannot be imported"),
        ("memseek.E006", f"{HERE}.Boundless has no dimensions from 1 to 4000."),
    ]
    assert ["docs/providers.md" in (error.hint or "") for error in found] == [True, True]
