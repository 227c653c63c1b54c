"""Finding out what an endpoint bears, once."""

import json
from typing import Any

import pytest

from memory.llm.abilities import AbilityMemory, DatabaseModeStore, JsonMode
from memory.llm.answers import has_asked_shape
from memory.llm.protocol import PermanentModelError
from memory.llm.schemas import portable_schema, schema_text
from memory.models import ModelEndpoint
from tests.llm.conftest import GOOD, Bench, Notes, Serve, question
from tests.stub_provider import Reply
from tests.stub_provider.server import JSON_MODES


def good(_: object) -> Reply:
    return Reply.json(GOOD)


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("refused", [0, 1, 2, 3])
def test_modes_are_tried_in_order_and_the_one_that_works_is_kept(
    bench: Bench, serve: Serve, refused: int, status: int
) -> None:
    stub = serve(respond=good, refused_modes=JSON_MODES[:refused], refusal_status=status)
    model = bench.model_at(stub)

    first, second = model.answer(question()), model.answer(question())

    assert stub.json_modes == [*JSON_MODES[: refused + 1], JSON_MODES[refused]]
    assert (first.calls, second.calls, bench.pauses) == (refused + 1, 1, [])


def test_all_modes_but_the_first_tell_the_schema_in_the_prompt(bench: Bench, serve: Serve) -> None:
    stub = serve(respond=good, refused_modes=JSON_MODES[:3])

    bench.model_at(stub).answer(question())

    schema = portable_schema(Notes)
    assert [request.body.get("response_format") for request in stub.requests[1:]] == [
        {"type": "json_object", "schema": schema},
        {"type": "json_object"},
        None,
    ]
    prompts = [request.body["messages"][0]["content"] for request in stub.requests]
    assert [schema_text(schema) in prompt for prompt in prompts] == [False, True, True, True]


def test_a_mode_that_is_ignored_silently_is_not_kept(bench: Bench, serve: Serve) -> None:
    def prose_until_told(body: dict[str, Any]) -> Reply:
        told = "JSON Schema" in body["messages"][0]["content"]
        return Reply.json(GOOD) if told else Reply.text("Alice likes tea, I gather.")

    stub = serve(respond=prose_until_told)
    model = bench.model_at(stub)

    first, second = model.answer(question()), model.answer(question())

    assert stub.json_modes == ["json_schema", "json_object_schema", "json_object_schema"]
    assert (first.calls, first.tokens_in, second.calls) == (2, 240, 1)


def test_an_endpoint_that_never_gives_json_is_answered_as_it_is(bench: Bench, serve: Serve) -> None:
    stub = serve(respond=lambda _: Reply.text("No."))
    model = bench.model_at(stub)

    reply = model.answer(question())

    assert (reply.text, reply.calls, stub.json_modes) == ("No.", 4, list(JSON_MODES))


def test_a_kept_mode_that_is_refused_later_is_looked_for_again(bench: Bench, serve: Serve) -> None:
    stub = serve(respond=good, refused_modes=["json_schema"])
    model = bench.model_at(stub)
    model.answer(question())
    stub.refused_modes = {"json_object_schema", "json_object"}
    stub.requests.clear()

    replies = [model.answer(question()), model.answer(question())]

    assert stub.json_modes == ["json_object_schema", "json_schema", "json_schema"]
    assert [reply.calls for reply in replies] == [2, 1]


def test_a_kept_mode_that_disappoints_several_times_is_looked_for_again(bench: Bench, serve: Serve) -> None:
    stub = serve(respond=good)
    model = bench.model_at(stub)
    model.answer(question())
    stub.requests.clear()
    stub.script = [Reply.text("No.")] * 3
    for _ in range(3):
        model.answer(question())
    stub.refused_modes = {"json_schema"}

    model.answer(question())

    assert stub.json_modes == [*["json_schema"] * 4, "json_object_schema"]


def test_an_answer_cut_off_says_nothing_about_the_mode(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.text('{"items": [', finish_reason="length")], respond=good)
    model = bench.model_at(stub)

    first = model.answer(question())
    model.answer(question())

    assert (first.finish_reason, first.calls, stub.json_modes) == ("length", 1, ["json_schema"] * 2)


def test_an_answer_cut_off_saves_the_next_one_the_refused_ways(bench: Bench, serve: Serve) -> None:
    stub = serve(
        respond=lambda _: Reply.text('{"items": [', finish_reason="length"), refused_modes=["json_schema"]
    )
    model = bench.model_at(stub)

    replies = [model.answer(question()) for _ in range(2)]

    assert [reply.calls for reply in replies] == [2, 1]


