"""The stub as the site's model: what a worker asks goes to it over HTTP, and nothing waits between tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from benchmarks.answers import answer_to
from memory.llm.configuration import endpoint_chains
from memory.llm.openai_wire import close_clients
from memory.models import ModelEndpoint
from tests.stub_provider.replies import Reply
from tests.stub_provider.server import StubProvider


def well(body: dict[str, Any]) -> Reply:
    """What a model that works answers."""
    return Reply.json(answer_to(body))


@contextmanager
def as_the_model(
    settings: Any, respond: Callable[[dict[str, Any]], Reply] = well, **waking: Any
) -> Iterator[StubProvider]:
    """A provider that works unless a test scripts something else; `waking` changes times of waking."""
    with StubProvider(respond=respond) as provider:
        product = settings.MEMSEEK
        times: dict[str, Any] = {
            "quiet_seconds": 0.0,
            "scene_interval_seconds": 0.0,
            "persona_interval_seconds": 0.0,
            "promotion_seconds": 0.0,
            "retry_seconds": (0.0, 0.0, 0.0),
        }
        settings.MEMSEEK = replace(
            product,
            model=replace(
                product.model,
                base_url=provider.base_url,
                api_key="sk-for-the-stub",
                strong="stub",
                cheap="stub",
            ),
            waking=replace(product.waking, **{**times, **waking}),
        )
        # Known to bear a schema: an answer of no shape does not make the client look for another mode.
        endpoint = endpoint_chains()["strong"][0]
        ModelEndpoint.objects.create(
            base_url_hash=endpoint.base_url_hash, model=endpoint.model, json_mode="json_schema"
        )
        try:
            yield provider
        finally:
            close_clients()
