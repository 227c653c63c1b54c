"""Which model answers: chosen by the settings from a table of dotted paths."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.utils.module_loading import import_string

from memory.llm.guard import Guarded
from memory.llm.protocol import Model, ModelAlias

# Each names a callable that takes the alias and gives the model.
PROVIDERS = {
    "offline": "memory.llm.registry.offline_model",
    "openai_compatible": "memory.llm.registry.openai_compatible_model",
}
OFFLINE_MODEL = "memory.llm.offline.model.OfflineModel"


def configured_model(alias: ModelAlias = "strong") -> Model | None:
    """The model that the settings name for an alias; None when only L0 is kept (`LLM_FAKE=1`).

    `name` is that of the alias given here; which model answers is decided by each request's own alias.
    """
    provider = configured_provider()
    if provider is None:
        return None
    model: Model = import_string(PROVIDERS[provider])(alias)
    return Guarded(model)


def named_model(name: str) -> Model:
    """`offline`, `strong`, `cheap`, or a model by its own name at the configured endpoint.

    UnknownModelError where no endpoint is configured that could answer for the name.
    """
    if name == "offline":
        return Guarded(offline_model("strong"))
    if not settings.MEMSEEK.model.is_configured:
        raise UnknownModelError(
            f"No endpoint is configured that could answer as {name}: set MEMSEEK_MODEL_STRONG first, or name "
            "the model offline."
        )
    from memory.llm.configuration import chain_of
    from memory.llm.openai_compatible import OpenAICompatibleModel

    # Under both aliases: whatever a request asks for, this model answers.
    chain = chain_of(name)
    return Guarded(OpenAICompatibleModel({"strong": chain, "cheap": chain}))


class UnknownModelError(LookupError):
    """A model is named that nothing here could reach."""


def configured_provider() -> str | None:
    """The key of `PROVIDERS` that the settings choose, None for no model at all."""
    if settings.MEMSEEK.is_llm_fake:
        return None
    return "openai_compatible" if settings.MEMSEEK.model.is_configured else "offline"


def offline_model(alias: ModelAlias) -> Model:
    """The deterministic model; it has one size."""
    model: Model = import_string(OFFLINE_MODEL)()
    return model


def openai_compatible_model(alias: ModelAlias) -> Model:
    """The models behind an OpenAI-compatible address."""
    from memory.llm.configuration import endpoint_chains
    from memory.llm.openai_compatible import OpenAICompatibleModel

    return OpenAICompatibleModel(endpoint_chains(), alias=alias)


def warm_up() -> None:
    """Have the configured provider load what it imports late; nothing is asked of it."""
    if configured_provider() == "openai_compatible":
        import_module("memory.llm.openai_wire").load()
