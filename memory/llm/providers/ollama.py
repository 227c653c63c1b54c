"""Models and embedding models on a server of Ollama's, through its own protocol.

Its OpenAI-compatible address serves too, but there nobody can say how large a context is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from memory.llm.accounting import Tally
from memory.llm.chained import SLOTS, ChainedModel, Completion, exchanged
from memory.llm.embedders.hosted import AsyncEmbedder, HostedEmbedder
from memory.llm.embedders.vectors import unit_rows
from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline, Pace
from memory.llm.protocol import ModelAlias, ModelRequest
from memory.llm.providers.ollama_chat import ContextSizes, chat_arguments, read_chat
from memory.llm.providers.ollama_wire import exchange
from memory.llm.wire import StatusError, malformed

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors
    from memseek_site.product import EmbeddingSettings

_sizes = ContextSizes()


class OllamaModel(ChainedModel):
    """One model on one server, for use in one's own code (`generate`) or as the cascade's (`answer`)."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str = "",
        concurrency: int = 4,
        pace: Pace | None = None,
    ) -> None:
        endpoint = Endpoint(model, base_url, SecretStr(api_key), None, concurrency, "ollama")
        super().__init__({"strong": (endpoint,), "cheap": (endpoint,)}, _ask, pace=pace)


class OllamaEmbedder(AsyncEmbedder):
    """One embedding model on one server, for use in one's own code."""

    def __init__(self, model: str, *, base_url: str = "", api_key: str = "", **options: Any) -> None:
        endpoint = Endpoint(model, base_url, SecretStr(api_key), provider="ollama")
        super().__init__(hosted_embedder(endpoint, **options), model)


def chained(
    chains: Mapping[ModelAlias, Sequence[Endpoint]],
    *,
    alias: ModelAlias = "strong",
    pace: Pace | None = None,
) -> ChainedModel:
    """The models that the settings name."""
    return ChainedModel(chains, _ask, alias=alias, pace=pace)


def ollama_embedder(settings: EmbeddingSettings) -> HostedEmbedder:
    """The embedder that the settings describe."""
    return hosted_embedder(
        Endpoint(settings.model, settings.base_url, SecretStr(settings.api_key), provider="ollama"),
        dimensions=settings.dimensions,
        text_prefix=settings.text_prefix,
        query_prefix=settings.query_prefix,
        timeout_seconds=settings.timeout_seconds,
    )


def hosted_embedder(endpoint: Endpoint, **options: Any) -> HostedEmbedder:
    """An embedder at an endpoint; options are those of every hosted embedder."""
    return HostedEmbedder(partial(_embed, endpoint), provider="ollama", model=endpoint.model, **options)


def _ask(endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally) -> Completion:
    send = partial(_chat, endpoint, request, deadline)
    try:
        return exchanged(send, endpoint=endpoint, deadline=deadline, tally=tally)
    except StatusError as error:
        failure = error.translated()
    raise failure


def _chat(endpoint: Endpoint, request: ModelRequest, deadline: Deadline) -> Completion:
    arguments = chat_arguments(request, endpoint.model, _sizes.size_for(endpoint, request))
    response = exchange(endpoint, lambda client: client.chat(**arguments), deadline)
    return read_chat(response, request, endpoint)


def _embed(endpoint: Endpoint, texts: list[str], dimensions: int, deadline: Deadline) -> Vectors:
    import numpy as np

    with SLOTS.taken(f"embeddings {endpoint.address}", endpoint.concurrency, deadline):
        response = exchange(
            endpoint,
            lambda client: client.embed(endpoint.model, texts, dimensions=dimensions or None),
            deadline,
        )
    try:
        rows = np.array(response.embeddings, dtype=np.float32)
        if rows.ndim == 2 and len(rows) == len(texts):
            return unit_rows(rows)
    except ValueError:
        pass
    raise malformed(f"The response holds no {len(texts)} vectors of one length.", "")
