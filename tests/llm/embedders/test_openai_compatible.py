"""Vectors from an endpoint, over real HTTP, when it behaves and when it does not."""

import logging
from typing import Any

import numpy as np
import pytest
from django.db import transaction

from memory.llm.embedders.protocol import (
    EmbeddingError,
    PermanentEmbeddingError,
    TransientEmbeddingError,
)
from tests.llm.conftest import KEY, Serve
from tests.llm.embedders.conftest import Embed, expected
from tests.llm.test_secrets import everything_about, holds_key
from tests.stub_provider import Reply, word_counts

GOOD = Reply.vectors([[3.0, 4.0]])


def test_texts_come_back_as_unit_rows(serve: Serve, at: Embed) -> None:
    stub = serve()
    embedder = at(stub)
    vectors = embedder.embed(["green tea", "black coffee"])

    assert vectors.dtype == np.float32
    assert np.allclose(vectors, expected(["green tea", "black coffee"]))
    request = stub.requests[0]
    assert (request.path, request.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert request.body == {
        "model": "stub-small",
        "input": ["green tea", "black coffee"],
        "encoding_format": "float",
    }


def test_rows_are_put_in_order_by_their_index(serve: Serve, at: Embed) -> None:
    rows = [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [5.0, 0.0]}]
    stub = serve([Reply.document({"data": rows})])

    assert at(stub).embed(["a", "b"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("texts", "batches"),
    [
        ([f"text {number}" for number in range(70)], [64, 6]),
        (["long " * 1_200] * 30, [25, 5]),
        (["tea", " ", "coffee"], [3]),
    ],
    ids=["many", "long", "blank"],
)
def test_texts_go_in_batches_by_number_and_size(
    serve: Serve, at: Embed, texts: list[str], batches: list[int]
) -> None:
    stub = serve()

    assert at(stub).embed(texts).shape == (len(texts), 8)
    assert [len(request.body["input"]) for request in stub.requests] == batches
    assert all(text.strip() for request in stub.requests for text in request.body["input"])


def test_dimensions_and_space_are_found_by_asking_once(serve: Serve, at: Embed) -> None:
    stub = serve()
    embedder = at(stub)

    assert [embedder.dimensions, embedder.space] == [8, "openai_compatible:stub-small/8"]
    assert embedder.embed([]).shape == (0, 8)
    assert len(stub.requests) == 1


def test_dimensions_that_are_set_are_asked_for(serve: Serve, at: Embed) -> None:
    stub = serve()
    embedder = at(stub, dimensions=5)

    assert (embedder.space, embedder.embed(["a"]).shape) == ("openai_compatible:stub-small/5", (1, 5))
    assert stub.requests[0].body["dimensions"] == 5


def test_an_endpoint_that_cannot_choose_dimensions_is_not_asked_again(serve: Serve, at: Embed) -> None:
    stub = serve(refused_parameters=["dimensions"])
    embedder = at(stub, dimensions=8)
    embedder.embed(["a"])
    embedder.embed(["b"])

    assert ["dimensions" in request.body for request in stub.requests] == [True, False, False]


def test_other_dimensions_than_set_are_a_permanent_error(serve: Serve, at: Embed) -> None:
    stub = serve(refused_parameters=["dimensions"])

    with pytest.raises(PermanentEmbeddingError, match="gives 8 dimensions, 512 are expected"):
        at(stub, dimensions=512).embed(["a"])


def test_more_dimensions_than_an_index_takes_are_a_permanent_error(serve: Serve, at: Embed) -> None:
    stub = serve([Reply.vectors([[1.0] * 4_001])])

    with pytest.raises(PermanentEmbeddingError, match="gives 4001 dimensions, an index takes 4000"):
        at(stub).embed(["a"])


def test_prefixes_stand_before_what_is_stored_and_what_is_asked(serve: Serve, at: Embed) -> None:
    stub = serve()
    embedder = at(stub, text_prefix="passage: ", query_prefix="query: ")
    embedder.embed(["tea"])
    embedder.embed_query("tea")

    assert [request.body["input"] for request in stub.requests] == [["passage: tea"], ["query: tea"]]
    assert embedder.space == "openai_compatible:stub-small+707ad539/8"


@pytest.mark.parametrize(
    "bad",
    [
        Reply.status(429, retry_after="0.2"),
        Reply.status(503),
        Reply.closed(),
        Reply.vectors([[1.0, 2.0]]).cut_off(20),
        Reply.vectors([]),
        Reply.vectors([[0.0, 0.0]]),
        Reply.document({"data": [{"index": 0, "embedding": "AAAA"}]}),
        Reply.document({"data": [{"index": 0, "embedding": [1.0, None]}]}),
        Reply(b"{", 200),
        Reply.document({"error": {"message": "upstream is gone", "code": 502}}),
    ],
    ids=[
        *("busy", "down", "closed", "cut off", "no rows", "zeros", "no list", "no number", "no JSON"),
        "error inside",
    ],
)
def test_what_may_pass_is_tried_again(serve: Serve, at: Embed, pauses: list[float], bad: Reply) -> None:
    stub = serve([bad, GOOD])
    vectors = at(stub).embed(["a"])

    assert np.allclose(vectors, [[0.6, 0.8]])
    assert (len(stub.requests), len(pauses)) == (2, 1)


def test_tries_come_to_an_end(serve: Serve, at: Embed) -> None:
    stub = serve([Reply.status(503)] * 3)

    with pytest.raises(TransientEmbeddingError, match="http_503: It failed"):
        at(stub).embed(["a"])
    assert len(stub.requests) == 3


@pytest.mark.parametrize("bad", [Reply.status(401), Reply.status(404, "no such model"), Reply.html()])
def test_what_cannot_pass_is_not_tried_again(serve: Serve, at: Embed, bad: Reply) -> None:
    stub = serve([bad])

    with pytest.raises(PermanentEmbeddingError):
        at(stub).embed(["a", "b"])
    assert len(stub.requests) == 1


def takes_at_most(texts: int, characters: int) -> Any:
    """An `embed` with the limits of a small server."""

    def embed(request: dict[str, Any]) -> Reply:
        inputs = request["input"]
        if len(inputs) > texts:
            return Reply.status(413, f"batch size {len(inputs)} > maximum allowed batch size {texts}")
        if any(len(text) > characters for text in inputs):
            return Reply.status(400, "the input length exceeds the context length")
        return Reply.vectors([word_counts(text, 8) for text in inputs])

    return embed


def test_batches_and_texts_shrink_to_what_an_endpoint_takes(serve: Serve, at: Embed) -> None:
    stub = serve(embed=takes_at_most(2, 1_000))
    short = [f"text {number}" for number in range(5)]
    vectors = at(stub).embed([*short, "long " * 1_000])

    assert np.allclose(vectors[:5], expected(short))
    longest = [max(len(text) for text in request.body["input"]) for request in stub.requests]
    assert 500 < longest[-1] <= 1_000


def test_a_text_refused_at_any_length_is_a_permanent_error(serve: Serve, at: Embed) -> None:
    stub = serve(embed=takes_at_most(2, 0))

    with pytest.raises(PermanentEmbeddingError, match="context length"):
        at(stub).embed(["long " * 1_000])
    assert len(stub.requests) == 5


def test_a_query_is_tried_once_and_not_longer_than_its_limit(serve: Serve, at: Embed) -> None:
    stub = serve([Reply.hang(), Reply.status(503)])
    embedder = at(stub)

    with pytest.raises(TransientEmbeddingError, match="timeout"):
        embedder.embed_query("a", timeout_seconds=0.1)
    with pytest.raises(TransientEmbeddingError, match="http_503"):
        embedder.embed_query("a")
    assert len(stub.requests) == 2


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_the_key_is_in_no_error_and_no_log(
    serve: Serve, at: Embed, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    stub = serve(echoes_authorization=status)

    with pytest.raises(EmbeddingError) as caught:
        at(stub).embed(["a"])

    assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert holds_key(caplog.text, *everything_about(caught.value)) == []


def test_dimensions_are_not_asked_for_inside_a_transaction(
    serve: Serve, at: Embed, transactional_db: None
) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a database transaction"):
        _ = at(serve()).dimensions
