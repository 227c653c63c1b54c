"""Which model the settings give, and that none of them runs inside a transaction."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from memory.llm.configuration import endpoint_chains
from memory.llm.guard import Guarded
from memory.llm.protocol import Model
from memory.llm.registry import UnknownModelError, configured_model, configured_provider, named_model
from memseek_site.product import ModelPrice
from tests.llm.conftest import GOOD, KEY, Serve, question
from tests.scripted_model import ScriptedModel
from tests.stub_provider import Reply

Configure = Callable[..., None]


@pytest.fixture
def configure(settings: Any) -> Configure:
    def change(*, is_llm_fake: bool = False, **model: Any) -> None:
        changed = replace(settings.MEMSEEK.model, **model)
        settings.MEMSEEK = replace(settings.MEMSEEK, is_llm_fake=is_llm_fake, model=changed)

    return change


def test_nothing_configured_is_the_offline_model() -> None:
    model = configured_model()

    assert (configured_provider(), model and model.name) == ("offline", "offline@1")


def test_fake_means_no_model_even_when_one_is_configured(configure: Configure) -> None:
    configure(is_llm_fake=True, strong="large")

    assert (configured_provider(), configured_model()) == (None, None)


def test_a_named_model_is_asked_at_its_address(
    configure: Configure, serve: Serve, transactional_db: None
) -> None:
    stub = serve([Reply.json(GOOD)])
    configure(strong="large", cheap="small", base_url=stub.base_url, api_key=KEY)

    reply = configured_model().answer(question())

    assert (configured_model().name, configured_model("cheap").name) == ("large", "small")
    assert (reply.model, stub.requests[0].headers["authorization"]) == ("large", f"Bearer {KEY}")


def test_chains_hold_fallbacks_and_keys_go_only_where_they_belong(
    configure: Configure, settings: Any
) -> None:
    configure(
        base_url="https://models.example/v1",
        api_key="first-key",
        fallback_api_key="other-key",
        strong="large",
        cheap="small",
        fallbacks=("small", "spare@http://127.0.0.1:11434/v1"),
        prices={"small": ModelPrice(0.1, 0.4)},
        concurrency=3,
    )

    chains = endpoint_chains()

    shown = {
        alias: [(end.model, end.base_url, end.api_key.get_secret_value(), end.concurrency) for end in chain]
        for alias, chain in chains.items()
    }
    small = ("small", "https://models.example/v1", "first-key", 3)
    spare = ("spare", "http://127.0.0.1:11434/v1", "other-key", 3)
    assert shown == {
        "strong": [("large", "https://models.example/v1", "first-key", 3), small, spare],
        "cheap": [small, spare],
    }
    prices = [end.price and end.price.of(tokens_in=10_000_000, tokens_out=0) for end in chains["strong"]]
    assert prices == [None, Decimal("1.0"), None]


@pytest.mark.parametrize("guarded", [Guarded(ScriptedModel()), ScriptedModel()], ids=["guarded", "scripted"])
def test_a_model_refuses_to_run_inside_a_transaction(db: None, guarded: Model) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a database transaction"):
        guarded.answer(question())


def test_the_transaction_around_a_test_does_not_count(db: None) -> None:
    reply = Guarded(ScriptedModel(["{}"])).answer(question())

    assert reply.text == "{}"


def test_a_model_refuses_in_a_committing_test_too(transactional_db: None) -> None:
    with transaction.atomic(durable=True), pytest.raises(RuntimeError):
        Guarded(ScriptedModel()).answer(question())


def test_a_model_is_found_by_its_alias_or_its_own_name(configure: Configure) -> None:
    configure(strong="big", cheap="small", base_url="https://models.example/v1", api_key=KEY)
    assert [named_model(name).name for name in ("offline", "strong", "cheap", "other")] == [
        "offline@1",
        "big",
        "small",
        "other",
    ]


def test_a_name_without_an_endpoint_is_refused() -> None:
    assert named_model("offline").name == "offline@1"
    with pytest.raises(UnknownModelError, match="No endpoint is configured that could answer as other"):
        named_model("other")
