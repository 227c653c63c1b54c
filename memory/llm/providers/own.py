"""Models and embedders that somebody wrote by the seams, named in the settings by a dotted path."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, cast

from django.utils.module_loading import import_string
from pydantic import BaseModel

from memory.llm.accounting import Tally
from memory.llm.chained import SLOTS, ChainedModel, Completion, completed, ensure_time, usage_of
from memory.llm.embedders.hosted import HostedEmbedder
from memory.llm.embedders.protocol import MOST_DIMENSIONS
from memory.llm.embedders.vectors import unit_rows
from memory.llm.endpoints import Endpoint, Price
from memory.llm.pacing import Deadline, Pace
from memory.llm.protocol import Model, ModelRequest, PermanentModelError
from memory.llm.providers.calling import called
from memory.llm.providers.failures import failure_of
from memory.llm.redaction import emitted
from memory.llm.seams import LanguageModel, TextEmbedder
from memory.llm.wire import malformed

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Vectors
    from memseek_site.product import EmbeddingSettings

# A run has room for so many.
LONGEST_NAME_CHARACTERS = 128


class SeamError(LookupError):
    """What a dotted path names is not there or has another shape."""


@lru_cache
def model_seam(path: str) -> LanguageModel | Model:
    """The model at a dotted path, made once for the process. Raises SeamError."""
    found = _made(path, ("generate", "answer"))
    if callable(getattr(found, "answer", None)) and not isinstance(getattr(found, "name", None), str):
        raise SeamError(f"{path} has a method answer, but no name of its own.")
    return cast(LanguageModel, found)


@lru_cache
def embedder_seam(path: str) -> TextEmbedder:
    """The embedder at a dotted path, made once for the process. Raises SeamError."""
    found = _made(path, ("embed",))
    dimensions = getattr(found, "dimensions", None)
    if not isinstance(dimensions, int) or not 0 < dimensions <= MOST_DIMENSIONS:
        raise SeamError(f"{path} has no dimensions from 1 to {MOST_DIMENSIONS}.")
    return cast(TextEmbedder, found)


def _made(path: str, methods: tuple[str, ...]) -> Any:
    """The object at the path, or what the class or function there gives."""
    try:
        found = import_string(path)
    except Exception as error:
        raise SeamError(f"{path} cannot be imported: {_told(error)}") from error
    if isinstance(found, type) or not _has_any(found, methods):
        found = _given(path, found)
    if not _has_any(found, methods):
        raise SeamError(f"{path} has no method {' or '.join(methods)}.")
    return found


def _given(path: str, maker: Any) -> Any:
    if not callable(maker):
        return maker
    try:
        return maker()
    except Exception as error:
        raise SeamError(f"{path} cannot be made: {_told(error)}") from error


def _told(error: Exception) -> str:
    return emitted(f"{type(error).__name__}: {error}", (), limit=300)


def _has_any(found: Any, methods: tuple[str, ...]) -> bool:
    return any(callable(getattr(found, name, None)) for name in methods)


def own_model(
    seam: LanguageModel | Model,
    *,
    name: str = "",
    concurrency: int = 4,
    price: Price | None = None,
    pace: Pace | None = None,
) -> Model:
    """A seam as the model that the cascade asks; one with a method `answer` is that already.

    Runs are recorded under the seam's own `name`, else under `name`, else under its class's.
    """
    if callable(getattr(seam, "answer", None)):
        return cast(Model, seam)
    endpoint = Endpoint(name_of(seam, name), price=price, concurrency=concurrency, provider="own model")
    chain = (endpoint,)
    return ChainedModel(
        {"strong": chain, "cheap": chain}, partial(_ask, cast(LanguageModel, seam)), pace=pace
    )


def own_embedder(
    seam: TextEmbedder, *, name: str = "", concurrency: int = 4, **options: Any
) -> HostedEmbedder:
    """A seam as the embedder that index and recall ask; options are those of every hosted embedder."""
    return HostedEmbedder(
        partial(_embed, seam, concurrency),
        provider="own",
        model=name_of(seam, name),
        dimensions=seam.dimensions,
        asks_for_dimensions=False,
        **options,
    )


def configured_embedder(settings: EmbeddingSettings) -> HostedEmbedder:
    """The embedder whose dotted path the settings give as the provider."""
    return own_embedder(
        embedder_seam(settings.provider),
        name=settings.provider,
        text_prefix=settings.text_prefix,
        query_prefix=settings.query_prefix,
        timeout_seconds=settings.timeout_seconds,
    )


def name_of(seam: object, name: str) -> str:
    """A seam's own name, else the given one, else that of its class."""
    own = getattr(seam, "name", None)
    chosen = own if isinstance(own, str) and own else name or type(seam).__qualname__
    return chosen[:LONGEST_NAME_CHARACTERS]


def _ask(
    seam: LanguageModel, endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally
) -> Completion:
    prompt = "\n\n".join(words for words in (request.system, request.user) if words)
    call = partial(seam.generate, prompt, response_model=request.schema)
    said = _text(_called(call, endpoint.address, endpoint.concurrency, deadline, tally))
    completion = completed(said, "stop", usage_of(request, said, None, None))
    tally.add(completion.usage, endpoint.price)
    return completion


def _embed(
    seam: TextEmbedder, concurrency: int, texts: list[str], dimensions: int, deadline: Deadline
) -> Vectors:
    import numpy as np

    rows = _called(partial(seam.embed, texts), "own embedder", concurrency, deadline, Tally())
    try:
        vectors = np.asarray(rows, dtype=np.float32)
        if vectors.ndim == 2 and len(vectors) == len(texts):
            return unit_rows(vectors)
    except (TypeError, ValueError):
        pass
    raise malformed(f"The embedder gave no {len(texts)} vectors of one length.", "")


def _called(call: Callable[[], Any], address: str, concurrency: int, deadline: Deadline, tally: Tally) -> Any:
    """What a seam gives, with its errors as ours; a call that outlasts the time limit keeps its slot."""
    ensure_time(deadline)
    tally.ensure_call()
    free = SLOTS.take(address, concurrency, deadline)
    tally.count_call()
    try:
        return called(call, deadline=deadline, ended=free)
    except Exception as error:
        failure = failure_of(error)
    # Raised here, outside the handler: a chained exception might carry a request along.
    raise failure


def _text(said: Any) -> str:
    if isinstance(said, str):
        return said
    if isinstance(said, BaseModel):
        return said.model_dump_json()
    if isinstance(said, Mapping):
        return json.dumps(dict(said), ensure_ascii=False, default=str)
    raise PermanentModelError(
        "bad_provider",
        f"generate gave a {type(said).__name__}: it has to be the asked class, a text or a mapping.",
    )
