"""OpenAI's models and embedding models, and those of every compatible address, under the common face."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from memory.llm.abilities import AbilityMemory, JsonMode
from memory.llm.chained import ChainedModel
from memory.llm.embedders.hosted import AsyncEmbedder
from memory.llm.embedders.openai_compatible import OpenAICompatibleEmbedder
from memory.llm.endpoints import Endpoint
from memory.llm.openai_compatible import Negotiation
from memory.llm.pacing import Pace


class _NoStore:
    """Remembers nothing beyond the process: there may be no database."""

    def load(self, endpoint: Endpoint) -> JsonMode | None:
        return None

    def save(self, endpoint: Endpoint, mode: JsonMode) -> None:
        pass


class OpenAIModel(ChainedModel):
    """One model at one address, for use in one's own code (`generate`) or as the cascade's (`answer`)."""

    def __init__(
        self,
        model: str,
        *,
        api_key: str = "",
        base_url: str = "",
        concurrency: int = 4,
        pace: Pace | None = None,
    ) -> None:
        endpoint = Endpoint(model, base_url, SecretStr(api_key), None, concurrency)
        negotiation = Negotiation(AbilityMemory(_NoStore()))
        super().__init__({"strong": (endpoint,), "cheap": (endpoint,)}, negotiation.ask, pace=pace)


class OpenAIEmbedder(AsyncEmbedder):
    """One embedding model at one address, for use in one's own code."""

    def __init__(self, model: str, *, api_key: str = "", base_url: str = "", **options: Any) -> None:
        endpoint = Endpoint(model, base_url, SecretStr(api_key))
        super().__init__(OpenAICompatibleEmbedder(endpoint, **options), model)
