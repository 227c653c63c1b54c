"""What every exchange over HTTP has in common: a hard deadline, kept connections, errors without a key.

Nothing here names an SDK. A provider's file sends through its own, inside `WATCHDOG.watching`, and puts the
watchdog's hook into the transport that the SDK uses.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline
from memory.llm.protocol import ModelError, PermanentModelError, TransientModelError
from memory.llm.redaction import emitted

CONNECT_TIMEOUT_SECONDS = 10.0
LONGEST_SENTENCE_CHARACTERS = 300
TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})
# A provider that validates JSON itself blames the request when the model got it wrong; the next try may not.
UNLUCKY_GENERATION_WORDS = ("json_validate_failed",)
TRANSPORT_LOGGERS = (
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
        is_unlucky = any(words in self.raw for words in UNLUCKY_GENERATION_WORDS)
        error = TransientModelError if is_transient(self.status) or is_unlucky else PermanentModelError
        return error(self.kind, self.message, raw=self.raw, retry_after_seconds=self.retry_after_seconds)


def is_transient(status: int) -> bool:
    """Whether an error of this status may pass by itself."""
    return status in TRANSIENT_STATUSES or status >= 500


def _said(complaint: str) -> str:
    """The sentence in an error's body; the start of the body where there is none."""
    try:
        document = json.loads(complaint)
        sentence = document.get("error", document)
        sentence = sentence["message"] if isinstance(sentence, dict) else sentence
    except (ValueError, AttributeError, KeyError):
        sentence = complaint
    return str(sentence)[:LONGEST_SENTENCE_CHARACTERS]


def connection_failure(cause: BaseException | None, endpoint: Endpoint) -> ModelError:
    """What a transport's own exception means: an address that cannot be used, else a network that may."""
    told = emitted(f"{type(cause).__name__}: {cause}", endpoint.secrets, limit=LONGEST_SENTENCE_CHARACTERS)
    if told.startswith(("UnsupportedProtocol", "InvalidURL", "LocalProtocolError")):
        return PermanentModelError("bad_endpoint", told)
    return TransientModelError("network", told)


def json_object(exchange: Exchange, endpoint: Endpoint) -> dict[str, Any]:
    """The object that a response holds.

    Raises PermanentModelError (`wrong_content_type`) for a page, TransientModelError (`malformed_response`)
    for what is no JSON object.
    """
    content_type = exchange.content_type.partition(";")[0].strip().lower()
    raw = emitted(exchange.text, endpoint.secrets)
    if content_type and not content_type.endswith("json") and content_type != "text/plain":
        message = f"The address answered {content_type[:60]}, no JSON; check the base URL."
        raise PermanentModelError("wrong_content_type", message, raw=raw)
    try:
        document = json.loads(exchange.text)
    except (ValueError, RecursionError):
        raise malformed("The response is no valid JSON.", raw) from None
    if not isinstance(document, dict):
        raise malformed("The response is no JSON object.", raw)
    return document


def malformed(message: str, raw: str) -> ModelError:
    """A response that another try may mend."""
    return TransientModelError("malformed_response", message, raw=raw)


def count(value: Any) -> int | None:
    """A reported number of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


@dataclass(slots=True)
class Watch:
    """One exchange that is being watched; `headers` are those of the last response that came."""

    deadline: Deadline
    timer: threading.Timer | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def cancel(self) -> None:
        """Leave the connection alone."""
        if self.timer is not None:
            self.timer.cancel()


class Watchdog:
    """Ends a response whose body is still dripping at the deadline.

    The transport's time limit holds for each read, so an endpoint that sends a byte now and then (some send
    blank lines to keep a connection alive) would hold a worker for as long as it likes.
    """

    def __init__(self) -> None:
        self._local = threading.local()

    @contextmanager
    def watching(self, deadline: Deadline) -> Iterator[Watch]:
        """Watch the response that this thread receives inside the block."""
        watch = self._local.watch = Watch(deadline)
        try:
            yield watch
        finally:
            watch.cancel()

    def remaining_seconds(self) -> float:
        """The time that this thread's exchange has left, for a transport that has to be told it."""
        watch: Watch = self._local.watch
        return max(watch.deadline.remaining_seconds, 0.001)

    def on_response(self, response: Any) -> None:
        """Called by the transport when the headers are there and the body is not."""
        watch: Watch = self._local.watch
        # After a redirect there was a response before this one.
        watch.cancel()
        watch.headers = response.headers
        stream = response.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is None:
            return
        watch.timer = threading.Timer(watch.deadline.remaining_seconds, _shut, (connection,))
        watch.timer.daemon = True
        watch.timer.start()


def _shut(connection: socket.socket) -> None:
    # Shutting wakes a reader in another thread; closing would not.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


WATCHDOG = Watchdog()


class _Closable(Protocol):
    def close(self) -> None: ...


Client = TypeVar("Client", bound=_Closable)


class Clients(Generic[Client]):
    """A process's one client for each address and key; it keeps connections open."""

    def __init__(self, make: Callable[[Endpoint], Client]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], Client] = {}
        if hasattr(os, "register_at_fork"):  # there is no fork on Windows
            os.register_at_fork(after_in_child=self._forget)

    def at(self, endpoint: Endpoint) -> Client:
        """The client for this endpoint. PermanentModelError (`bad_endpoint`) for an impossible address."""
        identity = (endpoint.base_url, endpoint.api_key.get_secret_value())
        with self._lock:
            if identity not in self._made:
                self._made[identity] = self._new(endpoint)
            return self._made[identity]

    def close(self) -> None:
        """Close every open connection of this process; the next exchange opens new ones."""
        with self._lock:
            for client in self._made.values():
                client.close()
            self._made.clear()

    def _new(self, endpoint: Endpoint) -> Client:
        try:
            return self._make(endpoint)
        except ModelError:
            raise
        except Exception as error:
            # Nothing was sent yet: whatever the transport dislikes here is an address it cannot parse.
            raise PermanentModelError("bad_endpoint", emitted(str(error), endpoint.secrets)) from None

    def _forget(self) -> None:
        # A forked child must not write on its parent's connections; the lock may have been held at the fork.
        self._lock = threading.Lock()
        self._made.clear()
