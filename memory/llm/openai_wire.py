"""One HTTP exchange with an OpenAI-compatible endpoint, on the `openai` package, which is named nowhere else.

An exchange either gives an `Exchange` (what the endpoint wrote, not yet understood) or raises a ModelError
that says whether trying again can help. It never retries and never outlasts its deadline.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline, retry_after_seconds
from memory.llm.protocol import ModelError, PermanentModelError, TransientModelError
from memory.llm.redaction import emitted, guard_loggers, removed_secrets

if TYPE_CHECKING:
    import openai

    Send = Callable[[openai.OpenAI, openai.Timeout], Any]

CONNECT_TIMEOUT_SECONDS = 10.0
LONGEST_SENTENCE_CHARACTERS = 300
TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})
# A provider that validates JSON itself blames the request when the model got it wrong; the next try may not.
UNLUCKY_GENERATION_WORDS = ("json_validate_failed",)
# Local servers ask for no key, the SDK insists on one.
PLACEHOLDER_KEY = "none"
TRANSPORT_LOGGERS = (
    "openai",
    "openai._base_client",
    "openai._response",
    "openai._legacy_response",
    *(
        f"{name}{child}"
        for name in ("httpcore", "httpcore2")
        for child in ("", ".connection", ".http11", ".http2", ".proxy", ".socks")
    ),
    "httpx",
    "httpx2",
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A successful response as it came, but for the key, which ends here."""

    text: str
    content_type: str


class StatusError(ModelError):
    """Carries an error status to whoever may adapt the request; translated before it leaves the room."""

    def __init__(self, status: int, complaint: str, retry_after: float | None) -> None:
        super().__init__(f"http_{status}", _said(complaint), raw=complaint, retry_after_seconds=retry_after)
        self.status = status

    def translated(self) -> ModelError:
        """The same as a transient or permanent error."""
        is_transient = self.status in TRANSIENT_STATUSES or self.status >= 500
        is_unlucky = any(words in self.raw for words in UNLUCKY_GENERATION_WORDS)
        error = TransientModelError if is_transient or is_unlucky else PermanentModelError
        return error(self.kind, self.message, raw=self.raw, retry_after_seconds=self.retry_after_seconds)


def _said(complaint: str) -> str:
    """The sentence in an error's body; the start of the body where there is none."""
    try:
        document = json.loads(complaint)
        sentence = document.get("error", document)
        sentence = sentence["message"] if isinstance(sentence, dict) else sentence
    except (ValueError, AttributeError, KeyError):
        sentence = complaint
    return str(sentence)[:LONGEST_SENTENCE_CHARACTERS]


class _Watchdog:
    """Ends a response whose body is still dripping at the deadline.

    The transport's time limit holds for each read, so an endpoint that sends a byte now and then (some send
    blank lines to keep a connection alive) would hold a worker for as long as it likes.
    """

    def __init__(self) -> None:
        self._local = threading.local()

    @contextmanager
    def watching(self, deadline: Deadline) -> Iterator[None]:
        """Watch the response that this thread receives inside the block."""
        self._local.deadline, self._local.timer = deadline, None
        try:
            yield
        finally:
            self._cancel()

    def on_response(self, response: Any) -> None:
        """Called by the transport when the headers are there and the body is not."""
        stream = response.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is None:
            return
        self._cancel()
        timer = threading.Timer(self._local.deadline.remaining_seconds, _shut, (connection,))
        timer.daemon = True
        self._local.timer = timer
        timer.start()

    def _cancel(self) -> None:
        # After a redirect there was a response before this one.
        if self._local.timer is not None:
            self._local.timer.cancel()


def _shut(connection: socket.socket) -> None:
    # Shutting wakes a reader in another thread; closing would not.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


_WATCHDOG = _Watchdog()
_clients: dict[tuple[str, str], openai.OpenAI] = {}
_clients_lock = threading.Lock()


def _forget_clients() -> None:
    # A forked child must not write on its parent's connections.
    global _clients_lock  # noqa: PLW0603 - the lock may have been held by another thread at the fork
    _clients_lock = threading.Lock()
    _clients.clear()


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forget_clients)


def _client(endpoint: Endpoint) -> openai.OpenAI:
    """The process's one client for this address and key; it keeps connections open."""
    identity = (endpoint.base_url, endpoint.api_key.get_secret_value())
    with _clients_lock:
        if identity not in _clients:
            _clients[identity] = _new_client(endpoint)
        return _clients[identity]