def test_models_at_one_address_are_told_apart(bench: Bench, serve: Serve) -> None:
    stub = serve(respond=good, refused_modes=["json_schema"])
    bench.model_at(stub).answer(question())

    reply = bench.model_at(stub, model="stub-small").answer(question())

    assert reply.calls == 2


@pytest.mark.parametrize(
    ("refused", "length_parameters", "calls"),
    [
        (["max_tokens"], {"max_completion_tokens"}, 2),
        (["max_tokens", "max_completion_tokens"], set(), 3),
        ([], {"max_tokens"}, 1),
    ],
)
def test_the_length_goes_into_the_parameter_the_endpoint_knows(
    bench: Bench, serve: Serve, refused: list[str], length_parameters: set[str], calls: int
) -> None:
    stub = serve(respond=good, refused_parameters=refused)
    model = bench.model_at(stub)

    first, second = model.answer(question()), model.answer(question())

    sent = stub.requests[-1].body.keys() & {"max_tokens", "max_completion_tokens"}
    assert (sent, first.calls, second.calls) == (length_parameters, calls, 1)


def test_temperature_is_left_out_where_it_is_refused(bench: Bench, serve: Serve) -> None:
    stub = serve(respond=good, refused_parameters=["temperature"])
    model = bench.model_at(stub)

    replies = [model.answer(question()), model.answer(question())]

    assert [reply.calls for reply in replies] == [2, 1]
    assert ["temperature" in request.body for request in stub.requests] == [True, False, False]


def test_everything_refused_at_once_is_still_found(bench: Bench, serve: Serve) -> None:
    stub = serve(
        respond=good,
        refused_modes=JSON_MODES[:3],
        refused_parameters=["max_tokens", "temperature"],
        refusal_status=500,
    )

    reply = bench.model_at(stub).answer(question())

    assert (reply.calls, set(stub.requests[-1].body)) == (6, {"model", "messages", "max_completion_tokens"})


def test_a_complaint_that_repeats_the_whole_request_ends(bench: Bench, serve: Serve) -> None:
    complaint = "bad request: response_format, temperature, max_tokens, messages"
    stub = serve(respond=lambda _: Reply.status(400, complaint))

    with pytest.raises(PermanentModelError) as caught:
        bench.model_at(stub).answer(question())

    assert (caught.value.kind, caught.value.calls) == ("http_400", 7)


@pytest.mark.django_db
def test_another_process_does_not_probe_again(serve: Serve) -> None:
    stub = serve(respond=good, refused_modes=JSON_MODES[:2])
    for _ in range(2):
        bench = Bench(AbilityMemory(DatabaseModeStore()), [])
        bench.model_at(stub).answer(question())

    assert stub.json_modes == ["json_schema", "json_object_schema", "json_object", "json_object"]
    endpoint = bench.endpoint(stub)
    assert list(ModelEndpoint.objects.values_list("base_url_hash", "model", "json_mode")) == [
        (endpoint.base_url_hash, "stub-large", "json_object")
    ]


@pytest.mark.django_db
def test_a_mode_found_anew_replaces_the_stored_one(serve: Serve) -> None:
    stub = serve(respond=good, refused_modes=JSON_MODES[:2])
    bench = Bench(AbilityMemory(DatabaseModeStore()), [])
    model = bench.model_at(stub)
    model.answer(question())
    stub.refused_modes = {"json_object"}

    model.answer(question())

    assert [row.json_mode for row in ModelEndpoint.objects.all()] == ["json_schema"]


@pytest.mark.django_db
def test_a_stored_mode_of_another_version_is_passed_over(serve: Serve) -> None:
    stub = serve(respond=good)
    bench = Bench(AbilityMemory(DatabaseModeStore()), [])
    endpoint = bench.endpoint(stub)
    ModelEndpoint.objects.create(
        base_url_hash=endpoint.base_url_hash, model=endpoint.model, json_mode="telepathy"
    )

    bench.model(endpoint).answer(question())

    assert [row.json_mode for row in ModelEndpoint.objects.all()] == [JsonMode.SCHEMA]


@pytest.mark.parametrize(
    ("text", "has_shape"),
    [
        (json.dumps(GOOD), True),
        (f"Sure {{here}} it is:\n```json\n{json.dumps(GOOD)}\n```", True),
        (f'<think>{{"items": maybe}}</think>{json.dumps(GOOD)}', True),
        ('{"items": []}', True),
        (json.dumps(GOOD["items"]), False),
        ('{"notes": []}', False),
        ('{"items": [', False),
        ("Nothing to note.", False),
    ],
)
def test_the_asked_shape_is_found_among_words(text: str, has_shape: bool) -> None:
    assert has_asked_shape(text, Notes) is has_shape
