"""What holds for every provider alike, whatever its protocol says it in."""

import asyncio
import logging
import subprocess
import sys
import threading
from typing import Any

import pytest

from memory.llm.accounting import estimated_tokens
from memory.llm.protocol import (
    BudgetExceeded,
    ModelError,
    ModelReply,
    PermanentModelError,
    TransientModelError,
)
from tests.llm.conftest import GOOD, KEY, Notes, question
from tests.llm.providers.conftest import Dialect, Make, Start
from tests.llm.test_secrets import everything_about, holds_key
from tests.setup.commands import ROOT
from tests.stub_provider import Reply, StubProvider
from tests.stub_provider.dialects import OllamaStub, as_text

GOOD_TEXT = as_text(GOOD)


def without_time(reply: ModelReply) -> dict[str, Any]:
    return {name: getattr(reply, name) for name in ModelReply.__slots__ if name != "milliseconds"}


def test_a_reply_carries_text_model_and_account(dialect: Dialect, start: Start, at: Make) -> None:
    reply = at(start(dialect.stub, [dialect.json(GOOD)])).answer(question())

    assert without_time(reply) == {
        "text": GOOD_TEXT,
        "model": "stub-large",
        "finish_reason": "stop",
        "tokens_in": 120,
        "tokens_out": 30,
        "cost": None,
        "calls": 1,
        "is_usage_estimated": False,
    }


def test_the_key_is_sent_and_connections_are_kept(dialect: Dialect, start: Start, at: Make) -> None:
    stub = start(dialect.stub, [dialect.json(GOOD)] * 2)
    for _ in range(2):
        at(stub).answer(question())

    assert [(seen.headers["authorization"], seen.connection) for seen in stub.requests] == [
        (f"Bearer {KEY}", 1),
        (f"Bearer {KEY}", 1),
    ]


def test_missing_usage_is_estimated_and_said(dialect: Dialect, start: Start, at: Make) -> None:
    reply = at(start(dialect.stub, [dialect.without_usage(GOOD_TEXT)])).answer(question())

    asked = estimated_tokens("You do l1_extract.") + estimated_tokens("m1 Alice: I like tea.")
    assert (reply.tokens_in, reply.tokens_out, reply.is_usage_estimated) == (
        asked,
        estimated_tokens(GOOD_TEXT),
        True,
    )


@pytest.mark.parametrize("text", ['{"items": [{"te', ""])
def test_a_cut_off_answer_says_so(dialect: Dialect, start: Start, at: Make, text: str) -> None:
    reply = at(start(dialect.stub, [dialect.cut_off(text)])).answer(question())

    assert (reply.text, reply.finish_reason, reply.calls) == (text, "length", 1)


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_a_status_that_may_pass_is_tried_again(
    dialect: Dialect, start: Start, at: Make, pauses: list[float], status: int
) -> None:
    stub = start(dialect.stub, [dialect.error(status), dialect.json(GOOD)])

    reply = at(stub).answer(question())

    assert (reply.text, reply.calls, pauses) == (GOOD_TEXT, 2, [0.5])


def test_broken_and_empty_answers_are_tried_again(
    dialect: Dialect, start: Start, at: Make, pauses: list[float]
) -> None:
    for broken in (
        Reply.closed(),
        dialect.json(GOOD).cut_off(40),
        Reply(b'{"half": '),
        Reply(b"[]"),
        Reply.document({"done": True}),
        dialect.text(""),
    ):
        reply = at(start(dialect.stub, [broken, dialect.json(GOOD)])).answer(question())
        assert (reply.text, reply.calls) == (GOOD_TEXT, 2)
    assert pauses == [0.5] * 6


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413])
def test_a_status_that_stays_is_asked_once(
    dialect: Dialect, start: Start, at: Make, pauses: list[float], status: int
) -> None:
    with pytest.raises(PermanentModelError) as caught:
        at(start(dialect.stub, [dialect.error(status, "Not like this.")])).answer(question())

    assert (caught.value.kind, caught.value.calls, pauses) == (f"http_{status}", 1, [])
    assert "Not like this." in caught.value.message


def test_a_page_is_no_answer(dialect: Dialect, start: Start, at: Make) -> None:
    with pytest.raises(PermanentModelError) as caught:
        at(start(dialect.stub, [Reply.html()])).answer(question())

    assert caught.value.kind == "wrong_content_type"


def test_retry_after_is_honoured(dialect: Dialect, start: Start, at: Make, pauses: list[float]) -> None:
    stub = start(dialect.stub, [dialect.error(429, retry_after="3"), dialect.json(GOOD)])

    at(stub).answer(question())

    assert pauses == [3.0]


def test_a_long_retry_after_is_left_to_the_caller(dialect: Dialect, start: Start, at: Make) -> None:
    with pytest.raises(TransientModelError) as caught:
        at(start(dialect.stub, [dialect.error(429, retry_after="3600")])).answer(question())

    assert (caught.value.retry_after_seconds, caught.value.calls) == (3600.0, 1)


