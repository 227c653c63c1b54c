"""What Anthropic's Messages API is asked and how its answers are understood."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import SecretStr

from memory.llm.endpoints import Endpoint, Price
from memory.llm.pacing import Pace
from memory.llm.protocol import PermanentModelError
from memory.llm.providers.anthropic import AnthropicModel, chained
from memory.llm.schemas import portable_schema, schema_text
from tests.llm.conftest import GOOD, KEY, Notes, question
from tests.llm.providers.conftest import Start
from tests.stub_provider import Reply, StubProvider
from tests.stub_provider.dialects import AnthropicStub, as_text, message, message_error, tool_call

SCHEMA = portable_schema(Notes)
ASKED_BY_TOOL = {
    "tools": [{"name": "answer", "description": "Takes the answer.", "input_schema": SCHEMA}],
    "tool_choice": {"type": "tool", "name": "answer", "disable_parallel_tool_use": True},
}


def model_at(stub: StubProvider, pace: Pace) -> AnthropicModel:
    return AnthropicModel("stub-large", base_url=stub.base_url, api_key=KEY, pace=pace)


def forms(stub: StubProvider) -> list[str]:
    """How each request asked for JSON."""
    return [
        "schema" if "output_config" in seen.body else "tool" if "tools" in seen.body else "prompt"
        for seen in stub.requests
    ]


def test_a_request_is_sent_whole(start: Start, pace: Pace) -> None:
    stub = start(AnthropicStub, [message(as_text(GOOD))])

    model_at(stub, pace).answer(question())

    assert [(seen.path, seen.body) for seen in stub.requests] == [
        (
            "/v1/messages",
            {
                "model": "stub-large",
                "max_tokens": 256,
                "system": "You do l1_extract.",
                "messages": [{"role": "user", "content": "m1 Alice: I like tea."}],
                "thinking": {"type": "disabled"},
                "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
            },
        )
    ]


def test_a_model_without_structured_output_is_asked_by_a_tool_and_that_is_remembered(
    start: Start, pace: Pace
) -> None:
    refusal = message_error(400, "output_config.format: Extra inputs are not permitted")
    stub = start(AnthropicStub, [refusal, tool_call(GOOD), tool_call(GOOD)])
    model = model_at(stub, pace)

    first, second = model.answer(question()), model.answer(question())

    assert (first.text, first.calls, second.calls) == (as_text(GOOD), 2, 1)
    assert forms(stub) == ["schema", "tool", "tool"]
    assert {name: stub.requests[1].body[name] for name in ASKED_BY_TOOL} == ASKED_BY_TOOL


def test_where_tools_are_refused_too_the_prompt_tells_the_schema(start: Start, pace: Pace) -> None:
    def respond(body: dict[str, Any]) -> Reply:
        if "output_config" in body or "tools" in body:
            return message_error(400, "tools and output_config are not supported here")
        return message(f"Gladly: {as_text(GOOD)}")

    stub = start(AnthropicStub, respond=respond)

    reply = model_at(stub, pace).answer(question())

    assert (reply.calls, forms(stub)) == (3, ["schema", "tool", "prompt"])
    assert schema_text(SCHEMA) in stub.requests[2].body["system"]


def test_a_gateway_that_ignores_the_schema_is_asked_by_a_tool(start: Start, pace: Pace) -> None:
    stub = start(AnthropicStub, [message("Alice likes tea, I gather."), tool_call(GOOD)])

    reply = model_at(stub, pace).answer(question())

    assert (reply.text, reply.tokens_in, forms(stub)) == (as_text(GOOD), 240, ["schema", "tool"])


def test_a_form_that_worked_is_kept_when_one_answer_has_no_shape(start: Start, pace: Pace) -> None:
    stub = start(AnthropicStub, [message(as_text(GOOD)), message("No."), message(as_text(GOOD))])
    model = model_at(stub, pace)

    assert [model.answer(question()).text for _ in range(3)] == [as_text(GOOD), "No.", as_text(GOOD)]
    assert forms(stub) == ["schema"] * 3


def test_a_model_that_always_thinks_is_left_to_it(start: Start, pace: Pace) -> None:
    refusal = message_error(400, "thinking.type: this model does not support 'disabled'")
    stub = start(AnthropicStub, [refusal, message(as_text(GOOD))])

    model_at(stub, pace).answer(question())

    assert ["thinking" in seen.body for seen in stub.requests] == [True, False]
    assert forms(stub) == ["schema", "schema"]


def test_thoughts_are_no_part_of_the_answer(start: Start, pace: Pace) -> None:
    document = {
        "type": "message",
        "content": [{"type": "thinking", "thinking": "Tea?"}, {"type": "text", "text": as_text(GOOD)}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 30},
    }
    reply = model_at(start(AnthropicStub, [Reply.document(document)]), pace).answer(question())

    assert (reply.text, reply.tokens_in, reply.tokens_out) == (as_text(GOOD), 120, 30)


@pytest.mark.parametrize(
    ("stop_reason", "finish_reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
    ],
)
def test_the_reason_for_stopping_is_told(
    start: Start, pace: Pace, stop_reason: str, finish_reason: str
) -> None:
    stub = start(AnthropicStub, [message(as_text(GOOD), stop_reason=stop_reason)])

    assert model_at(stub, pace).answer(question()).finish_reason == finish_reason


def test_half_a_tool_call_is_a_cut_off_answer(start: Start, pace: Pace) -> None:
    refusal = message_error(400, "output_config is not supported")
    stub = start(AnthropicStub, [refusal, tool_call({}, stop_reason="max_tokens")])

    assert model_at(stub, pace).answer(question()).finish_reason == "length"


def test_a_prompt_that_is_too_long_is_told_as_such(start: Start, pace: Pace) -> None:
    stub = start(AnthropicStub, [message_error(400, "prompt is too long: 210000 tokens > 200000 maximum")])

    with pytest.raises(PermanentModelError) as caught:
        model_at(stub, pace).answer(question())

    assert caught.value.kind == "context_length"


def test_an_error_with_a_good_status_is_one_all_the_same(start: Start, pace: Pace) -> None:
    stub = start(AnthropicStub, [message_error(200, "Overloaded"), message(as_text(GOOD))])

    assert model_at(stub, pace).answer(question()).calls == 2


def test_prices_and_fallbacks_are_those_of_the_settings(start: Start, pace: Pace) -> None:
    stub = start(AnthropicStub, [message_error(404, "model: stub-large"), message(as_text(GOOD))])
    price = Price(Decimal("2"), Decimal("8"))
    chain = [
        Endpoint(name, stub.base_url, SecretStr(KEY), price, provider="anthropic")
        for name in ("stub-large", "stub-spare")
    ]

    model = chained({"strong": chain, "cheap": chain}, pace=pace)
    reply = model.answer(question())

    assert (model.name, reply.model, reply.calls, reply.cost) == (
        "stub-large",
        "stub-spare",
        2,
        Decimal("0.00048"),
    )
