"""The product's settings out of the environment: names, defaults and limits."""

import re
from collections.abc import Mapping
from pathlib import Path

from memseek_site.environment import Environment
from memseek_site.product import (
    KNOWN_KEY_VARIABLES,
    BudgetSettings,
    MemseekSettings,
    ModelPrice,
    ModelSettings,
    WakingSettings,
)

PRICES_SHAPE = 'an object such as {"model-name": [1.25, 10.0]} (dollars per million tokens in and out)'
RUN_ID = re.compile(r"[A-Za-z0-9_-]{0,32}")
RETRY_SECONDS = (5.0, 20.0, 80.0)


def read_product_settings(environment: Environment, data_dir: Path) -> MemseekSettings:
    """Everything under MEMSEEK_; problems are noted in the environment."""
    model = _model(environment)
    return MemseekSettings(
        data_dir=data_dir,
        is_llm_fake=environment.flag(
            "LLM_FAKE", default=False, about="Store and show messages only; the cascade does not run."
        ),
        model=model,
        budget=_budget(environment),
        waking=_waking(environment),
        heartbeat_seconds=environment.seconds(
            "MEMSEEK_HEARTBEAT_SECONDS", 10.0, least=0.1, about="How often each process says that it lives."
        ),
        unused_key_variables=_unused_keys(environment, model),
        agent_memory_run_id=_run_id(environment),
    )


def _model(environment: Environment) -> ModelSettings:
    key_variable = environment.text(
        "MEMSEEK_MODEL_API_KEY_ENV",
        "OPENAI_API_KEY",
        about="Name of the variable that holds the provider's key.",
    )
    strong = environment.text(
        "MEMSEEK_MODEL_STRONG", about="Model that runs the cascade; without it the offline model answers."
    )
    cheap = environment.text(
        "MEMSEEK_MODEL_CHEAP", about="Model for small questions; the strong one if unset."
    )
    base_url = environment.text(
        "MEMSEEK_MODEL_BASE_URL", about="OpenAI-compatible endpoint; the provider's own if unset."
    )
    if base_url and not base_url.startswith(("http://", "https://")):
        hint = "Write it like http://localhost:11434/v1."
        environment.reject("MEMSEEK_MODEL_BASE_URL", "MEMSEEK_MODEL_BASE_URL is no http(s) address.", hint)
    _refuse_half_a_model(environment, strong=strong, others=(cheap, base_url))
    return ModelSettings(
        base_url=base_url,
        api_key_variable=key_variable,
        api_key=environment.secret(key_variable),
        strong=strong,
        cheap=cheap or strong,
        fallbacks=environment.names(
            "MEMSEEK_MODEL_FALLBACKS",
            about="Models tried in order when the first does not answer: model, or model@https://host/v1.",
        ),
        fallback_api_key=environment.secret(
            environment.text(
                "MEMSEEK_MODEL_FALLBACK_API_KEY_ENV",
                about="Name of the variable that holds the key for fallbacks at another address.",
            )
        ),
        prices=_prices(environment),
        timeout_seconds=environment.seconds(
            "MEMSEEK_MODEL_TIMEOUT_SECONDS", 120.0, least=0.1, about="Longest wait for one answer."
        ),
        concurrency=environment.count(
            "MEMSEEK_MODEL_CONCURRENCY", 4, least=1, about="Calls at once, for each worker process."
        ),
    )


def _refuse_half_a_model(environment: Environment, *, strong: str, others: tuple[str, ...]) -> None:
    if not strong and any(others):
        environment.reject(
            "MEMSEEK_MODEL_STRONG",
            "A model endpoint or a cheap model is set, but MEMSEEK_MODEL_STRONG is not.",
            "Name the model to use in MEMSEEK_MODEL_STRONG, or unset the other MEMSEEK_MODEL_ variables.",
        )


def _prices(environment: Environment) -> Mapping[str, ModelPrice]:
    name = "MEMSEEK_MODEL_PRICES"
    value = environment.json_value(name, about=f"Prices by model: {PRICES_SHAPE}.", shape=PRICES_SHAPE)
    if value is None:
        return {}
    try:
        return {str(model): ModelPrice(float(paid_in), float(out)) for model, (paid_in, out) in value.items()}
    except (AttributeError, TypeError, ValueError):
        environment.reject(name, f"{name} has another shape.", f"Give it {PRICES_SHAPE}.")
        return {}


def _budget(environment: Environment) -> BudgetSettings:
    return BudgetSettings(
        run_calls=environment.count(
            "MEMSEEK_RUN_CALLS", 8, least=1, about="Model calls that one run may make."
        ),
        run_tokens=environment.count(
            "MEMSEEK_RUN_TOKENS", 200_000, least=1000, about="Tokens in and out that one run may use."
        ),
        run_seconds=environment.seconds(
            "MEMSEEK_RUN_SECONDS", 600.0, least=1.0, about="Time that one run may take."
        ),
        workspace_daily_tokens=environment.count(
            "MEMSEEK_DAILY_TOKENS", 0, about="Tokens of a workspace in a day (UTC); 0 is no limit."
        ),
    )


def _waking(environment: Environment) -> WakingSettings:
    return WakingSettings(
        quiet_seconds=environment.seconds(
            "MEMSEEK_WAKE_QUIET_SECONDS", 2.0, about="Extraction starts so long after the last message."
        ),
        latest_seconds=environment.seconds(
            "MEMSEEK_WAKE_LATEST_SECONDS", 30.0, about="... and never later than this after the first."
        ),
        scene_interval_seconds=environment.seconds(
            "MEMSEEK_SCENE_INTERVAL_SECONDS", 15.0, about="Shortest pause between two scene syntheses."
        ),
        persona_interval_seconds=environment.seconds(
            "MEMSEEK_PERSONA_INTERVAL_SECONDS", 30.0, about="Shortest pause between two persona steps."
        ),
        lease_seconds=environment.seconds(
            "MEMSEEK_LEASE_SECONDS",
            60.0,
            least=1.0,
            about="A step of a silent worker is taken over after this.",
        ),
        sweep_seconds=environment.seconds(
            "MEMSEEK_SWEEP_SECONDS", 15.0, least=0.5, about="How often lost tasks are looked for."
        ),
        retry_seconds=RETRY_SECONDS,
    )


def _run_id(environment: Environment) -> str:
    name = "AGENT_MEMORY_RUN_ID"
    run_id = environment.text(name, about="Name of the walkthrough's memory; six random characters if unset.")
    if RUN_ID.fullmatch(run_id):
        return run_id
    environment.reject(
        name,
        f"{name} is no name of a run.",
        "Give it 1 to 32 ASCII letters, digits, hyphens or underscores, or unset it.",
    )
    return ""


def _unused_keys(environment: Environment, model: ModelSettings) -> tuple[str, ...]:
    used = model.api_key_variable if model.is_configured else None
    return tuple(name for name in KNOWN_KEY_VARIABLES if name != used and environment.is_set(name))
