"""The product's settings out of the environment: names, defaults and limits."""

from pathlib import Path

from memory.walkthrough.naming import RUN_ID, RUN_ID_HINT
from memseek_site.environment import Environment
from memseek_site.limit_reading import read_events, read_limits
from memseek_site.live_sources import read_live_settings
from memseek_site.model_reading import read_embedding, read_model
from memseek_site.operation_reading import read_metrics, read_redaction
from memseek_site.product import (
    KNOWN_KEY_VARIABLES,
    BudgetSettings,
    EmbeddingSettings,
    MemseekSettings,
    ModelSettings,
    SessionSettings,
    WakingSettings,
)
from memseek_site.proxy_reading import read_proxy
from memseek_site.sandbox_reading import read_sandbox

RETRY_SECONDS = (5.0, 20.0, 80.0)


def read_product_settings(
    environment: Environment, data_dir: Path, *, is_production: bool = False
) -> MemseekSettings:
    """Everything under MEMSEEK_; problems are noted in the environment."""
    model = read_model(environment)
    embedding = read_embedding(environment)
    return MemseekSettings(
        data_dir=data_dir,
        is_llm_fake=environment.flag(
            "LLM_FAKE", default=False, about="Store and show messages only; the cascade does not run."
        ),
        model=model,
        embedding=embedding,
        budget=_budget(environment),
        waking=_waking(environment),
        sessions=_sessions(environment),
        heartbeat_seconds=environment.seconds(
            "MEMSEEK_HEARTBEAT_SECONDS", 10.0, least=0.1, about="How often each process says that it lives."
        ),
        unused_key_variables=_unused_keys(environment, model, embedding),
        design_folders=_design_folders(environment),
        agent_memory_run_id=_run_id(environment),
        live=read_live_settings(environment),
        redact=read_redaction(environment),
        metrics=read_metrics(environment),
        proxy=read_proxy(environment, model),
        limits=read_limits(environment, is_production=is_production),
        events=read_events(environment),
        sandbox=read_sandbox(environment, is_production=is_production),
        mcp_entity=environment.text(
            "MEMSEEK_MCP_ENTITY", about="Whose memory an MCP client means that names nobody."
        ),
        run_days=environment.count(
            "MEMSEEK_RUN_DAYS", 90, least=1, about="Days that runs are kept where a workspace says nothing."
        ),
        retention_seconds=environment.seconds(
            "MEMSEEK_RETENTION_SECONDS",
            900.0,
            least=1.0,
            about="How often what is beyond its days is removed.",
        ),
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
            "MEMSEEK_SCENE_INTERVAL_SECONDS", 16.0, about="Shortest pause between two scene syntheses."
        ),
        persona_interval_seconds=environment.seconds(
            "MEMSEEK_PERSONA_INTERVAL_SECONDS", 30.0, about="Shortest pause between two persona steps."
        ),
        promotion_seconds=environment.seconds(
            "MEMSEEK_PROMOTION_SECONDS", 60.0, about="So long after an atom the graph is brought up to date."
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


def _sessions(environment: Environment) -> SessionSettings:
    idle = environment.seconds(
        "MEMSEEK_SESSION_IDLE_SECONDS", 0.0, about="A silent session of an agent ends after this; 0 is never."
    )
    kept = environment.count(
        "MEMSEEK_TURNS_KEPT", 20, least=1, about="So many of the newest turns of a session are never folded."
    )
    name = "MEMSEEK_FOLD_AFTER_TURNS"
    fold_after = environment.count(
        name, 40, least=1, about="A session is folded with more turns than this outside its summary."
    )
    if fold_after < kept:
        environment.reject(
            name, f"{name} is smaller than MEMSEEK_TURNS_KEPT.", "Fold later, or keep fewer turns."
        )
    return SessionSettings(idle, kept, max(kept, fold_after))


def _run_id(environment: Environment) -> str:
    name = "AGENT_MEMORY_RUN_ID"
    run_id = environment.text(name, about="Name of the walkthrough's memory; six random characters if unset.")
    if not run_id or RUN_ID.fullmatch(run_id):
        return run_id
    environment.reject(name, f"{name} is no name of a run.", RUN_ID_HINT)
    return ""


def _unused_keys(
    environment: Environment, model: ModelSettings, embedding: EmbeddingSettings
) -> tuple[str, ...]:
    used = {
        *((model.api_key_variable,) if model.is_configured else ()),
        *((embedding.api_key_variable,) if embedding.is_endpoint else ()),
    }
    return tuple(name for name in KNOWN_KEY_VARIABLES if name not in used and environment.is_set(name))
