"""What an exception from code that somebody else wrote means, whichever SDK it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from memory.llm.answers import faults_of
from memory.llm.embedders.protocol import EmbeddingError, TransientEmbeddingError
from memory.llm.pacing import retry_after_seconds
from memory.llm.protocol import ModelError, PermanentModelError, TransientModelError
from memory.llm.redaction import emitted
from memory.llm.wire import is_transient

LONGEST_MESSAGE_CHARACTERS = 300
MISTAKES = (TypeError, AttributeError, NameError, ImportError, NotImplementedError, AssertionError)
# SDKs and transports have classes of their own for it; their names are all they have in common.
TIMEOUT_NAMES = ("Timeout",)
NETWORK_NAMES = ("ConnectionError", "ConnectError", "TransportError", "NetworkError", "ProtocolError")


def failure_of(error: Exception) -> ModelError:
    """The exception as a ModelError, without keys, and without what an answer held.

    An exception of which nothing is known is transient: the cascade tries it again, then parks what it could
    not read.
    """
    if isinstance(error, ModelError):
        return error
    if isinstance(error, EmbeddingError):
        kind = TransientModelError if isinstance(error, TransientEmbeddingError) else PermanentModelError
        return kind(error.kind, error.message, retry_after_seconds=error.retry_after_seconds)
    if isinstance(error, ValidationError):
        return TransientModelError("invalid_answer", f"The answer does not fit: {faults_of(error)}.")
    message = emitted(f"{type(error).__name__}: {error}", (), limit=LONGEST_MESSAGE_CHARACTERS)
    status = _status_of(error)
    if status is not None:
        kind = TransientModelError if is_transient(status) else PermanentModelError
        return kind(f"http_{status}", message, retry_after_seconds=retry_after_seconds(_headers_of(error)))
    if isinstance(error, TimeoutError) or _is_named(error, TIMEOUT_NAMES):
        return TransientModelError("timeout", "The model did not answer in time.")
    if isinstance(error, OSError) or _is_named(error, NETWORK_NAMES):
        return TransientModelError("network", message)
    if isinstance(error, MISTAKES):
        return PermanentModelError("bad_provider", message)
    return TransientModelError("provider_failed", message)


def _status_of(error: Exception) -> int | None:
    """The HTTP status that an exception carries itself or in its response."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and 400 <= status < 600:
            return status
    return None


def _headers_of(error: Exception) -> Mapping[str, str]:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _is_named(error: Exception, words: tuple[str, ...]) -> bool:
    return any(word in one.__name__ for one in type(error).__mro__ for word in words)
