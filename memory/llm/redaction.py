"""Keeping provider keys out of everything that is emitted: messages, raw answers, log records."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

REMOVED = "[key removed]"
RAW_LIMIT_CHARACTERS = 4_000
# Placeholders such as "EMPTY" or "ollama" are no secrets, and replacing them would mangle ordinary text.
SHORTEST_SECRET_CHARACTERS = 8
# Providers echo keys in part ("sk-ab***yz"), so the well-known shapes go too, whosever key it is.
KEY_SHAPES = re.compile(
    r"""(?ix)
    \b(?:bearer|basic)\s+[^\s"',;<>\\]{6,}
    | (?<![A-Za-z0-9])(?:sk|pk|gsk|xai)-[A-Za-z0-9*_\-]{6,}
    """
)


def removed_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text without these secrets, as they are or percent-encoded."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET_CHARACTERS:
            text = text.replace(secret, REMOVED).replace(quote(secret, safe=""), REMOVED)
    return text


def emitted(text: str, secrets: Iterable[str], *, limit: int = RAW_LIMIT_CHARACTERS) -> str:
    """A provider's text made fit for an error or a run: secrets and key-like shapes removed, then capped."""
    return KEY_SHAPES.sub(REMOVED, removed_secrets(text, secrets))[:limit]


def url_secrets(url: str) -> tuple[str, ...]:
    """The password that an address carries, if any."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return ()
    return (password,) if password else ()


class RedactingFilter(logging.Filter):
    """Lets a transport's warnings and errors through, with every known secret removed.

    What it writes below that (addresses, headers, request bodies) may hold people's words, so it is dropped;
    every call is recorded in its run.
    """

    def __init__(self) -> None:
        super().__init__()
        self._secrets: set[str] = set()

    def add(self, secrets: Iterable[str]) -> None:
        """Remember further secrets."""
        self._secrets.update(secret for secret in secrets if secret)

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return False
        record.msg, record.args = emitted(record.getMessage(), self._secrets), None
        return True


_FILTER = RedactingFilter()


def guard_loggers(names: Iterable[str], secrets: Iterable[str]) -> None:
    """Put the filter on these loggers, once each; a filter on a parent would not see a child's records."""
    _FILTER.add(secrets)
    for name in names:
        logging.getLogger(name).addFilter(_FILTER)
