"""Exchanges through the SDKs that one generator makes for several vendors: same classes, other names.

Who uses it names the SDK, imports it late and says how its client is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline, retry_after_seconds
from memory.llm.protocol import ModelError, PermanentModelError, TransientModelError
from memory.llm.redaction import emitted, guard_loggers, removed_secrets
from memory.llm.wire import (
    CONNECT_TIMEOUT_SECONDS,
    TRANSPORT_LOGGERS,
    WATCHDOG,
    Clients,
    Exchange,
    StatusError,
    connection_failure,
)


class Sdk(Protocol):
    """The parts of such a package that are used here. A module fits."""

    @property
    def Timeout(self) -> Any: ...  # noqa: N802 - the package's own names

    @property
    def DefaultHttpxClient(self) -> Any: ...  # noqa: N802

    @property
    def APIStatusError(self) -> type[Exception]: ...  # noqa: N802

    @property
    def APITimeoutError(self) -> type[Exception]: ...  # noqa: N802

    @property
    def APIConnectionError(self) -> type[Exception]: ...  # noqa: N802


class SdkWire:
    """One vendor's wire. An exchange never retries and never outlasts its deadline.

    `load` imports the SDK; `make_client` takes an endpoint and a transport; `base_error` names the class of
    all the SDK's errors; `loggers` are those that the SDK writes to.
    """

    def __init__(
        self,
        *,
        load: Callable[[], Sdk],
        make_client: Callable[[Endpoint, Any], Any],
        base_error: str,
        loggers: tuple[str, ...],
    ) -> None:
        self.load = load
        self._make_client = make_client
        self._base_error = base_error
        self._loggers = loggers
        self._clients: Clients[Any] = Clients(self._new_client)

    def close(self) -> None:
        """Close every open connection of this process; the next exchange opens new ones."""
        self._clients.close()

    def exchange(self, endpoint: Endpoint, send: Callable[[Any, Any], Any], deadline: Deadline) -> Exchange:
        """Send one request, `send(client, time_limits)`, and give what came, not yet understood.

        Raises StatusError for an error status, TransientModelError (`network`, `timeout`) when nothing whole
        came, PermanentModelError (`bad_endpoint`) for an address that cannot be used.
        """
        try:
            return self._sent(endpoint, send, deadline)
        except Exception as error:
            failure = self._failure(error, endpoint, deadline)
            if failure is None:
                raise
        # Raised here, outside the handler: a chained exception would carry the request and its headers along.
        raise failure

    def _new_client(self, endpoint: Endpoint) -> Any:
        guard_loggers((*self._loggers, *TRANSPORT_LOGGERS), endpoint.secrets)
        transport = self.load().DefaultHttpxClient(event_hooks={"response": [WATCHDOG.on_response]})
        return self._make_client(endpoint, transport)

    def _sent(self, endpoint: Endpoint, send: Callable[[Any, Any], Any], deadline: Deadline) -> Exchange:
        remaining = max(deadline.remaining_seconds, 0.001)
        limits = self.load().Timeout(remaining, connect=min(CONNECT_TIMEOUT_SECONDS, remaining))
        client = self._clients.at(endpoint)
        with WATCHDOG.watching(deadline):
            response = send(client, limits).http_response
        text = removed_secrets(response.content.decode(errors="replace"), endpoint.secrets)
        return Exchange(text, response.headers.get("content-type", ""))

    def _failure(self, error: Exception, endpoint: Endpoint, deadline: Deadline) -> ModelError | None:
        """The error as one of ours, without the key; None for a mistake of this program."""
        sdk = self.load()
        if isinstance(error, ModelError):
            return error
        if isinstance(error, sdk.APIStatusError):
            response: Any = error.response  # type: ignore[attr-defined]  # the package is named elsewhere
            complaint = emitted(response.text, endpoint.secrets)
            return StatusError(response.status_code, complaint, retry_after_seconds(response.headers))
        is_cut = isinstance(error, sdk.APIConnectionError)
        if isinstance(error, sdk.APITimeoutError) or (is_cut and deadline.is_over):
            return TransientModelError("timeout", "The model did not answer in time.")
        if is_cut:
            return connection_failure(error.__cause__, endpoint)
        if isinstance(error, getattr(sdk, self._base_error) | UnicodeError):
            return PermanentModelError("bad_endpoint", emitted(str(error), endpoint.secrets, limit=300))
        return None
