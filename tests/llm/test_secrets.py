"""The provider's key stays out of everything that is emitted, whatever the endpoint does with it."""

import logging
import traceback

import pytest
from pydantic import SecretStr

from memory.llm.protocol import ModelError
from memory.llm.redaction import REMOVED, emitted, removed_secrets
from tests.llm.conftest import GOOD, KEY, Bench, Serve, question
from tests.stub_provider import Reply

KEY_PARTS = (KEY, KEY[3:], KEY[-10:])


def holds_key(*texts: str) -> list[str]:
    return [part for part in KEY_PARTS for text in texts if part in text]


def everything_about(error: BaseException) -> list[str]:
    """All that a log, a run or an error page could take from an exception, chained ones included."""
    chain: list[BaseException] = [error]
    seen: list[str] = []
    while chain:
        one = chain.pop()
        seen += [repr(one), str(one), repr(vars(one))]
        chain += [linked for linked in (one.__cause__, one.__context__) if linked is not None]
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), capture_locals=True)
    # The test's own frame knows the key, of course.
    return [*seen, *(repr(frame.locals) for frame in frames if "/tests/" not in frame.filename)]


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 500, 503])
def test_an_error_that_echoes_the_authorization_header(
    bench: Bench, serve: Serve, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    stub = serve(echoes_authorization=status)

    with pytest.raises(ModelError) as caught:
        bench.model_at(stub).answer(question())

    assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "Bad header Authorization" in caught.value.raw
    assert holds_key(caplog.text, *everything_about(caught.value)) == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(f"<p>{KEY}</p>".encode(), content_type="text/html"),
        Reply(f'{{"oops": "{KEY}'.encode()),
        Reply.document({"debug": {"authorization": f"Bearer {KEY}"}}),
        Reply(f"{'.' * 3_995}{KEY}".encode(), 400),
    ],
    ids=["page", "invalid JSON", "no choice", "at the edge of the cap"],
)
def test_a_body_that_holds_the_key(
    bench: Bench, serve: Serve, caplog: pytest.LogCaptureFixture, reply: Reply
) -> None:
    caplog.set_level(logging.DEBUG)
    stub = serve(respond=lambda _: reply)

    with pytest.raises(ModelError) as caught:
        bench.model_at(stub).answer(question())

    assert caught.value.raw
    assert holds_key(caplog.text, *everything_about(caught.value)) == []


def test_an_answer_that_holds_the_key(bench: Bench, serve: Serve) -> None:
    said = {"items": [{"text": f"The key is {KEY}.", "priority": 1}], "nothing_reason": None}

    reply = bench.model_at(serve([Reply.json(said)])).answer(question())

    assert (holds_key(reply.text), REMOVED in reply.text) == ([], True)


def test_other_addresses_are_not_told_the_organisation(
    bench: Bench, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "northwind-internal")
    stub = serve([Reply.json(GOOD)])

    bench.model_at(stub).answer(question())

    assert "northwind-internal" not in stub.requests[0].headers.values()


@pytest.mark.parametrize("ending", ["\n", "\u2026", "\x00"])
def test_a_key_that_cannot_be_sent(
    bench: Bench, serve: Serve, caplog: pytest.LogCaptureFixture, ending: str
) -> None:
    caplog.set_level(logging.DEBUG)
    model = bench.model_at(serve(), api_key=SecretStr(KEY + ending))

    with pytest.raises(ModelError) as caught:
        model.answer(question())

    assert caught.value.kind == "bad_endpoint"
    assert holds_key(caplog.text, *everything_about(caught.value)) == []


@pytest.mark.parametrize("failing", [Reply.closed(), Reply.hang(), Reply.json(GOOD).cut_off(20)])
def test_the_sdk_own_errors_and_debug_records(
    bench: Bench, serve: Serve, caplog: pytest.LogCaptureFixture, failing: Reply
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2", "httpx", "httpcore"):
        caplog.set_level(logging.DEBUG, logger=name)
    stub = serve(respond=lambda _: failing)

    with pytest.raises(ModelError) as caught:
        bench.model_at(stub).answer(question(timeout_seconds=0.3, user="Alice's secret words"))

    emitted_texts = [caplog.text, *everything_about(caught.value)]
    assert holds_key(*emitted_texts) == []
    assert "secret words" not in caplog.text


def test_what_can_be_printed_of_a_model(bench: Bench, serve: Serve) -> None:
    stub = serve()
    address = stub.base_url.replace("http://", "http://user:passphrase-123@")
    endpoint = bench.endpoint(stub, base_url=address)
    shown = repr(endpoint) + repr(bench.model(endpoint)) + str(vars(bench.model(endpoint)))

    assert holds_key(shown) == []
    assert "passphrase-123" not in shown


def test_a_warning_of_the_transport_is_logged_without_secrets(
    bench: Bench, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    stub = serve([Reply.json(GOOD)])
    address = stub.base_url.replace("http://", "http://user:passphrase-123@")
    bench.model_at(stub, base_url=address).answer(question())

    logging.getLogger("httpx2").warning("Retrying %s with %s", address, KEY)

    shown = [record.getMessage() for record in caplog.records if record.name == "httpx2"]
    assert shown == [f"Retrying {address.replace('passphrase-123', REMOVED)} with {REMOVED}"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Incorrect API key provided: sk-proj-ab***yz.", f"Incorrect API key provided: {REMOVED}."),
        ("Authorization: Bearer abc.def-ghi", f"Authorization: {REMOVED}"),
        ("task-oriented, risk-averse-people and sk-", "task-oriented, risk-averse-people and sk-"),
    ],
)
def test_shapes_of_keys_are_removed_and_words_are_not(text: str, shown: str) -> None:
    assert emitted(text, ()) == shown


def test_placeholders_are_no_secrets() -> None:
    assert removed_secrets("EMPTY is none", ["EMPTY", "none"]) == "EMPTY is none"
