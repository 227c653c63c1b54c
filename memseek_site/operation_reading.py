"""Settings of operations: what is taken out at the door, and who may read the metrics."""

from memseek_site.environment import Environment
from memseek_site.product import MetricsSettings

REDACT_NAME = "MEMSEEK_REDACT"
REDACTED = ("secrets", "personal")
TOKEN_NAME = "MEMSEEK_METRICS_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST_TOKEN = 16


def read_redaction(environment: Environment) -> frozenset[str]:
    """What MEMSEEK_REDACT names; nothing at all when one of it is not known."""
    chosen = frozenset(
        environment.names(
            REDACT_NAME,
            about="What is taken out of words before they are stored: secrets, personal, or both.",
        )
    )
    if chosen <= set(REDACTED):
        return chosen
    environment.reject(
        REDACT_NAME,
        f"{REDACT_NAME} names what cannot be taken out.",
        f"Name {' and '.join(REDACTED)}, separated by a comma, or unset it.",
    )
    return frozenset()


def read_metrics(environment: Environment) -> MetricsSettings:
    """The switch of `/metrics` and the token that it asks for."""
    is_on = environment.flag("MEMSEEK_METRICS", default=False, about="Answer Prometheus at /metrics.")
    token = environment.text(
        TOKEN_NAME, about="Bearer token that /metrics asks for; without one nobody is asked."
    )
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii()):
        environment.reject(
            TOKEN_NAME,
            f"{TOKEN_NAME} is too short, or not ASCII.",
            f"Give it {SHORTEST_TOKEN} or more random characters, such as those of: openssl rand -hex 24",
        )
        return MetricsSettings()
    return MetricsSettings(is_on, token)
