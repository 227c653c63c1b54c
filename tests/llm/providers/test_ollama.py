"""What a server of Ollama's is asked, and its embeddings."""

import asyncio
from typing import Any

import numpy as np
import pytest

from memory.llm.embedders.hosted import HostedEmbedder
from memory.llm.embedders.protocol import PermanentEmbeddingError, TransientEmbeddingError
from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Pace
from memory.llm.protocol import PermanentModelError
from memory.llm.providers.ollama import OllamaEmbedder, OllamaModel, hosted_embedder
from memory.llm.schemas import portable_schema
from tests.llm.conftest import GOOD, Notes, question
from tests.llm.embedders.conftest import expected
from tests.llm.providers.conftest import Start
from tests.stub_provider import Reply, StubProvider
from tests.stub_provider.dialects import OllamaStub, as_text, chat, chat_error, embedded


def model_at(stub: StubProvider, pace: Pace, name: str = "stub-large") -> OllamaModel:
    return OllamaModel(name, base_url=stub.base_url, pace=pace)


def embedder_at(stub: StubProvider, pace: Pace, **options: Any) -> HostedEmbedder:
    endpoint = Endpoint("stub-small", stub.base_url, provider="ollama")
    return hosted_embedder(endpoint, **{"pace": pace, "timeout_seconds": 10.0, **options})


def test_a_request_is_sent_whole(start: Start, pace: Pace) -> None:
    stub = start(OllamaStub, [chat(as_text(GOOD))])

    model_at(stub, pace).answer(question())

    assert [(seen.path, seen.body) for seen in stub.requests] == [
        (
            "/api/chat",
            {
                "model": "stub-large",
                "messages": [
                    {"role": "system", "content": "You do l1_extract."},
                    {"role": "user", "content": "m1 Alice: I like tea."},
                ],
                "tools": [],
                "stream": False,
                "think": False,
                "format": portable_schema(Notes),
                "options": {"temperature": 0, "num_predict": 256, "num_ctx": 8192},
            },
        )
    ]
    assert "authorization" not in stub.requests[0].headers


def test_the_context_holds_the_prompt_and_never_shrinks(start: Start, pace: Pace) -> None:
    stub = start(OllamaStub, respond=lambda _: chat(as_text(GOOD)))
    model = model_at(stub, pace, "stub-growing")
    for characters in (100, 40_000, 100):
        model.answer(question(user="x" * characters, max_output_tokens=4_096))
    model.answer(question(user="x" * 4_000_000))

    sizes = [seen.body["options"]["num_ctx"] for seen in stub.requests]
    assert sizes == [8_192, 32_768, 32_768, 131_072]


def test_a_model_that_is_not_there_is_named_with_its_remedy(start: Start, pace: Pace) -> None:
    stub = start(OllamaStub, [chat_error(404, "model 'stub-large' not found")])

    with pytest.raises(PermanentModelError) as caught:
        model_at(stub, pace).answer(question())

    assert (caught.value.kind, caught.value.message) == (
        "http_404",
        "model 'stub-large' not found; fetch it with: ollama pull stub-large",
    )


def test_an_answer_that_is_not_done_is_asked_for_again(start: Start, pace: Pace) -> None:
    half = {"model": "stub", "message": {"role": "assistant", "content": "{"}, "done": False}
    stub = start(OllamaStub, [Reply.document(half), chat(as_text(GOOD))])

    assert model_at(stub, pace).answer(question()).calls == 2


def test_texts_come_back_as_unit_rows_of_a_named_space(start: Start, pace: Pace) -> None:
    stub = start(OllamaStub)
    embedder = embedder_at(stub, pace)
    vectors = embedder.embed(["green tea", "black coffee"])

    assert vectors.dtype == np.float32
    assert np.allclose(vectors, expected(["green tea", "black coffee"]))
    assert (embedder.dimensions, embedder.space) == (8, "ollama:stub-small/8")
    assert (stub.requests[0].path, stub.requests[0].body) == (
        "/api/embed",
        {"model": "stub-small", "input": ["green tea", "black coffee"]},
    )


def test_dimensions_are_asked_for_and_have_to_come(start: Start, pace: Pace) -> None:
    stub = start(OllamaStub)
    assert embedder_at(stub, pace, dimensions=4).embed(["tea"]).shape == (1, 4)
    assert stub.requests[0].body["dimensions"] == 4
    stub.script = [embedded([[1.0, 2.0]])]

    with pytest.raises(PermanentEmbeddingError, match="The model gives 2 dimensions, 4 are expected"):
        embedder_at(stub, pace, dimensions=4).embed(["tea"])


def test_prefixes_are_part_of_the_space(start: Start, pace: Pace) -> None:
    stub = start(OllamaStub)
    embedder = embedder_at(stub, pace, text_prefix="passage: ", query_prefix="query: ")
    embedder.embed(["tea"])
    embedder.embed_query("tea")

    assert [seen.body["input"] for seen in stub.requests] == [["passage: tea"], ["query: tea"]]
    assert embedder.space == "ollama:stub-small+707ad539/8"


@pytest.mark.parametrize(
    ("reply", "kind", "error"),
    [
        (chat_error(503), "http_503", TransientEmbeddingError),
        (Reply.hang(), "timeout", TransientEmbeddingError),
        (embedded([]), "malformed_response", TransientEmbeddingError),
        (embedded([[0.0, 0.0]]), "malformed_response", TransientEmbeddingError),
        (chat_error(404, "model 'stub-small' not found"), "http_404", PermanentEmbeddingError),
        (Reply.html(), "wrong_content_type", PermanentEmbeddingError),
    ],
)
def test_a_query_fails_at_once_and_says_why(
    start: Start, pace: Pace, reply: Reply, kind: str, error: type[Exception]
) -> None:
    stub = start(OllamaStub, [reply])

    with pytest.raises(error, match=f"^{kind}: "):
        embedder_at(stub, pace).embed_query("tea", timeout_seconds=0.5)
    assert len(stub.requests) == 1


def test_it_embeds_in_ones_own_code(start: Start) -> None:
    embedder = OllamaEmbedder("stub-small", base_url=start(OllamaStub).base_url)

    rows = asyncio.run(embedder.embed(["green tea"]))

    assert np.allclose(rows, expected(["green tea"]))
    assert (embedder.name, embedder.dimensions) == ("stub-small", 8)