@pytest.mark.parametrize("is_dripping", [False, True], ids=["silence", "byte by byte"])
def test_the_deadline_holds(dialect: Dialect, start: Start, at: Make, is_dripping: bool) -> None:
    slow = dialect.json(GOOD).slowly(0.05) if is_dripping else Reply.hang()

    with pytest.raises(TransientModelError) as caught:
        at(start(dialect.stub, [slow])).answer(question(timeout_seconds=0.4))

    assert (caught.value.kind, caught.value.calls) == ("timeout", 1)


def test_nobody_listening_is_a_network_error(dialect: Dialect, start: Start, at: Make) -> None:
    stub = dialect.stub()
    model = at(stub)
    with stub:
        pass

    with pytest.raises(TransientModelError) as caught:
        model.answer(question())

    assert (caught.value.kind, caught.value.calls) == ("network", 3)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1", "http://127.0.0.1:nine"])
def test_an_impossible_address_is_permanent(dialect: Dialect, address: str) -> None:
    with pytest.raises(PermanentModelError) as caught:
        dialect.model("stub-large", base_url=address, api_key=KEY).answer(question())

    assert (caught.value.kind, caught.value.calls) == ("bad_endpoint", 1)


def test_no_more_requests_than_allowed_are_sent(dialect: Dialect, start: Start, at: Make) -> None:
    stub = start(dialect.stub, [dialect.error(500)] * 3)

    with pytest.raises(BudgetExceeded) as caught:
        at(stub).answer(question(max_calls=2))

    assert (caught.value.kind, caught.value.calls, len(stub.requests)) == ("run_calls", 2, 2)


def test_requests_at_once_are_limited(dialect: Dialect, start: Start, at: Make) -> None:
    stub = start(dialect.stub, respond=lambda _: dialect.json(GOOD).slowly(0.001))
    model = at(stub, concurrency=2)
    threads = [threading.Thread(target=model.answer, args=(question(),)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(stub.requests), stub.most_at_once) == (5, 2)


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_a_key_that_comes_back_goes_no_further(
    dialect: Dialect, start: Start, at: Make, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)

    with pytest.raises(ModelError) as caught:
        at(start(dialect.stub, echoes_authorization=status)).answer(question())

    assert holds_key(caplog.text, *everything_about(caught.value)) == []


def test_an_answer_that_holds_the_key_is_freed_of_it(dialect: Dialect, start: Start, at: Make) -> None:
    said = {"items": [{"text": f"The key is {KEY}.", "priority": 1}], "nothing_reason": None}

    reply = at(start(dialect.stub, [dialect.json(said)])).answer(question())

    assert holds_key(reply.text) == []


def test_keys_and_headers_of_the_environment_go_nowhere(
    dialect: Dialect, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Team: northwind-internal")
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "northwind-internal")
    stub = start(dialect.stub, [dialect.json(GOOD)])

    dialect.model("stub-large", base_url=stub.base_url, api_key="").answer(question())

    assert [value for value in stub.requests[0].headers.values() if "northwind" in value] == []


def test_it_generates_an_instance_in_ones_own_code(dialect: Dialect, start: Start, at: Make) -> None:
    stub = start(dialect.stub, [dialect.text(f"With pleasure:\n```json\n{GOOD_TEXT}\n```")])

    notes = asyncio.run(at(stub).generate("Alice: I like tea.", response_model=Notes))

    assert notes == Notes.model_validate(GOOD)
    assert [said["content"] for said in stub.requests[0].body["messages"]] == ["Alice: I like tea."]


def test_an_answer_that_does_not_fit_is_asked_for_once_more(dialect: Dialect, start: Start, at: Make) -> None:
    bad = {"items": [{"text": "Alice likes tea.", "priority": 400}]}
    stub = start(dialect.stub, [dialect.json(bad), dialect.json(GOOD)])

    notes = asyncio.run(at(stub).generate("Alice: I like tea.", response_model=Notes))

    assert notes == Notes.model_validate(GOOD)
    assert "items.0.priority: less_than_equal" in stub.requests[1].body["messages"][-1]["content"]


def test_an_answer_that_never_fits_is_an_error(dialect: Dialect, start: Start, at: Make) -> None:
    bad = {"items": "none"}
    with pytest.raises(TransientModelError, match=r"invalid_answer: .* items: list_type"):
        asyncio.run(at(start(dialect.stub, [dialect.json(bad)] * 2)).generate("?", response_model=Notes))


WITHOUT_DJANGO = """
import asyncio, sys
from memory.llm.providers.{module} import {name}
embedder = {name}("stub-small", base_url=sys.argv[1])
print(embedder.dimensions, len(asyncio.run(embedder.embed(["tea", "coffee"]))))
"""


@pytest.mark.parametrize(
    ("module", "name", "stub"),
    [("openai", "OpenAIEmbedder", StubProvider), ("ollama", "OllamaEmbedder", OllamaStub)],
)
def test_embedders_serve_without_django(
    start: Start, module: str, name: str, stub: type[StubProvider]
) -> None:
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_DJANGO.format(module=module, name=name), start(stub).base_url],
        cwd=ROOT,
        env={},
        capture_output=True,
        text=True,
    )

    assert (told.stdout, told.stderr) == ("8 2\n", "")
