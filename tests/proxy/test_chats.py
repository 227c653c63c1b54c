"""The unchanged `openai` client chats through the proxy: memory is added, all else passes, turns are kept."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import openai
import pytest

from memory.cascade.engine import settle_entity
from memory.llm.offline.model import OfflineModel
from memory.models import Message, Run, Session
from tests.proxy.conftest import ALICE, Proxied, said
from tests.proxy.serving import UPSTREAM_KEY
from tests.stub_provider import Reply
from tests.stub_provider.replies import piece

pytestmark = pytest.mark.slow

RULE = "Never deploy on a Friday without my approval."
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}


def test_the_second_conversation_recalls_the_first(proxied: Proxied) -> None:
    client = proxied.client()
    first = client.chat.completions.with_raw_response.create(model="stub", messages=said(RULE))  # type: ignore[call-overload]
    assert first.parse().choices[0].message.content == "Noted."
    assert (first.headers["x-memseek-context"], proxied.sent()["messages"]) == ("none", said(RULE))
    assert proxied.wait_for(2) == [("user", RULE), ("assistant", "Noted.")]
    settle_entity(proxied.entity(), model=OfflineModel())

    asked = [{"role": "system", "content": "Be brief."}, *said("May I deploy on Friday?")]
    second = client.chat.completions.with_raw_response.create(model="stub", messages=asked)  # type: ignore[call-overload]
    sent = proxied.sent()["messages"]
    own = [message for message in sent if message not in asked]
    assert [message for message in sent if message in asked] == asked
    assert {message["role"] for message in own} == {"system"}
    assert sent[-1] == asked[-1]
    assert "Never deploy on a Friday" in "".join(message["content"] for message in own)
    assert all(message["content"].startswith("<memseek-recall") for message in own)
    assert len(second.headers["x-memseek-context"]) == 64
    assert proxied.wait_for(4)[2:] == [("user", "May I deploy on Friday?"), ("assistant", "Noted.")]
    assert Session.objects.count() == 2


def test_a_stream_arrives_piece_by_piece_and_is_stored_whole(proxied: Proxied) -> None:
    gate = threading.Event()
    proxied.upstream.script = [Reply.streamed("Good ", "morning", ", Alice").gated(gate, "morning")]
    texts: list[str] = []
    stream = proxied.client().chat.completions.create(model="stub", messages=said("Hello"), stream=True)  # type: ignore[call-overload]
    for chunk in stream:
        texts.append(chunk.choices[0].delta.content or "")
        # The endpoint sends no more before the first piece was seen here.
        if texts[-1] == "Good ":
            gate.set()
    assert "".join(texts) == "Good morning, Alice"
    assert proxied.wait_for(2) == [("user", "Hello"), ("assistant", "Good morning, Alice")]


def test_the_asynchronous_client_streams_too(proxied: Proxied) -> None:
    proxied.upstream.script = [Reply.streamed("a", "b")]

    async def chat() -> str:
        async with openai.AsyncOpenAI(
            base_url=f"{proxied.url}/v1", api_key=proxied.key, default_headers={"X-Memseek-Entity": ALICE}
        ) as client:
            stream = await client.chat.completions.create(model="stub", messages=said("Hi"), stream=True)  # type: ignore[call-overload]
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert asyncio.run(chat()) == "ab"
    assert proxied.wait_for(2) == [("user", "Hi"), ("assistant", "ab")]


def test_what_the_client_sends_goes_through_unchanged(proxied: Proxied) -> None:
    body = {
        "model": "with-memory",
        "messages": [
            {
                "role": "user",
                "name": "Alice",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                ],
            }
        ],
        "tools": [WEATHER],
        "response_format": {"type": "json_object"},
        "n": 2,
        "logprobs": True,
        "temperature": 0.25,
        "nobody_knows": {"this": [1, 2.5, None]},
    }
    answer = Reply.document(
        {
            "model": "stub-large",
            "surprise": 1,
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": "A dot."}, "finish_reason": "stop"},
                {"index": 1, "message": {"role": "assistant", "content": "A spot."}, "finish_reason": "stop"},
            ],
        }
    )
    proxied.upstream.script = [answer]
    reply = proxied.post(body)
    assert proxied.sent() == {**body, "model": "stub-large"}
    assert reply.content == answer.body
    assert proxied.upstream.requests[-1].headers["authorization"] == f"Bearer {UPSTREAM_KEY}"
    assert proxied.wait_for(2) == [("user", "What is this?"), ("assistant", "A dot.")]
    rows = Message.objects.order_by("seq").values_list("speaker", "metadata")
    assert list(rows) == [("Alice", {"attachments": ["image_url"]}), ("", {"model": "stub-large"})]


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_tool_call_passes_and_its_result_is_stored(proxied: Proxied, is_stream: bool) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    function = CALL["function"]
    assert isinstance(function, dict)
    pieces = [
        piece({"role": "assistant", "content": None}),
        piece({"tool_calls": [{"index": 0, **CALL, "function": {**function, "arguments": '{"city"'}}]}),
        piece({"tool_calls": [{"index": 0, "function": {"arguments": ': "Bern"}'}}]}),
        piece({}, "tool_calls"),
    ]
    whole = {"model": "stub", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    proxied.upstream.script = [Reply.events(*pieces) if is_stream else Reply.document(whole)]
    client: Any = proxied.client()
    asked = said("How is the weather in Bern?")
    reply = client.chat.completions.create(model="stub", messages=asked, tools=[WEATHER], stream=is_stream)
    calls = [
        call
        for part in (reply if is_stream else [reply])
        for call in (part.choices[0].delta if is_stream else part.choices[0].message).tool_calls or []
    ]
    assert (calls[0].id, calls[0].function.name) == ("call_1", "weather")
    assert "".join(call.function.arguments for call in calls) == '{"city": "Bern"}'
    assert proxied.wait_for(2) == [("user", "How is the weather in Bern?"), ("assistant", "")]

    result = {"role": "tool", "tool_call_id": "call_1", "content": "Rain."}
    client.chat.completions.create(model="stub", messages=[*asked, message, result], tools=[WEATHER])
    assert proxied.wait_for(4)[2:] == [("tool", "Rain."), ("assistant", "Noted.")]
    rows = Message.objects.order_by("seq").values_list("tool_calls", "tool_call_id", "tool_name")
    assert list(rows) == [([], "", ""), ([CALL], "", ""), ([], "call_1", "weather"), ([], "", "")]
    assert Session.objects.count() == 1


def test_a_growing_conversation_is_stored_once_in_one_session(proxied: Proxied) -> None:
    client: Any = proxied.client()
    texts = ["I am Alice."]
    for number in range(3):
        proxied.upstream.script = [Reply.text(f"Answer {number}.")]
        client.chat.completions.create(model="stub", messages=said(*texts))
        texts.append(f"Answer {number}.")
        proxied.wait_for(len(texts))
        texts.append(f"Question {number}?")
    # The last request once more, as a client does that has not seen the reply.
    proxied.upstream.script = [Reply.text("Answer 2.")]
    client.chat.completions.create(model="stub", messages=said(*texts[:-2]))
    client.chat.completions.create(model="stub", messages=said(*texts))
    expected = [(message["role"], message["content"]) for message in said(*texts)]
    assert proxied.wait_for(len(texts) + 1) == [*expected, ("assistant", "Noted.")]
    assert Session.objects.count() == 1


def test_a_client_that_drops_the_beginning_stays_in_its_session(proxied: Proxied) -> None:
    client: Any = proxied.client()
    client.chat.completions.create(model="stub", messages=said("One", "First", "Two", "Second", "Three"))
    assert len(proxied.wait_for(6)) == 6
    client.chat.completions.create(model="stub", messages=said("Two", "Second", "Three", "Noted.", "Four"))
    assert proxied.wait_for(8)[6:] == [("user", "Four"), ("assistant", "Noted.")]
    client.chat.completions.create(model="stub", messages=said("Three", "Noted.", "Four", "Noted.", "Five"))
    assert proxied.wait_for(10)[8:] == [("user", "Five"), ("assistant", "Noted.")]
    assert Session.objects.count() == 1


def test_a_session_may_be_named_and_two_of_them_begin_alike(proxied: Proxied) -> None:
    for session in ("monday", "tuesday"):
        client: Any = proxied.client(**{"X-Memseek-Session": session})
        raw = client.chat.completions.with_raw_response.create(model="stub", messages=said("Hello"))
        assert raw.status_code == 200
    proxied.wait_for(4)
    found = Session.objects.order_by("external_id").values_list("external_id", "next_ordinal")
    assert list(found) == [("monday", 2), ("tuesday", 2)]


def test_recalled_blocks_are_not_captured_again(proxied: Proxied) -> None:
    block = '<memseek-recall id="a1">\nAlice likes tea.\n</memseek-recall>\n\nAnd now?'
    proxied.upstream.script = [Reply.text('I was told <memseek-recall id="a1">\ntea\n</memseek-recall> so.')]
    client: Any = proxied.client()
    client.chat.completions.create(model="stub", messages=said(block))
    assert proxied.wait_for(2) == [("user", "\n\nAnd now?"), ("assistant", "I was told  so.")]
    assert proxied.sent()["messages"] == said(block)


def test_a_reply_counts_in_the_tokens_of_the_day(proxied: Proxied) -> None:
    proxied.workspace.daily_token_budget = 100
    proxied.workspace.save()
    client: Any = proxied.client()
    client.chat.completions.create(model="stub", messages=said("Hello"))
    proxied.wait_for(2)
    runs = Run.objects.values_list("step", "status", "model", "tokens_in", "tokens_out")
    assert list(runs) == [("chat", "succeeded", "stub", 120, 30)]
    with pytest.raises(openai.RateLimitError) as refused:
        client.chat.completions.create(model="stub", messages=said("Hello again"))
    assert refused.value.code == "daily_tokens"
    assert len(proxied.upstream.requests) == 1


def test_the_models_are_the_endpoints_and_ours(proxied: Proxied) -> None:
    client = proxied.client()
    assert [model.id for model in client.models.list()] == ["with-memory"]
    proxied.upstream.models = ["stub"]
    assert [model.id for model in client.models.list()] == ["with-memory", "stub"]
    assert client.models.retrieve("with-memory").owned_by == "memseek"
