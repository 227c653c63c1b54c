"""Address and key: where they come from, and that the key is seen nowhere."""

from __future__ import annotations

import logging
import traceback

import pytest

from memory.client import AsyncMemory, ConfigurationError, Memory, MemseekError
from memory.client.site import site_of
from tests.client.servers import KEY, LOST, Answer, scripted


def test_arguments_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSEEK_BASE_URL", "https://memory.example.com/api/v1/")
    monkeypatch.setenv("MEMSEEK_API_KEY", "msk_of-the-environment")
    assert (site_of(None, None).api, site_of(None, None).key) == (
        "https://memory.example.com/api/v1/",
        "msk_of-the-environment",
    )
    given = site_of("http://[::1]:9000/below/", KEY)
    assert (given.api, given.key) == ("http://[::1]:9000/below/api/v1/", KEY)


def test_without_an_address_it_is_the_machine_itself() -> None:
    assert site_of(None, KEY).base_url == "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    "address",
    ["memory.example.com", "ftp://host", "http://", "http://host:port", "http://host?a=1", "http://host#a"],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError, match="is no address"):
        Memory(address, KEY)


def test_an_address_with_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigurationError) as raised:
        Memory("https://me:hush@host", KEY)
    assert "hush" not in str(raised.value)


def test_a_key_is_needed() -> None:
    with pytest.raises(ConfigurationError, match="MEMSEEK_API_KEY"):
        Memory("http://host")


@pytest.mark.parametrize("key", [f"{KEY}\nX: y", f"{KEY} {KEY}", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_no_header_holds_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Memory("http://host", key)
    assert KEY not in str(raised.value)


def test_the_key_is_in_no_repr() -> None:
    memory, other = Memory("http://host", KEY), AsyncMemory("http://host", KEY)
    assert (repr(memory), repr(other)) == ("Memory('http://host')", "AsyncMemory('http://host')")
    assert KEY not in f"{memory._site!r}{memory.session!r}{memory._wire!r}{memory._limits!r}"


@pytest.mark.parametrize(
    "answer",
    [LOST, Answer(401, {"error": "authentication_failed", "detail": "unknown"}), Answer(200, b"<html>")],
)
def test_the_key_is_in_no_error_and_no_log(answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        scripted(answer) as server,
        Memory(server.url, KEY, attempts=1) as memory,
        pytest.raises(MemseekError) as raised,
    ):
        memory.answer("What?", entity="agent.alice")
    told = "".join(traceback.format_exception(raised.value))
    assert KEY not in f"{told}{raised.value!r}{raised.value.__dict__}{caplog.text}"
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("place", ["/elsewhere", "{other}/api/v1/answer"])
def test_a_redirect_is_not_followed(place: str) -> None:
    with scripted() as other:
        target = place.format(other=other.url)
        with scripted(Answer(307, headers={"Location": target})) as server, Memory(server.url, KEY) as memory:
            with pytest.raises(MemseekError, match="is not followed"):
                memory.answer("What?", entity="agent.alice")
            assert (len(server.asked), other.asked) == (1, [])
