"""Settings of the sandbox: whether visitors may type words of their own, which model reads them, how much."""

from __future__ import annotations

from dataclasses import dataclass

from memseek_site.environment import Environment


@dataclass(frozen=True)
class SandboxSettings:
    """What strangers may do on the pages."""

    is_on: bool = False
    asks_model: bool = False
    """Whether the configured model and the embeddings' endpoint see the words of visitors."""
    daily_tokens: int = 200_000
    """Of all visitors together in a day (UTC)."""
    hours: int = 24
    """A sandbox is erased so long after it was made."""
    messages: int = 40
    """Of one sandbox."""
    characters: int = 1_000
    """Of one message."""
    most: int = 500
    """Sandboxes that stand at once."""
    new_an_hour: int = 10
    """Sandboxes that an address may have made in an hour; 0 is no limit."""
    said_a_minute: int = 30
    """Messages of an address in a minute; 0 is no limit."""


def read_sandbox(environment: Environment, *, is_production: bool) -> SandboxSettings:
    """Everything about the sandbox; in production strangers write nothing unless somebody says so."""
    return SandboxSettings(
        is_on=environment.flag(
            "MEMSEEK_SANDBOX",
            default=not is_production,
            about="Let visitors of the pages try a memory of their own; off in production.",
        ),
        asks_model=environment.flag(
            "MEMSEEK_SANDBOX_MODEL",
            default=False,
            about="Let the configured model and embeddings read visitors' words; else they stay offline.",
        ),
        **{
            name: environment.count(variable, usual, least=least, about=about)
            for name, variable, usual, least, about in _COUNTS
        },
    )


_COUNTS = (
    (
        "daily_tokens",
        "MEMSEEK_SANDBOX_DAILY_TOKENS",
        200_000,
        1,
        "Model tokens of all visitors in a day (UTC).",
    ),
    (
        "hours",
        "MEMSEEK_SANDBOX_HOURS",
        24,
        1,
        "A visitor's memory is erased so many hours after it was made.",
    ),
    ("messages", "MEMSEEK_SANDBOX_MESSAGES", 40, 1, "Messages of a visitor's memory."),
    ("characters", "MEMSEEK_SANDBOX_CHARACTERS", 1_000, 1, "Characters of a visitor's message."),
    ("most", "MEMSEEK_SANDBOX_MOST", 500, 1, "Visitors' memories that stand at once."),
    ("new_an_hour", "MEMSEEK_SANDBOX_NEW", 10, 0, "New ones of an address in an hour; 0: no limit."),
    (
        "said_a_minute",
        "MEMSEEK_SANDBOX_RATE",
        30,
        0,
        "Visitors' messages of an address a minute; 0: no limit.",
    ),
)
