"""From the product's settings to the endpoints behind each alias."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.conf import settings
from pydantic import SecretStr

from memory.llm.endpoints import NO_KEY, Endpoint, Price
from memory.llm.protocol import ModelAlias

if TYPE_CHECKING:
    from memseek_site.product import ModelSettings

ADDRESS_MARKS = ("@http://", "@https://")


def endpoint_chains(configured: ModelSettings | None = None) -> dict[ModelAlias, tuple[Endpoint, ...]]:
    """For each alias its model and then the fallbacks, none of them twice."""
    model = configured or settings.MEMSEEK.model
    return {"strong": _chain(model, model.strong), "cheap": _chain(model, model.cheap or model.strong)}


def chain_of(name: str) -> tuple[Endpoint, ...]:
    """The endpoints behind an alias or a model's own name; for a name alone, without fallbacks."""
    model = settings.MEMSEEK.model
    chains = endpoint_chains(model)
    if name in ("strong", "cheap"):
        return chains["strong" if name == "strong" else "cheap"]
    return (_endpoint(model, name),)


def _chain(configured: ModelSettings, first: str) -> tuple[Endpoint, ...]:
    names = dict.fromkeys((first, *configured.fallbacks))
    return tuple(_endpoint(configured, name) for name in names)


def _endpoint(configured: ModelSettings, name: str) -> Endpoint:
    """`model` at the configured address, or `model@https://host/v1` at another one.

    The key goes to the address it was configured for and to no other.
    """
    model, base_url = _split(name)
    is_elsewhere = bool(base_url)
    key = SecretStr(configured.fallback_api_key if is_elsewhere else configured.api_key)
    return Endpoint(
        model=model,
        base_url=base_url or configured.base_url,
        api_key=key if key.get_secret_value() else NO_KEY,
        price=price_of(configured, model),
        concurrency=configured.concurrency,
        provider=configured.chosen_provider,
    )


def _split(name: str) -> tuple[str, str]:
    for mark in ADDRESS_MARKS:
        model, found, rest = name.partition(mark)
        if found:
            return model, mark[1:] + rest
    return name, ""


def price_of(configured: ModelSettings, model: str) -> Price | None:
    """What the operator says that a model costs; None where nothing is said."""
    price = configured.prices.get(model)
    if price is None:
        return None
    # Through text: the decimal that the operator wrote, not the binary fraction nearest to it.
    return Price(Decimal(str(price.input_per_million)), Decimal(str(price.output_per_million)))
