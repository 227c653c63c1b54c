"""What goes wrong before, behind and beside the proxy: an honest answer, and nothing said is lost."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from django.test import Client, override_settings

from memory.ingest.sessions import end_session
from memory.ingest.workspaces import create_key
from memory.models import Message, Session, Workspace
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memseek_site.proxy_reading import ProxySettings
from tests.factories import make_entity
from tests.faults.processes import database_url
from tests.proxy.conftest import ALICE, Proxied, said
from tests.proxy.serving import UPSTREAM_KEY, Line, site_process
from tests.stewardship.erasing.planting import BOSS
from tests.stub_provider import Reply, StubProvider

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("status", "error"), [(429, openai.RateLimitError), (500, openai.InternalServerError)]
)
def test_an_error_of_the_endpoint_passes_as_it_is(
    proxied: Proxied, status: int, error: type[openai.APIStatusError]
) -> None:
    answer = Reply.status(status, "Slow down.", code="busy", retry_after="7")
    proxied.upstream.script = [answer]
    client: Any = proxied.client()
    with pytest.raises(error) as failed:
        client.chat.completions.create(model="stub", messages=said("Hello"), stream=True)
    response = failed.value.response
    assert (response.status_code, response.content) == (status, answer.body)
    assert response.headers["retry-after"] == "7"
    assert response.headers["x-memseek-problem"] == f"upstream_{status}"
    # The user did say it; the same request again adds the reply.
    assert proxied.wait_for(1) == [("user", "Hello")]
    client.chat.completions.create(model="stub", messages=said("Hello"))
    assert proxied.wait_for(2) == [("user", "Hello"), ("assistant", "Noted.")]


def test_the_endpoints_key_is_in_no_reply(proxied: Proxied) -> None:
    proxied.upstream.script = [Reply.status(401, f"Bad key {UPSTREAM_KEY}.")]
    reply = proxied.post({"model": "stub", "messages": said("Hello")})
    assert (reply.status_code, reply.json()["error"]["message"]) == (401, "Bad key [key removed].")
    assert UPSTREAM_KEY not in str(reply.headers)


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        (Reply.hang(), 504, "upstream_timeout"),
        (Reply.closed(), 502, "upstream_unreachable"),
        (Reply.text("Half an answer").cut_off(40), 502, "upstream_unreachable"),
    ],
    ids=["hang", "closed", "cut"],
)
def test_an_endpoint_that_gives_no_answer(proxied: Proxied, answer: Reply, status: int, code: str) -> None:
    proxied.upstream.script = [answer]
    reply = proxied.post({"model": "stub", "messages": said("Hello")})
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert proxied.wait_for(1) == [("user", "Hello")]


def test_a_stream_that_the_endpoint_breaks_off_is_stored_and_marked(proxied: Proxied) -> None:
    whole = Reply.streamed("Good ", "morning", ", Alice")
    proxied.upstream.script = [whole.cut_off(whole.body.index(b", Alice"))]
    client: Any = proxied.client()
    with pytest.raises(openai.APIError, match="broke off"):
        list(client.chat.completions.create(model="stub", messages=said("Hello"), stream=True))
    assert proxied.wait_for(2) == [("user", "Hello"), ("assistant", "Good morning")]
    reply = Message.objects.get(role="assistant")
    assert reply.metadata == {"model": "stub", "incomplete": "upstream_cut"}


def test_a_stream_that_the_endpoint_ends_early_passes_as_it_came_and_is_marked(proxied: Proxied) -> None:
    whole = Reply.streamed("Good ", "morning", ", Alice")
    proxied.upstream.script = [replace(whole, body=whole.body[: whole.body.index(b", Alice")])]
    reply = proxied.post({"model": "stub", "messages": said("Hello"), "stream": True})
    assert (reply.status_code, reply.content) == (200, whole.body[: whole.body.index(b", Alice")])
    assert proxied.wait_for(2) == [("user", "Hello"), ("assistant", "Good morning")]
    assert Message.objects.get(role="assistant").metadata == {"model": "stub", "incomplete": "upstream_cut"}


def test_a_client_that_leaves_after_some_words_leaves_them(proxied: Proxied) -> None:
    body = Reply.streamed("Good ", "morning")
    proxied.upstream.script = [body.gated(threading.Event(), 'Good "}, "finish_reason": null}]}\n\n')]
    with httpx.stream(
        "POST",
        f"{proxied.url}/v1/chat/completions",
        json={"model": "stub", "messages": said("Hello"), "stream": True},
        headers={"Authorization": f"Bearer {proxied.key}", "X-Memseek-Entity": ALICE},
    ) as response:
        for text in response.iter_text():
            if "Good " in text:
                break
    assert proxied.wait_for(2) == [("user", "Hello"), ("assistant", "Good ")]
    assert Message.objects.get(role="assistant").metadata == {"model": "stub", "incomplete": "client_gone"}


def test_whose_memory_it_is(proxied: Proxied) -> None:
    make_entity("agent.alice", workspace=proxied.workspace)
    make_entity("agent.carol", workspace=proxied.workspace)
    entity = make_entity("agent.bob", workspace=proxied.workspace)
    bound = create_key(workspace=proxied.workspace, label="bound", entities=[entity]).token
    chat = {"model": "stub", "messages": said("Hello")}

    def asked(user: str | None, **headers: str) -> tuple[int, str | None]:
        body = chat if user is None else {**chat, "user": user}
        reply = httpx.post(f"{proxied.url}/v1/chat/completions", json=body, headers=headers)
        return reply.status_code, reply.json().get("error", {}).get("code")

    whole, only_bob = {"Authorization": f"Bearer {proxied.key}"}, {"Authorization": f"Bearer {bound}"}
    assert asked(None, **whole) == (400, "entity_missing")
    assert asked("agent.carol", **whole) == (200, None)
    assert asked("agent.carol", **whole, **{"X-Memseek-Entity": "agent.alice"}) == (200, None)
    assert asked(None, **only_bob) == (200, None)
    assert asked("agent.bob", **only_bob) == (200, None)
    assert asked("agent.carol", **only_bob) == (404, "not_found")
    assert asked("agent.nobody", **only_bob) == (404, "not_found")
    assert asked(" blank ", **whole) == (400, "invalid")
    for name in ("agent.alice", "agent.bob", "agent.carol"):
        assert proxied.wait_for(2, name)[0] == ("user", "Hello")


def test_memory_of_another_workspace_is_out_of_reach(proxied: Proxied) -> None:
    elsewhere = Workspace.objects.create(name="elsewhere")
    stranger = create_key(workspace=elsewhere, label="stranger").token
    proxied.client().chat.completions.create(model="stub", messages=said("The code is 4711."))  # type: ignore[call-overload]
    proxied.wait_for(2)
    raw = proxied.client(key=stranger).chat.completions.with_raw_response.create(  # type: ignore[call-overload]
        model="stub", messages=said("What is the code?")
    )
    assert (raw.headers["x-memseek-context"], proxied.sent()["messages"]) == (
        "none",
        said("What is the code?"),
    )


def test_the_log_holds_no_word_no_name_and_no_key(proxied: Proxied) -> None:
    word = "Quetzalcoatlus"
    client: Any = proxied.client(entity=f"agent.{word}", **{"X-Memseek-Session": word})
    proxied.upstream.script = [Reply.text(word), Reply.status(500, word), Reply.closed()]
    for _ in range(3):
        with suppress(openai.APIError):
            client.chat.completions.create(model=word, messages=said(f"{word} lives."), user=word)
    proxied.post(f'{{"messages": "{word}'.encode())
    proxied.wait_for(2, f"agent.{word}")
    log = proxied.log.read_text()
    assert "v1/chat/completions" in log
    assert [secret for secret in (word, proxied.key, UPSTREAM_KEY) if secret in log] == []


def test_keys_that_open_nothing(proxied: Proxied) -> None:
    reader = create_key(workspace=proxied.workspace, label="reader", scopes=["read"]).token
    for key, error in (
        ("msk_nonsense", openai.AuthenticationError),
        (reader, openai.PermissionDeniedError),
    ):
        with pytest.raises(error):
            proxied.client(key=key).chat.completions.create(model="stub", messages=said("Hello"))  # type: ignore[call-overload]
    assert proxied.upstream.requests == []


def test_requests_that_are_none(proxied: Proxied) -> None:
    assert proxied.post(b"[1]").json()["error"]["code"] == "invalid"
    for number in (b"NaN", b"1e999", b"-1e999"):
        # Written again it would be no JSON, which is worse than to be refused here.
        assert proxied.post(b'{"messages": [], "a": %s}' % number).json()["error"]["code"] == "invalid"
    assert proxied.post(b" " * (1024 * 1024 + 1)).status_code == 413
    assert httpx.get(f"{proxied.url}/v1/chat/completions").headers["allow"] == "POST"
    assert httpx.get(f"{proxied.url}/v1/embeddings").status_code == 404
    key = {"Authorization": f"Bearer {proxied.key}"}
    for name in ("..%2Fchat", "%2e%2e", "a/../../b", "", "a//b"):
        assert httpx.get(f"{proxied.url}/v1/models/{name}", headers=key).status_code == 404
    assert httpx.get(f"{proxied.url}/v1/models", headers={"Host": "evil.example"}).status_code == 421
    # What is no conversation is the endpoint's to refuse.
    proxied.upstream.script = [Reply.status(400, "messages is missing")]
    assert proxied.post({"model": "stub"}).json()["error"]["message"] == "messages is missing"
    assert proxied.stored() == []


def test_a_turn_that_shows_nothing_costs_the_others_nothing(proxied: Proxied) -> None:
    turns = ("user", "Hello"), ("assistant", "\u200b"), ("user", "\0"), ("user", "Still there?")
    proxied.post({"model": "stub", "messages": [{"role": role, "content": text} for role, text in turns]})
    assert [text for _, text in proxied.wait_for(3)][:2] == ["Hello", "Still there?"]


def test_an_erased_conversation_is_not_revived_and_a_new_one_is_stored(proxied: Proxied) -> None:
    client: Any = proxied.client()
    client.chat.completions.create(model="stub", messages=said("Hello", "Hi", "My secret is 4711."))
    proxied.wait_for(4)
    scope = Scope("session", sessions=(Session.objects.get().pk,))
    plan = plan_erasure(entity=proxied.entity(), scope=scope, actor=BOSS, reason="asked for")
    erase(erasure=plan, actor=BOSS)
    client.chat.completions.create(
        model="stub", messages=said("Hello", "Hi", "My secret is 4711.", "Noted.", "Anything else?")
    )
    assert proxied.wait_for(2) == [("user", "Anything else?"), ("assistant", "Noted.")]
    client.chat.completions.create(model="stub", messages=said("Hello"))
    assert proxied.wait_for(4)[2:] == [("user", "Hello"), ("assistant", "Noted.")]


def test_words_behind_the_end_of_a_session_go_to_the_next(proxied: Proxied) -> None:
    client: Any = proxied.client(**{"X-Memseek-Session": "monday"})
    client.chat.completions.create(model="stub", messages=said("Hello"))
    proxied.wait_for(2)
    end_session(Session.objects.select_related("entity").get())
    client.chat.completions.create(model="stub", messages=said("Hello", "Noted.", "One more thing."))
    proxied.wait_for(4)
    found = Session.objects.order_by("created_at").values_list("external_id", "next_ordinal")
    assert list(found) == [("monday", 2), ("monday~2", 2)]


def test_a_chat_goes_on_without_its_memory(proxied: Proxied, upstream: StubProvider, tmp_path: Path) -> None:
    line = Line()
    settings = {
        "MEMSEEK_PROXY": "true",
        "MEMSEEK_PROXY_BASE_URL": upstream.base_url,
        "MEMSEEK_PROXY_CONTEXT_SECONDS": "0.5",
    }
    try:
        with site_process(tmp_path, line.database_url(), **settings) as url:
            there = Proxied(url, proxied.key, proxied.workspace, upstream)
            unknown = create_key(workspace=proxied.workspace, label="not seen before").token
            client: Any = there.client()
            client.chat.completions.create(model="stub", messages=said("Hello"))
            there.wait_for(2)
            line.is_open.clear()
            texts = []
            for number in range(3):
                raw = client.chat.completions.with_raw_response.create(
                    model="stub", messages=said(f"Are you there, {number}?")
                )
                texts.append(raw.parse().choices[0].message.content)
                assert raw.headers["x-memseek-context"] == "none"
                assert raw.headers["x-memseek-problem"] in ("memory_slow", "memory_unavailable")
            assert texts == ["Noted."] * 3
            with pytest.raises(openai.InternalServerError) as refused:
                there.client(key=unknown).chat.completions.create(model="stub", messages=said("Hello"))  # type: ignore[call-overload]
            assert refused.value.code == "unavailable"
            line.is_open.set()
            told = there.wait_for(8)
            assert sorted(text for role, text in told if role == "user") == [
                "Are you there, 0?",
                "Are you there, 1?",
                "Are you there, 2?",
                "Hello",
            ]
    finally:
        line.close()


def test_streams_hold_no_connection_and_a_key_keeps_to_its_rate(
    proxied: Proxied, upstream: StubProvider, tmp_path: Path
) -> None:
    gate = threading.Event()
    upstream.respond = lambda body: (
        Reply.streamed("a", "b").gated(gate, '"a"') if body.get("stream") else Reply.text("Noted.")
    )
    settings = {
        "MEMSEEK_PROXY": "true",
        "MEMSEEK_PROXY_BASE_URL": upstream.base_url,
        "DATABASE_POOL_SIZE": "2",
        "MEMSEEK_RATE_WRITES": "11",
    }
    with site_process(tmp_path, database_url(), **settings) as url:
        there = Proxied(url, proxied.key, proxied.workspace, upstream)
        client: Any = there.client()
        streams = [
            client.chat.completions.create(model="stub", messages=said(f"Open {number}"), stream=True)
            for number in range(10)
        ]
        raw = client.chat.completions.with_raw_response.create(model="stub", messages=said("And one more"))
        assert "x-memseek-problem" not in raw.headers
        with pytest.raises(openai.RateLimitError) as refused:
            client.chat.completions.create(model="stub", messages=said("One too many"))
        assert refused.value.code == "rate_limited"
        assert int(refused.value.response.headers["retry-after"]) > 0
        gate.set()
        replies = ["".join(chunk.choices[0].delta.content or "" for chunk in stream) for stream in streams]
        assert replies == ["ab"] * 10
        there.wait_for(22)


def test_what_is_under_way_is_stored_before_the_server_ends(
    proxied: Proxied, upstream: StubProvider, tmp_path: Path
) -> None:
    settings = {"MEMSEEK_PROXY": "true", "MEMSEEK_PROXY_BASE_URL": upstream.base_url}
    with site_process(tmp_path, database_url(), **settings) as url:
        there = Proxied(url, proxied.key, proxied.workspace, upstream)
        there.client().chat.completions.create(model="stub", messages=said("Hello"))  # type: ignore[call-overload]
    assert proxied.stored() == [("user", "Hello"), ("assistant", "Noted.")]


def test_a_server_without_asgi_says_so(client: Client, settings: Any) -> None:
    address = "/v1/chat/completions"
    assert client.post(address, {}, content_type="application/json").status_code == 404
    with override_settings(MEMSEEK=replace(settings.MEMSEEK, proxy=ProxySettings(is_on=True))):
        reply = client.post(address, {}, content_type="application/json")
    assert (reply.status_code, reply.json()["error"]["code"]) == (501, "needs_asgi")
