"""One model over real HTTP: what is sent, what is understood, what is tried again."""

import json
import threading
from decimal import Decimal
from typing import Any

import pytest

from memory.llm.accounting import estimated_tokens
from memory.llm.endpoints import Price
from memory.llm.protocol import BudgetExceeded, ModelReply, PermanentModelError, TransientModelError
from memory.llm.schemas import portable_schema
from tests.llm.conftest import GOOD, KEY, Bench, Notes, Serve, question
from tests.stub_provider import Reply

GOOD_TEXT = json.dumps(GOOD)


def without_time(reply: ModelReply) -> dict[str, Any]:
    return {name: getattr(reply, name) for name in ModelReply.__slots__ if name != "milliseconds"}


def test_a_reply_carries_text_model_and_account(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.json(GOOD)])
    price = Price(Decimal("2"), Decimal("8"))

    reply = bench.model_at(stub, price=price).answer(question())

    assert without_time(reply) == {
        "text": GOOD_TEXT,
        "model": "stub-large",
        "finish_reason": "stop",
        "tokens_in": 120,
        "tokens_out": 30,
        "cost": Decimal("0.00048"),
        "calls": 1,
        "is_usage_estimated": False,
    }


def test_a_request_is_sent_whole(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.json(GOOD)])

    bench.model_at(stub).answer(question())

    assert [request.body for request in stub.requests] == [
        {
            "model": "stub-large",
            "messages": [
                {"role": "system", "content": "You do l1_extract."},
                {"role": "user", "content": "m1 Alice: I like tea."},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "Notes", "strict": True, "schema": portable_schema(Notes)},
            },
            "max_tokens": 256,
            "temperature": 0,
        }
    ]
    assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_connections_are_reused_by_all_models_of_the_process(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.json(GOOD), Reply.status(500), Reply.json(GOOD)])

    bench.model_at(stub).answer(question())
    bench.model_at(stub, model="stub-small").answer(question())

    assert [request.connection for request in stub.requests] == [1, 1, 1]


def test_missing_usage_is_estimated_and_said(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.json(GOOD, usage=None)])

    reply = bench.model_at(stub).answer(question())

    asked = estimated_tokens("You do l1_extract.") + estimated_tokens("m1 Alice: I like tea.")
    assert (reply.tokens_in, reply.tokens_out, reply.is_usage_estimated) == (
        asked,
        estimated_tokens(GOOD_TEXT),
        True,
    )


@pytest.mark.parametrize(
    ("sent", "text", "finish_reason"),
    [
        (Reply.text('{"items": [{"te', finish_reason="length"), '{"items": [{"te', "length"),
        (Reply.text(None, finish_reason="length"), "", "length"),
        (Reply.text("", finish_reason="content_filter"), "", "refusal"),
        (Reply.refusal("I would rather not."), "I would rather not.", "refusal"),
        (Reply.json(GOOD, finish_reason="eos"), GOOD_TEXT, "stop"),
    ],
    ids=["cut off", "cut off while thinking", "filtered", "refused", "unknown reason"],
)
def test_the_reason_for_stopping_is_told(
    bench: Bench, serve: Serve, sent: Reply, text: str, finish_reason: str
) -> None:
    reply = bench.model_at(serve([sent])).answer(question())

    assert (reply.text, reply.finish_reason, reply.calls) == (text, finish_reason, 1)


def test_content_in_parts_is_joined(bench: Bench, serve: Serve) -> None:
    parts = [{"type": "text", "text": '{"items": '}, {"type": "text", "text": "[]}"}]
    choice = {"message": {"content": parts}, "finish_reason": "stop"}

    reply = bench.model_at(serve([Reply.document({"choices": [choice]})])).answer(question())

    assert reply.text == '{"items": []}'


@pytest.mark.parametrize(
    "failing",
    [
        *(Reply.status(status) for status in (408, 409, 429, 500, 502, 503, 504)),
        Reply.status(400, "Failed to generate JSON.", code="json_validate_failed"),
        Reply.closed(),
        Reply.json(GOOD).cut_off(40),
        Reply(b'{"choices": [{"mess'),
        Reply(b"[]"),
        Reply.document({"choices": []}),
        Reply.text(""),
        Reply.document({"error": {"code": 503, "message": "upstream is down"}}),
    ],
    ids=lambda reply: f"{reply.status_code} {reply.body[:30]!r}",
)
def test_what_may_pass_is_tried_again(bench: Bench, serve: Serve, failing: Reply) -> None:
    stub = serve([failing, Reply.json(GOOD)])

    reply = bench.model_at(stub).answer(question())

    assert (reply.text, reply.calls, bench.pauses) == (GOOD_TEXT, 2, [0.5])


