"""Settings of the memory proxy: whether it answers, where it forwards to, and how long it waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memseek_site.environment import Environment

if TYPE_CHECKING:
    from memseek_site.product import ModelSettings

SWITCH_NAME = "MEMSEEK_PROXY"
ADDRESS_NAME = "MEMSEEK_PROXY_BASE_URL"
KEY_NAME = "MEMSEEK_PROXY_API_KEY_ENV"
MODELS_NAME = "MEMSEEK_PROXY_MODELS"
MODELS_SHAPE = 'an object of names and names such as {"memory": "gpt-5", "*": "gpt-5-mini"}'
OPENAI_ADDRESS = "https://api.openai.com/v1"
PLACES = ("beside", "first")
ANY_MODEL = "*"


@dataclass(frozen=True)
class ProxySettings:
    """Where `/v1/chat/completions` forwards to, and what it may take from memory before it does."""

    is_on: bool = False
    base_url: str = field(default=OPENAI_ADDRESS, repr=False)
    """Address of the endpoint behind the proxy. May hold a password."""
    api_key: str = field(default="", repr=False)
    """The endpoint's key; never logged, stored or shown."""
    models: Mapping[str, str] = field(default_factory=dict)
    """The endpoint's name for a client's; `*` stands for every name that is not listed."""
    place: str = "beside"
    """Where memory is told: its changing part beside the newest words of the user, or all of it first."""
    context_tokens: int = 4_000
    """Tokens that memory may take in a request."""
    context_seconds: float = 2.0
    """Longest that a chat waits for memory."""
    timeout_seconds: float = 600.0
    """Longest silence of the endpoint."""
    body_megabytes: int = 32
    """The largest request, images included."""

    def model_for(self, name: str) -> str:
        """What the endpoint calls the model that a client asks for."""
        return self.models.get(name) or self.models.get(ANY_MODEL) or name


def read_proxy(environment: Environment, model: ModelSettings) -> ProxySettings:
    """Everything under MEMSEEK_PROXY; problems are noted in the environment."""
    is_on = environment.flag(
        SWITCH_NAME,
        default=False,
        about="Answer OpenAI's clients at /v1/chat/completions with memory added.",
    )
    base_url, api_key = _endpoint(environment, model, is_on=is_on)
    return ProxySettings(
        is_on=is_on,
        base_url=base_url,
        api_key=api_key,
        models=_models(environment, model),
        place=environment.choice(
            "MEMSEEK_PROXY_PLACE",
            "beside",
            PLACES,
            about="Where memory is told: beside the newest words of the user, or first, for models that take "
            "system messages at the beginning alone.",
        ),
        context_tokens=environment.count(
            "MEMSEEK_PROXY_CONTEXT_TOKENS",
            4_000,
            least=800,
            about="Tokens that memory may take in a request.",
        ),
        context_seconds=environment.seconds(
            "MEMSEEK_PROXY_CONTEXT_SECONDS",
            2.0,
            least=0.05,
            about="Longest that a chat waits for memory; then it goes on without.",
        ),
        timeout_seconds=environment.seconds(
            "MEMSEEK_PROXY_TIMEOUT_SECONDS", 600.0, least=0.1, about="Longest silence of the endpoint."
        ),
        body_megabytes=environment.count(
            "MEMSEEK_PROXY_BODY_MEGABYTES", 32, least=1, about="The largest request, images included."
        ),
    )


def _endpoint(environment: Environment, model: ModelSettings, *, is_on: bool) -> tuple[str, str]:
    """Address and key: the model's own, or others that are both named. A key goes to no other address."""
    address = environment.text(
        ADDRESS_NAME, about="OpenAI-compatible endpoint behind the proxy; the model's own if unset."
    )
    variable = environment.text(KEY_NAME, about="Name of the variable that holds that endpoint's key.")
    if address and not address.startswith(("http://", "https://")):
        environment.reject(
            ADDRESS_NAME, f"{ADDRESS_NAME} is no http(s) address.", "Write it like http://localhost:11434/v1."
        )
    elif variable and not address:
        environment.reject(
            KEY_NAME,
            f"{KEY_NAME} is set, but {ADDRESS_NAME} is not.",
            f"Set {ADDRESS_NAME}, or unset {KEY_NAME}: the model's own endpoint has its key.",
        )
    elif variable and not environment.secret(variable):
        environment.reject(
            KEY_NAME, f"{KEY_NAME} names a variable that holds nothing.", "Set it, or name another one."
        )
    if address:
        return address.rstrip("/"), environment.secret(variable)
    if is_on and model.chosen_provider != "openai_compatible":
        environment.reject(
            SWITCH_NAME,
            f"{SWITCH_NAME} is on, and no OpenAI-compatible endpoint is configured.",
            f"Set {ADDRESS_NAME}, or MEMSEEK_MODEL_STRONG with its endpoint.",
        )
    return model.base_url.rstrip("/") or OPENAI_ADDRESS, model.api_key


def _models(environment: Environment, model: ModelSettings) -> Mapping[str, str]:
    """What was named, behind the aliases of the model settings."""
    named = environment.json_value(
        MODELS_NAME, about=f"Other names for models: {MODELS_SHAPE}.", shape=MODELS_SHAPE
    )
    aliases = {"strong": model.strong, "cheap": model.cheap} if model.strong else {}
    if named is None:
        return aliases
    if isinstance(named, dict) and all(isinstance(name, str) and name for name in named.values()):
        return {**aliases, **named}
    environment.reject(MODELS_NAME, f"{MODELS_NAME} has another shape.", f"Give it {MODELS_SHAPE}.")
    return aliases
