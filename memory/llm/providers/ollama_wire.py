"""One HTTP exchange with a server of Ollama's, on the `ollama` package, which is named in no other file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline, retry_after_seconds
from memory.llm.protocol import ModelError, PermanentModelError, TransientModelError
from memory.llm.redaction import emitted, guard_loggers
from memory.llm.wire import (
    CONNECT_TIMEOUT_SECONDS,
    TRANSPORT_LOGGERS,
    WATCHDOG,
    Clients,
    StatusError,
    Watch,
    connection_failure,
    malformed,
)

if TYPE_CHECKING:
    import ollama

OWN_ADDRESS = "http://127.0.0.1:11434"

Response = TypeVar("Response")


def load() -> None:
    """Import the SDK now, so that no call has to wait for it."""
    import ollama  # noqa: F401


def _new_client(endpoint: Endpoint) -> ollama.Client:
    import ollama

    guard_loggers(TRANSPORT_LOGGERS, endpoint.secrets)
    key = endpoint.api_key.get_secret_value()

    def before(request: Any) -> None:
        """The SDK knows time limits for a client only, and takes a key from the environment by itself."""
        seconds = WATCHDOG.remaining_seconds()
        limits = dict.fromkeys(("read", "write", "pool"), seconds)
        request.extensions["timeout"] = {**limits, "connect": min(CONNECT_TIMEOUT_SECONDS, seconds)}
        if not key:
            request.headers.pop("authorization", None)

    return ollama.Client(
        endpoint.base_url or OWN_ADDRESS,
        headers={"authorization": f"Bearer {key}"} if key else None,
        event_hooks={"request": [before], "response": [WATCHDOG.on_response]},
    )


_CLIENTS = Clients(_new_client)


def close_clients() -> None:
    """Close every open connection of this process; the next exchange opens new ones."""
    _CLIENTS.close()


def exchange(endpoint: Endpoint, send: Callable[[ollama.Client], Response], deadline: Deadline) -> Response:
    """What one call of the SDK gives. It never retries and never outlasts its deadline.

    Raises StatusError for an error status, PermanentModelError for a model that is not there (`http_404`) or
    an address that cannot be used, TransientModelError (`network`, `timeout`, `malformed_response`) when
    nothing whole came.
    """
    watch = Watch(deadline)
    try:
        client = _CLIENTS.at(endpoint)
        with WATCHDOG.watching(deadline) as watch:
            return send(client)
    except Exception as error:
        failure = _failure(error, endpoint, watch)
        if failure is None:
            raise
    # Raised here, outside the handler: a chained exception would carry the request and its headers along.
    raise failure


def _failure(error: Exception, endpoint: Endpoint, watch: Watch) -> ModelError | None:
    """The error as one of ours, without the key; None for a mistake of this program."""
    import httpx
    import ollama

    if isinstance(error, ModelError):
        return error
    if isinstance(error, ollama.ResponseError):
        return _refusal(error, endpoint, watch)
    is_cut = isinstance(error, httpx.TransportError | ConnectionError)
    if isinstance(error, httpx.TimeoutException) or (is_cut and watch.deadline.is_over):
        return TransientModelError("timeout", "The model did not answer in time.")
    if isinstance(error, ConnectionError):
        return TransientModelError("network", "Nobody answers at the address of Ollama; is it running?")
    if is_cut or isinstance(error, httpx.InvalidURL):
        return connection_failure(error, endpoint)
    # The SDK reads the response itself: what it cannot read is no answer of Ollama's.
    return _unreadable(watch) if watch.headers and isinstance(error, ValueError | TypeError) else None


def _refusal(error: ollama.ResponseError, endpoint: Endpoint, watch: Watch) -> ModelError:
    complaint = emitted(str(error.error), endpoint.secrets)
    # An error without a status was sent with a good one.
    status = error.status_code if error.status_code > 0 else 502
    failure = StatusError(status, complaint, retry_after_seconds(watch.headers))
    if status == 404 and "model" in complaint:
        hint = f"{failure.message}; fetch it with: ollama pull {endpoint.model}"
        return replace(failure.translated(), message=hint)
    return failure


def _unreadable(watch: Watch) -> ModelError:
    content_type = watch.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type and not content_type.endswith("json"):
        message = f"The address answered {content_type[:60]}, no JSON; check the base URL."
        return PermanentModelError("wrong_content_type", message)
    return malformed("The response is no answer of Ollama's.", "")
