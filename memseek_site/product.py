"""The product's own settings: one typed, frozen value that rooms read as `settings.MEMSEEK`."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memseek_site.limit_reading import EventSettings, LimitSettings
from memseek_site.live_sources import LiveSettings
from memseek_site.proxy_reading import ProxySettings
from memseek_site.sandbox_reading import SandboxSettings

# Variables in which providers' keys usually lie; `doctor` says when one is set and nothing uses it.
KNOWN_KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
)


@dataclass(frozen=True)
class ModelPrice:
    """What a model costs, in US dollars per million tokens."""

    input_per_million: float
    output_per_million: float


@dataclass(frozen=True)
class ModelSettings:
    """Which model answers. With no name under `strong` and no provider, the offline model does."""

    provider: str
    """`auto`, `offline`, `openai_compatible`, `anthropic`, `ollama`, or the dotted path of somebody's own."""
    base_url: str
    """Address of the provider's endpoint; empty means the provider's own."""
    api_key_variable: str
    """Name of the environment variable that holds the key."""
    api_key: str = field(repr=False)
    """The key; never logged, stored or shown."""
    strong: str
    """Model that extracts, synthesises and writes the persona."""
    cheap: str
    """Model for small questions; the strong one where none is named."""
    fallbacks: tuple[str, ...]
    """Models tried in order when the first does not answer: `model`, or `model@https://host/v1`."""
    fallback_api_key: str = field(repr=False)
    """The key for fallbacks at another address; the provider's own key never goes there."""
    prices: Mapping[str, ModelPrice]
    """Price by model name; without one, cost is not counted."""
    timeout_seconds: float
    """Longest wait for one answer."""
    concurrency: int
    """Calls to the provider at once, for each worker process."""

    @property
    def chosen_provider(self) -> str:
        """The provider, with `auto` decided."""
        if self.provider != "auto":
            return self.provider
        return "openai_compatible" if self.strong else "offline"

    @property
    def is_configured(self) -> bool:
        """Whether a real model answers."""
        return self.chosen_provider != "offline"

    @property
    def is_own(self) -> bool:
        """Whether the provider is somebody's own, named by a dotted path."""
        return "." in self.provider

    @property
    def is_key_missing(self) -> bool:
        """Whether the provider's own address would ask for a key that is not there."""
        is_keyed = self.chosen_provider in ("openai_compatible", "anthropic")
        return is_keyed and not self.api_key and not self.base_url


@dataclass(frozen=True)
class EmbeddingSettings:
    """What turns texts into vectors."""

    provider: str
    """`local`, `openai_compatible`, `ollama`, `none` or the dotted path of somebody's own: as set, or what a
    named model and the installation allow."""
    model: str
    """Name of the embedding model at an endpoint."""
    base_url: str = field(repr=False)
    """Address of the provider's endpoint; empty means the provider's own. May hold a password."""
    api_key_variable: str
    """Name of the environment variable that holds the key."""
    api_key: str = field(repr=False)
    """The key; never logged, stored or shown."""
    dimensions: int
    """Length of the vectors to ask for; 0 takes what the model gives."""
    text_prefix: str
    """Words that the model wants before what is stored."""
    query_prefix: str
    """Words that the model wants before what is asked."""
    timeout_seconds: float
    """Longest wait for one batch, tries included."""
    query_seconds: float
    """Longest wait for a query's vector; the text search answers alone after it."""
    threads: int
    """Threads that embed batches on this machine."""
    index_megabytes: int
    """Memory that the server may take to build the vector index of one entity."""
    index_workers: int
    """Processes of the server that help to build it."""

    @property
    def is_endpoint(self) -> bool:
        """Whether vectors come over a network, with the key."""
        return self.provider in ("openai_compatible", "ollama")

    @property
    def is_own(self) -> bool:
        """Whether the embedder is somebody's own, named by a dotted path."""
        return "." in self.provider


@dataclass(frozen=True)
class BudgetSettings:
    """Limits that pause work visibly. Zero tokens a day means no limit."""

    run_calls: int
    run_tokens: int
    run_seconds: float
    workspace_daily_tokens: int


