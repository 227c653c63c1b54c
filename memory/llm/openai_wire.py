"""One HTTP exchange with an OpenAI-compatible endpoint, on the `openai` package, which is named nowhere else.

An exchange either gives an `Exchange` (what the endpoint wrote, not yet understood) or raises a ModelError
that says whether trying again can help. It never retries and never outlasts its deadline.
"""

from __future__ import annotations

from typing import Any

from memory.llm.endpoints import Endpoint
from memory.llm.generated_sdk import Sdk, SdkWire
from memory.llm.pacing import Deadline
from memory.llm.wire import Exchange

# Local servers ask for no key, the SDK insists on one.
PLACEHOLDER_KEY = "none"


def load() -> Sdk:
    """Import the SDK now, so that no call has to wait for it."""
    import openai

    return openai


def _client(endpoint: Endpoint, transport: Any) -> Any:
    import openai

    client = openai.OpenAI(
        base_url=endpoint.base_url or "https://api.openai.com/v1",
        api_key=endpoint.api_key.get_secret_value() or PLACEHOLDER_KEY,
        max_retries=0,
        http_client=transport,
    )
    if endpoint.base_url:
        # The SDK takes these from the environment; they are nobody's business but the SDK's own provider's.
        client.organization = client.project = None
    return client


_WIRE = SdkWire(
    load=load,
    make_client=_client,
    base_error="OpenAIError",
    loggers=("openai", "openai._base_client", "openai._response", "openai._legacy_response"),
)


def close_clients() -> None:
    """Close every open connection of this process; the next exchange opens new ones."""
    _WIRE.close()


def exchange(endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> Exchange:
    """Send one chat completion request and give what came; raises as `SdkWire.exchange` does."""
    rest = {key: value for key, value in body.items() if key not in ("model", "messages")}
    return _WIRE.exchange(
        endpoint,
        lambda client, limits: client.chat.completions.with_raw_response.create(
            model=body["model"], messages=body["messages"], extra_body=rest, timeout=limits
        ),
        deadline,
    )


def embeddings_exchange(endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> Exchange:
    """Send one embeddings request; raises as `exchange` does."""
    return _WIRE.exchange(
        endpoint,
        # Numbers as text: the SDK's own choice, base64, is not understood everywhere.
        lambda client, limits: client.embeddings.with_raw_response.create(
            **body, encoding_format="float", timeout=limits
        ),
        deadline,
    )
