"""Further models, tried in order."""

import pytest

from memory.llm.protocol import ModelError, PermanentModelError, TransientModelError
from tests.llm.conftest import GOOD, Bench, Serve, question
from tests.stub_provider import Reply


def test_the_next_model_answers_when_the_first_fails_for_good(bench: Bench, serve: Serve) -> None:
    first, second = serve([Reply.status(404, "no such model")]), serve([Reply.json(GOOD)])
    model = bench.model(bench.endpoint(first), bench.endpoint(second, "stub-spare"))

    reply = model.answer(question())

    assert (model.name, reply.model, reply.calls, bench.pauses) == ("stub-large", "stub-spare", 2, [])


def test_the_next_model_answers_when_the_first_has_used_its_tries(bench: Bench, serve: Serve) -> None:
    first, second = serve([Reply.status(503)] * 3), serve([Reply.json(GOOD)])
    model = bench.model(bench.endpoint(first), bench.endpoint(second, "stub-spare"))

    reply = model.answer(question())

    assert (reply.model, reply.calls, len(first.requests)) == ("stub-spare", 4, 3)


def test_a_hanging_first_model_leaves_time_for_the_next(bench: Bench, serve: Serve) -> None:
    first, second = serve([Reply.hang()]), serve([Reply.json(GOOD)])
    model = bench.model(bench.endpoint(first), bench.endpoint(second, "stub-spare"))

    reply = model.answer(question(timeout_seconds=0.9))

    assert (reply.model, reply.calls) == ("stub-spare", 2)


def test_tokens_of_a_useless_answer_are_counted_too(bench: Bench, serve: Serve) -> None:
    first, second = serve([Reply.text("")] * 3), serve([Reply.json(GOOD)])
    model = bench.model(bench.endpoint(first), bench.endpoint(second, "stub-spare"))

    reply = model.answer(question())

    assert (reply.calls, reply.tokens_in, reply.tokens_out) == (4, 480, 120)


@pytest.mark.parametrize(
    ("statuses", "error"),
    [((401, 404), PermanentModelError), ((503, 401), TransientModelError), ((401, 503), TransientModelError)],
)
def test_when_all_fail_the_error_says_what_each_said(
    bench: Bench, serve: Serve, statuses: tuple[int, ...], error: type[ModelError]
) -> None:
    stubs = [serve(respond=lambda _, status=status: Reply.status(status, "no")) for status in statuses]
    endpoints = [bench.endpoint(stub, f"model-{number}") for number, stub in enumerate(stubs)]

    with pytest.raises(error) as caught:
        bench.model(*endpoints).answer(question())

    assert [
        f"model-{number}: http_{status}" in str(caught.value) for number, status in enumerate(statuses)
    ] == [
        True,
        True,
    ]
    assert caught.value.calls == sum(len(stub.requests) for stub in stubs)


def test_the_alias_of_the_request_chooses_the_chain(bench: Bench, serve: Serve) -> None:
    first, second = serve([Reply.json(GOOD)]), serve([Reply.json(GOOD)])
    model = bench.model(bench.endpoint(first), bench.endpoint(second, "stub-small"))

    replies = [model.answer(question(alias=alias)) for alias in ("cheap", "strong")]

    assert [reply.model for reply in replies] == ["stub-small", "stub-large"]
