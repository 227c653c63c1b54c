"""Which model answers: chosen by the settings from a table of dotted paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from django.conf import settings
from django.utils.module_loading import import_string

from memory.llm.endpoints import Endpoint
from memory.llm.guard import Guarded
from memory.llm.protocol import Model, ModelAlias

# Each names a callable that takes the endpoints behind each alias and an alias, and gives the model.
PROVIDERS = {
    "openai_compatible": "memory.llm.openai_compatible.OpenAICompatibleModel",
    "anthropic": "memory.llm.providers.anthropic.chained",
    "ollama": "memory.llm.providers.ollama.chained",
}
# What each imports late, and a function there that does it now.
LOADERS = {
    "openai_compatible": "memory.llm.openai_wire",
    "anthropic": "memory.llm.providers.anthropic",
    "ollama": "memory.llm.providers.ollama_wire",
}
OFFLINE = "offline"
OFFLINE_MODEL = "memory.llm.offline.model.OfflineModel"


def configured_model(alias: ModelAlias = "strong") -> Model | None:
    """The model that the settings name for an alias; None when only L0 is kept (`LLM_FAKE=1`).

    `name` is that of the alias given here; which model answers is decided by each request's own alias.
    """
    provider = configured_provider()
    if provider is None:
        return None
    if provider == OFFLINE:
        return Guarded(offline_model())
    if settings.MEMSEEK.model.is_own:
        return Guarded(own_model())
    from memory.llm.configuration import endpoint_chains

    return Guarded(_behind(endpoint_chains(), alias))


def language_model(alias: ModelAlias = "strong") -> Model | None:
    """The configured model where it can read any text; None for the offline one, which knows its steps."""
    return None if configured_provider() in (None, OFFLINE) else configured_model(alias)


def named_model(name: str) -> Model:
    """`offline`, `strong`, `cheap`, or a model by its own name at the configured provider.

    UnknownModelError where nothing is configured that could answer for the name.
    """
    if name == OFFLINE:
        return Guarded(offline_model())
    model = settings.MEMSEEK.model
    if not model.is_configured:
        raise UnknownModelError(
            f"No endpoint is configured that could answer as {name}: set MEMSEEK_MODEL_STRONG first, or name "
            "the model offline."
        )
    if model.is_own:
        return Guarded(_own_model_named(name))
    from memory.llm.configuration import chain_of

    # Under both aliases: whatever a request asks for, this model answers.
    chain = chain_of(name)
    return Guarded(_behind({"strong": chain, "cheap": chain}, "strong"))


class UnknownModelError(LookupError):
    """A model is named that nothing here could reach."""


def configured_provider() -> str | None:
    """`offline`, a key of `PROVIDERS` or a dotted path, as the settings choose; None for no model at all."""
    if settings.MEMSEEK.is_llm_fake:
        return None
    provider: str = settings.MEMSEEK.model.chosen_provider
    return provider


def offline_model() -> Model:
    """The deterministic model; it has one size."""
    model: Model = import_string(OFFLINE_MODEL)()
    return model


def own_model() -> Model:
    """The model at the dotted path that the settings give. Raises `SeamError`."""
    from memory.llm.configuration import price_of
    from memory.llm.providers import own

    configured = settings.MEMSEEK.model
    seam = own.model_seam(configured.provider)
    name = own.name_of(seam, configured.provider)
    return own.own_model(
        seam, name=name, concurrency=configured.concurrency, price=price_of(configured, name)
    )


def warm_up() -> None:
    """Have the configured provider load what it imports late; nothing is asked of it."""
    loader = LOADERS.get(configured_provider() or "")
    if loader:
        import_module(loader).load()


def _own_model_named(name: str) -> Model:
    model = own_model()
    if name not in ("strong", "cheap", model.name):
        raise UnknownModelError(f"The model of your own is called {model.name}, not {name}.")
    return model


def _behind(chains: Mapping[ModelAlias, Sequence[Endpoint]], alias: ModelAlias) -> Model:
    model: Model = import_string(PROVIDERS[settings.MEMSEEK.model.chosen_provider])(chains, alias=alias)
    return model
