"""Anthropic's Messages API, on the `anthropic` package, which is named in no other file."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import SecretStr

from memory.llm.abilities import is_context_overflow
from memory.llm.accounting import Tally
from memory.llm.answers import has_asked_shape
from memory.llm.chained import ChainedModel, Completion, exchanged
from memory.llm.endpoints import Endpoint
from memory.llm.generated_sdk import Sdk, SdkWire
from memory.llm.pacing import Deadline, Pace
from memory.llm.protocol import ModelAlias, ModelError, ModelRequest, PermanentModelError
from memory.llm.providers.anthropic_messages import (
    Manner,
    message_body,
    next_manner,
    read_message,
)
from memory.llm.wire import Exchange, StatusError

OWN_ADDRESS = "https://api.anthropic.com"
# Gateways may ask for no key, the SDK would look for one of its own.
PLACEHOLDER_KEY = "none"


class AnthropicModel(ChainedModel):
    """One model of Anthropic's, for use in one's own code (`generate`) or as the cascade's (`answer`)."""

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str = "",
        concurrency: int = 4,
        pace: Pace | None = None,
    ) -> None:
        endpoint = Endpoint(model, base_url, SecretStr(api_key), None, concurrency, "anthropic")
        super().__init__({"strong": (endpoint,), "cheap": (endpoint,)}, Messages().ask, pace=pace)


def chained(
    chains: Mapping[ModelAlias, Sequence[Endpoint]],
    *,
    alias: ModelAlias = "strong",
    pace: Pace | None = None,
) -> ChainedModel:
    """The models that the settings name."""
    return ChainedModel(chains, _messages.ask, alias=alias, pace=pace)


class Messages:
    """Asks in the strictest way that a model bears, and remembers for this process which one that is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Manner] = {}

    def ask(self, endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally) -> Completion:
        """One model's answer to the first way of asking that it bears."""
        with self._lock:
            manner = self._known.get(endpoint.identity, Manner())
        while True:
            send = partial(_sent, endpoint, request, manner, deadline)
            try:
                completion = exchanged(send, endpoint=endpoint, deadline=deadline, tally=tally)
            except StatusError as failure:
                following = next_manner(failure, manner)
                if following is None:
                    raise _translated(failure) from None
                manner = following
                continue
            following = self._judged(endpoint, request, manner, completion)
            if following is None:
                return completion
            manner = following

    def _judged(
        self, endpoint: Endpoint, request: ModelRequest, manner: Manner, completion: Completion
    ) -> Manner | None:
        """The manner to try instead when an unproven one was ignored; None to take the answer."""
        is_good = completion.finish_reason == "stop" and has_asked_shape(completion.text, request.schema)
        following = manner.next_form() if completion.finish_reason == "stop" else None
        if is_good or manner.is_proven or following is None:
            with self._lock:
                self._known[endpoint.identity] = Manner(
                    manner.form, manner.is_proven or is_good, manner.forbids_thinking
                )
            return None
        return following


_messages = Messages()


def load() -> Sdk:
    """Import the SDK now, so that no call has to wait for it."""
    import anthropic

    return anthropic


def _client(endpoint: Endpoint, transport: Any) -> Any:
    import anthropic

    client = anthropic.Anthropic(
        api_key=endpoint.api_key.get_secret_value() or PLACEHOLDER_KEY,
        base_url=endpoint.base_url or OWN_ADDRESS,
        max_retries=0,
        http_client=transport,
    )
    if endpoint.base_url:
        # The SDK takes headers from the environment; they are meant for Anthropic's own address.
        client._custom_headers = {}
    return client


_WIRE = SdkWire(
    load=load,
    make_client=_client,
    base_error="AnthropicError",
    loggers=(
        "anthropic",
        *(f"anthropic.{name}" for name in ("_base_client", "_response", "_legacy_response", "_tracing")),
        *(f"anthropic.lib.credentials.{name}" for name in ("_auth", "_cache", "_providers", "_workload")),
    ),
)


def close_clients() -> None:
    """Close every open connection of this process; the next exchange opens new ones."""
    _WIRE.close()


def exchange(endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> Exchange:
    """Send one message and give what came; raises as `SdkWire.exchange` does."""
    return _WIRE.exchange(
        endpoint,
        lambda client, limits: client.messages.with_raw_response.create(**body, timeout=limits),
        deadline,
    )


def _sent(endpoint: Endpoint, request: ModelRequest, manner: Manner, deadline: Deadline) -> Completion:
    body = message_body(request, endpoint.model, manner)
    return read_message(exchange(endpoint, body, deadline), request, endpoint)


def _translated(failure: StatusError) -> ModelError:
    if is_context_overflow(failure.status, failure.raw):
        return PermanentModelError("context_length", failure.message, raw=failure.raw)
    return failure.translated()
