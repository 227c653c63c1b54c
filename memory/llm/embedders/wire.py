"""One request to `/embeddings`, and reading what came. Never retries and never outlasts its deadline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory.llm.embedders.vectors import unit_rows
from memory.llm.endpoints import Endpoint
from memory.llm.openai_wire import embeddings_exchange
from memory.llm.pacing import Deadline
from memory.llm.protocol import PermanentModelError, TransientModelError
from memory.llm.redaction import emitted
from memory.llm.wire import Exchange, StatusError

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors


def embeddings(endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> Vectors:
    """Unit vectors in the order of `body["input"]`; raises ModelErrors as `embeddings_exchange` does."""
    return _read(embeddings_exchange(endpoint, body, deadline), len(body["input"]), endpoint)


def _read(exchange: Exchange, count: int, endpoint: Endpoint) -> Vectors:
    """The vectors of a successful response, put in order by their index."""
    if exchange.content_type.lower().startswith("text/html"):
        message = "The address answered with a page, no JSON; check the base URL."
        raise PermanentModelError("wrong_content_type", message)
    try:
        document = json.loads(exchange.text)
        _raise_embedded_error(document, endpoint)
        return _rows(document["data"], count)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        message = f"The response holds no {count} vectors of one length."
    raise TransientModelError("malformed_response", message)


def _raise_embedded_error(document: dict[str, Any], endpoint: Endpoint) -> None:
    """Routers answer 200 and put the provider's error, with its own status, into the body."""
    error = document.get("error")
    if error and not document.get("data"):
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        raise StatusError(status, emitted(json.dumps(error, ensure_ascii=False), endpoint.secrets), None)


def _rows(data: list[dict[str, Any]], count: int) -> Vectors:
    import numpy as np

    ordered = sorted(data, key=lambda item: int(item["index"]))
    if [item["index"] for item in ordered] != list(range(count)):
        raise ValueError("Vectors are missing.")
    rows = np.array([item["embedding"] for item in ordered], dtype=np.float32)
    if rows.ndim != 2:
        raise ValueError("A vector is no list of numbers.")
    return unit_rows(rows)
