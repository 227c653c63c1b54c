"""Any embedding model behind an OpenAI-compatible address. The wire is that of the models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from memory.llm.chained import SLOTS
from memory.llm.embedders.hosted import HostedEmbedder
from memory.llm.embedders.wire import embeddings
from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors
    from memseek_site.product import EmbeddingSettings


def openai_compatible_embedder(settings: EmbeddingSettings) -> OpenAICompatibleEmbedder:
    """The embedder that the settings describe."""
    return OpenAICompatibleEmbedder(
        Endpoint(settings.model, settings.base_url, SecretStr(settings.api_key)),
        dimensions=settings.dimensions,
        text_prefix=settings.text_prefix,
        query_prefix=settings.query_prefix,
        timeout_seconds=settings.timeout_seconds,
    )


class OpenAICompatibleEmbedder(HostedEmbedder):
    """Embeds through one endpoint; options are those of every hosted embedder."""

    def __init__(self, endpoint: Endpoint, **options: Any) -> None:
        once = partial(_once, endpoint)
        super().__init__(once, provider="openai_compatible", model=endpoint.model, **options)


def _once(endpoint: Endpoint, texts: list[str], dimensions: int, deadline: Deadline) -> Vectors:
    body: dict[str, Any] = {"model": endpoint.model, "input": texts}
    if dimensions:
        body["dimensions"] = dimensions
    with SLOTS.taken(f"embeddings {endpoint.address}", endpoint.concurrency, deadline):
        return embeddings(endpoint, body, deadline)