@pytest.mark.parametrize(
    ("failing", "kind"),
    [
        (Reply.status(400), "http_400"),
        (Reply.status(401), "http_401"),
        (Reply.status(402), "http_402"),
        (Reply.status(403), "http_403"),
        (Reply.status(404), "http_404"),
        (Reply.status(413), "http_413"),
        (Reply.html(), "wrong_content_type"),
        (Reply.garbage_events(), "wrong_content_type"),
        (Reply.document({"error": {"code": 401, "message": "no such user"}}), "http_401"),
        (Reply.status(400, "maximum context length is 2048 tokens, not max_tokens"), "context_length"),
        (Reply.status(500, "Requested tokens (9000) exceed context window of 4096"), "context_length"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.status_code),
)
def test_what_stays_wrong_is_asked_once(bench: Bench, serve: Serve, failing: Reply, kind: str) -> None:
    stub = serve([failing, Reply.json(GOOD)])

    with pytest.raises(PermanentModelError) as caught:
        bench.model_at(stub).answer(question())

    assert (caught.value.kind, caught.value.calls, bench.pauses) == (kind, 1, [])


def test_a_prompt_that_leaves_little_room_asks_for_a_shorter_answer(bench: Bench, serve: Serve) -> None:
    complaint = "maximum context length is 4096 tokens, you requested 5000 (904 and 4096 max_tokens)"
    stub = serve([Reply.status(400, complaint), Reply.json(GOOD), Reply.json(GOOD)])
    model = bench.model_at(stub)

    replies = [model.answer(question(max_output_tokens=4_096)) for _ in range(2)]

    assert [reply.calls for reply in replies] == [2, 1]
    assert [request.body["max_tokens"] for request in stub.requests] == [4_096, 1_024, 4_096]


def test_tries_end_with_growing_pauses_and_a_count(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.status(503, "busy")] * 3)

    with pytest.raises(TransientModelError) as caught:
        bench.model_at(stub).answer(question())

    assert (caught.value.kind, caught.value.calls, bench.pauses) == ("http_503", 3, [0.5, 1.5])
    assert "busy" in caught.value.raw


@pytest.mark.parametrize(
    ("failing", "message"),
    [
        (Reply.status(403, "Not from your country."), "Not from your country."),
        (Reply.document({"message": "Forbidden"}, status_code=403), "Forbidden"),
        (Reply.document({"error": "model not found"}, status_code=404), "model not found"),
        (Reply.document(["no"], status_code=400), '["no"]'),
        (Reply(b"x" * 400, 403, content_type="text/plain"), "x" * 300),
    ],
)
def test_an_error_says_what_the_endpoint_said(
    bench: Bench, serve: Serve, failing: Reply, message: str
) -> None:
    with pytest.raises(PermanentModelError) as caught:
        bench.model_at(serve([failing])).answer(question())

    assert caught.value.message == message


def test_retry_after_is_honoured(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.status(429, retry_after="3"), Reply.json(GOOD)])

    bench.model_at(stub).answer(question())

    assert bench.pauses == [3.0]


@pytest.mark.parametrize("wanted", ["3600", "9"], ids=["longer than the cap", "longer than the time left"])
def test_a_long_retry_after_is_left_to_the_caller(bench: Bench, serve: Serve, wanted: str) -> None:
    stub = serve([Reply.status(429, retry_after=wanted)])

    with pytest.raises(TransientModelError) as caught:
        bench.model_at(stub).answer(question(timeout_seconds=5.0))

    assert (caught.value.retry_after_seconds, caught.value.calls, bench.pauses) == (float(wanted), 1, [])


def test_a_used_up_quota_is_not_hammered(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.status(429, "You exceeded your quota.", code="insufficient_quota")])

    with pytest.raises(TransientModelError) as caught:
        bench.model_at(stub).answer(question())

    assert (caught.value.kind, caught.value.calls) == ("http_429", 1)


@pytest.mark.parametrize(
    "slow",
    [Reply.hang(), Reply.json(GOOD).slowly(0.05), Reply.status(500, "x" * 200).slowly(0.05)],
    ids=["silence", "byte by byte", "an error byte by byte"],
)
def test_the_deadline_holds(bench: Bench, serve: Serve, slow: Reply) -> None:
    stub = serve([slow])

    with pytest.raises(TransientModelError) as caught:
        bench.model_at(stub).answer(question(timeout_seconds=0.4))

    assert (caught.value.kind, caught.value.calls) == ("timeout", 1)


def test_nobody_listening_is_a_network_error(bench: Bench, serve: Serve) -> None:
    stub = serve()
    endpoint = bench.endpoint(stub)
    stub.__exit__(None, None, None)

    with pytest.raises(TransientModelError) as caught:
        bench.model(endpoint).answer(question())

    assert (caught.value.kind, caught.value.calls) == ("network", 3)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/v1", "http://127.0.0.1:nine/v1", "localhost:8000/v1"])
def test_an_impossible_address_is_permanent(bench: Bench, serve: Serve, address: str) -> None:
    with pytest.raises(PermanentModelError) as caught:
        bench.model(bench.endpoint(serve(), base_url=address)).answer(question())

    assert (caught.value.kind, caught.value.calls) == ("bad_endpoint", 1)


def test_no_more_requests_than_allowed_are_sent(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.status(500)] * 3)

    with pytest.raises(BudgetExceeded) as caught:
        bench.model_at(stub).answer(question(max_calls=2))

    assert (caught.value.kind, caught.value.calls, len(stub.requests)) == ("run_calls", 2, 2)


def test_requests_at_once_are_limited(bench: Bench, serve: Serve) -> None:
    def slowly(_: object) -> Reply:
        return Reply.json(GOOD).slowly(0.001)

    stub = serve(respond=slowly)
    model = bench.model_at(stub, concurrency=2)
    threads = [threading.Thread(target=model.answer, args=(question(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(stub.requests), stub.most_at_once) == (6, 2)


def test_waiting_for_a_slot_ends_at_the_deadline(bench: Bench, serve: Serve) -> None:
    stub = serve([Reply.hang()])
    model = bench.model_at(stub, concurrency=1)
    holder = threading.Thread(target=model.answer, args=(question(),))
    holder.start()
    while not stub.requests:
        threading.Event().wait(0.01)

    with pytest.raises(TransientModelError) as caught:
        model.answer(question(timeout_seconds=0.1))
    stub.is_closing.set()
    stub.respond = lambda _: Reply.json(GOOD)
    holder.join()

    assert (caught.value.kind, caught.value.calls) == ("busy", 0)