def _new_client(endpoint: Endpoint) -> openai.OpenAI:
    import openai

    guard_loggers(TRANSPORT_LOGGERS, endpoint.secrets)
    try:
        client = openai.OpenAI(
            base_url=endpoint.base_url or "https://api.openai.com/v1",
            api_key=endpoint.api_key.get_secret_value() or PLACEHOLDER_KEY,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(event_hooks={"response": [_WATCHDOG.on_response]}),
        )
    except Exception as error:
        # Nothing was sent yet: whatever the transport dislikes here is an address it cannot parse.
        raise PermanentModelError("bad_endpoint", emitted(str(error), endpoint.secrets)) from None
    if endpoint.base_url:
        # The SDK takes these from the environment; they are nobody's business but the SDK's own provider's.
        client.organization = client.project = None
    return client


def load() -> None:
    """Import the SDK now, so that no call has to wait for it."""
    import openai  # noqa: F401


def close_clients() -> None:
    """Close every open connection of this process; the next exchange opens new ones."""
    with _clients_lock:
        for client in _clients.values():
            client.close()
        _clients.clear()


def exchange(endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> Exchange:
    """Send one chat completion request and return what came.

    Raises StatusError for an error status, TransientModelError (`network`, `timeout`) when nothing whole
    came, PermanentModelError (`bad_endpoint`) for an address that cannot be used.
    """
    rest = {key: value for key, value in body.items() if key not in ("model", "messages")}
    return _exchanged(
        endpoint,
        lambda client, limits: client.chat.completions.with_raw_response.create(
            model=body["model"], messages=body["messages"], extra_body=rest, timeout=limits
        ),
        deadline,
    )


def embeddings_exchange(endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> Exchange:
    """Send one embeddings request; raises as `exchange` does."""
    return _exchanged(
        endpoint,
        # Numbers as text: the SDK's own choice, base64, is not understood everywhere.
        lambda client, limits: client.embeddings.with_raw_response.create(
            **body, encoding_format="float", timeout=limits
        ),
        deadline,
    )


def _exchanged(endpoint: Endpoint, send: Send, deadline: Deadline) -> Exchange:
    try:
        return _sent(endpoint, send, deadline)
    except Exception as error:
        failure = _failure(error, endpoint, deadline)
        if failure is None:
            raise
    # Raised here, outside the handler: a chained exception would carry the request and its headers along.
    raise failure


def _sent(endpoint: Endpoint, send: Send, deadline: Deadline) -> Exchange:
    import openai

    remaining = max(deadline.remaining_seconds, 0.001)
    limits = openai.Timeout(remaining, connect=min(CONNECT_TIMEOUT_SECONDS, remaining))
    with _WATCHDOG.watching(deadline):
        response = send(_client(endpoint), limits)
    text = removed_secrets(response.content.decode(errors="replace"), endpoint.secrets)
    return Exchange(text, response.headers.get("content-type", ""))


def _failure(error: Exception, endpoint: Endpoint, deadline: Deadline) -> ModelError | None:
    """The error as one of ours, without the key; None for a mistake of this program."""
    import openai

    if isinstance(error, ModelError):
        return error
    if isinstance(error, openai.APIStatusError):
        complaint = emitted(error.response.text, endpoint.secrets)
        return StatusError(error.status_code, complaint, retry_after_seconds(error.response.headers))
    if isinstance(error, openai.APITimeoutError) or (
        isinstance(error, openai.APIConnectionError) and deadline.is_over
    ):
        return TransientModelError("timeout", "The model did not answer in time.")
    if isinstance(error, openai.APIConnectionError):
        cause = emitted(f"{type(error.__cause__).__name__}: {error.__cause__}", endpoint.secrets, limit=300)
        return _connection_failure(cause)
    if isinstance(error, openai.OpenAIError | UnicodeError):
        return PermanentModelError("bad_endpoint", emitted(str(error), endpoint.secrets, limit=300))
    return None


def _connection_failure(cause: str) -> ModelError:
    if cause.startswith(("UnsupportedProtocol", "InvalidURL", "LocalProtocolError")):
        return PermanentModelError("bad_endpoint", cause)
    return TransientModelError("network", cause)