@dataclass(frozen=True)
class WakingSettings:
    """When the steps of the cascade start, in seconds."""

    quiet_seconds: float
    """l1_extract starts so long after an entity's last message."""
    latest_seconds: float
    """... and never later than this after the first one that waits."""
    scene_interval_seconds: float
    """Shortest pause between two scene syntheses while messages keep coming."""
    persona_interval_seconds: float
    """Shortest pause between two persona steps."""
    promotion_seconds: float
    """The graph is brought up to date so long after the first atom that waits."""
    lease_seconds: float
    """A claimed step whose worker is silent for so long is taken over."""
    sweep_seconds: float
    """How often the sweep looks for work whose task was lost."""
    retry_seconds: tuple[float, ...]
    """Pauses before a failed step is tried again."""


@dataclass(frozen=True)
class SessionSettings:
    """When sessions of agents are folded, and when they end by themselves."""

    idle_seconds: float
    """A session in which nothing was said for so long ends; 0 leaves all of them open."""
    turns_kept: int
    """So many of the newest turns are never folded."""
    fold_after_turns: int
    """With more turns than this outside its summary, a session is folded."""


@dataclass(frozen=True)
class MetricsSettings:
    """Whether and to whom `/metrics` answers."""

    is_on: bool = False
    token: str = field(default="", repr=False)
    """What a scraper has to bear; empty means whoever reaches the address."""


@dataclass(frozen=True)
class MemseekSettings:
    """Everything the product can be told from outside."""

    data_dir: Path
    """Folder of the embedded servers, logs and the generated secret key."""
    is_llm_fake: bool
    """Store and show L0 only; no step of the cascade runs."""
    model: ModelSettings
    embedding: EmbeddingSettings
    budget: BudgetSettings
    waking: WakingSettings
    sessions: SessionSettings
    heartbeat_seconds: float
    """How often each process says that it lives."""
    unused_key_variables: tuple[str, ...]
    """Provider keys that are set although no setting uses them (names only)."""
    design_folders: tuple[Path, ...]
    """Folders with designs beside the shipped ones: each is one, or holds some."""
    agent_memory_run_id: str
    """Names the entity of the walkthrough, `agent.alice-<run>`; empty means a new one each time."""
    live: LiveSettings = field(default_factory=LiveSettings)
    redact: frozenset[str] = frozenset()
    """What is taken out of words before they are stored: `secrets`, `personal`, both or nothing."""
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    proxy: ProxySettings = field(default_factory=ProxySettings)
    mcp_entity: str = ""
    """Whose memory an MCP client means that names nobody; empty means that each call has to."""
    limits: LimitSettings = field(default_factory=LimitSettings)
    events: EventSettings = field(default_factory=EventSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    run_days: int = 90
    """Runs are kept for so long in workspaces that do not say otherwise."""
    retention_seconds: float = 900.0
    """How often what is beyond its days is removed."""

    def configuration_hash(self) -> str:
        """A digest that is the same for processes that behave the same; holds no secret and no path."""
        shown = asdict(self)
        for name in (
            *("data_dir", "design_folders", "unused_key_variables"),
            *("agent_memory_run_id", "mcp_entity"),
        ):
            del shown[name]
        # Whether there are keys changes what a process can do; the keys themselves stay out of the digest.
        shown["model"]["api_key"] = bool(self.model.api_key)
        shown["model"]["fallback_api_key"] = bool(self.model.fallback_api_key)
        shown["embedding"]["api_key"] = bool(self.embedding.api_key)
        shown["live"]["credentials"] = sorted(self.live.credentials)
        shown["redact"] = sorted(self.redact)
        # Workers ask which model reads a sandbox and how long it stands; the rest is the pages' business.
        shown["sandbox"] = [self.sandbox.asks_model, self.sandbox.hours]
        # Scraping changes nothing of what a process does, and a worker has no business with the doors.
        del shown["metrics"], shown["proxy"], shown["limits"], shown["events"]
        return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]
