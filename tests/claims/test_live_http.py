"""Asking over real HTTP: what a source may do, and what it gets for doing anything else."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from memory.claims import live_http
from memory.claims.live_addresses import Hosts, LiveError
from memory.claims.live_http import HttpQuestion, ask
from memory.llm.pacing import Deadline
from tests.claims.live_server import LiveServer, reply

TOKEN = "token-1234567890"
MOST_BYTES = 1_000


@pytest.fixture
def server() -> Iterator[LiveServer]:
    with LiveServer() as started:
        yield started


def question(server: LiveServer, path: str = "/plan", **fields: Any) -> HttpQuestion:
    here = f"127.0.0.1:{server.port}"
    told = {
        "url": f"http://{here}{path}",
        "hosts": Hosts(frozenset({here}), frozenset({here})),
        "most_bytes": MOST_BYTES,
    }
    return HttpQuestion(**{**told, **fields})


def refusal(asked: HttpQuestion, seconds: float = 10.0) -> str:
    with pytest.raises(LiveError) as raised:
        ask(asked, Deadline(seconds))
    return str(raised.value)


@pytest.mark.parametrize("value", [{"cycle": "annual", "price": 1_200}, "annual", 7, False, [1, 2]])
def test_any_json_value_is_a_value(server: LiveServer, value: Any) -> None:
    server.scripts["/plan"] = reply(value)
    assert ask(question(server, credential=TOKEN), Deadline(10)) == value
    [asked] = server.asked
    names = ("authorization", "accept", "accept-encoding", "host")
    assert [asked.headers[name] for name in names] == [
        f"Bearer {TOKEN}",
        "application/json",
        "identity",
        f"127.0.0.1:{server.port}",
    ]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (reply(b"{", kind="application/json"), "answered what is no JSON"),
        (reply(b"NaN"), "answered what is no JSON"),
        (reply(b"[" * 400 + b"]" * 400), "answered what is nested more than 32 levels deep"),
        (reply(b'"\\u0000"'), "answered what holds the character U+0000"),
        (reply(b"\xff"), "answered what is no JSON"),
        (reply(b"null"), "knows no value"),
        (reply(b"<html>", kind="text/html; charset=utf-8"), "answered text/html, no JSON"),
        (reply(b"1", kind=""), "answered something untold, no JSON"),
        (reply({"error": "no"}, status="500 Oh No"), "answered with status 500"),
        (reply(b"", status="204 No Content"), "answered with status 204"),
        (reply({"error": "no"}, status="404 Not Found"), "answered with status 404"),
        (reply("x" * 2_000), "answered more than 1000 bytes"),
        (reply("x" * 2_000, content_length=""), "answered more than 1000 bytes"),
        (reply(b'{"a": 1}', content_length="5"), "answered what is no JSON"),
        (reply(b'{"a": 1}', content_length="500"), "broke off"),
        (reply(b"1", content_encoding="gzip"), "answered in an encoding that was not asked for"),
        (reply(b"", status="302 Found"), "answered with status 302"),
    ],
)
def test_what_is_no_answer_says_why(server: LiveServer, script: Any, reason: str) -> None:
    server.scripts["/plan"] = script
    assert refusal(question(server)) == reason


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("beginning", [b"HTTP/1.1 200 OK\r\nX-Slow: ", HEAD + b"\r\n{", HEAD])
def test_a_source_that_drips_costs_its_time_limit(server: LiveServer, beginning: bytes) -> None:
    server.scripts["/plan"] = server.drip(beginning, b"x")
    assert refusal(question(server, most_bytes=1_000_000), seconds=0.2) == "did not answer in time"


def test_a_source_that_hangs_costs_its_time_limit(server: LiveServer) -> None:
    server.scripts["/plan"] = server.hang
    assert refusal(question(server), seconds=0.1) == "did not answer in time"


def test_nobody_there(server: LiveServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    here = f"127.0.0.1:{port}"
    hosts = Hosts(frozenset({here}), frozenset({here}))
    assert refusal(question(server, url=f"http://{here}/", hosts=hosts)) == "could not be reached"


def test_a_redirect_within_the_list_is_followed(server: LiveServer) -> None:
    server.scripts["/plan"] = reply(b"", status="302 Found", location="/new")
    server.scripts["/new"] = reply("annual")
    assert ask(question(server, credential=TOKEN), Deadline(10)) == "annual"
    assert [asked.headers.get("authorization") for asked in server.asked] == [f"Bearer {TOKEN}"] * 2


def test_a_credential_stays_at_the_host_it_is_for(server: LiveServer) -> None:
    with LiveServer() as other:
        there = f"127.0.0.1:{other.port}"
        server.scripts["/plan"] = reply(b"", status="307 Go", location=f"http://{there}/plan")
        other.scripts["/plan"] = reply("annual")
        both = frozenset({f"127.0.0.1:{server.port}", there})
        assert ask(question(server, hosts=Hosts(both, both), credential=TOKEN), Deadline(10)) == "annual"
        assert "authorization" not in other.asked[0].headers


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://elsewhere.example/plan", "lies on a host that is not allowed"),
        ("http://169.254.169.254/latest/meta-data", "lies on a host that is not allowed"),
        ("ftp://127.0.0.1/plan", "has an address that cannot be read"),
        ("http://[::1/plan", "broke off"),
        ("/plan", "redirects more than 3 times"),
    ],
)
def test_a_redirect_out_of_the_list_is_not_followed(server: LiveServer, location: str, reason: str) -> None:
    server.scripts["/plan"] = reply(b"", status="301 Moved", location=location)
    assert refusal(question(server)) == reason


def test_an_allowed_host_that_leads_to_a_private_address_is_not_asked(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when somebody's name server answers with an address of this machine."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port))]
    monkeypatch.setattr(live_http.socket, "getaddrinfo", lambda *_, **__: found)
    hosts = Hosts(frozenset({f"billing.example:{server.port}"}))
    asked = question(server, url=f"https://billing.example:{server.port}/plan", hosts=hosts)
    assert refusal(asked) == "lies at a private address, which is not allowed"
    assert server.asked == []


def test_the_address_that_was_checked_is_the_one_connected_to(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is looked up again would lead elsewhere: it is looked up once."""
    usual, lookups = socket.getaddrinfo, []

    def look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        lookups.append(host)
        return usual("127.0.0.1" if host == "billing.example" else host, *arguments, **options)

    monkeypatch.setattr(live_http.socket, "getaddrinfo", look_up)
    server.scripts["/plan"] = reply("annual")
    name = f"billing.example:{server.port}"
    hosts = Hosts(frozenset({name}), frozenset({name}))
    assert ask(question(server, url=f"http://{name}/plan", hosts=hosts), Deadline(10)) == "annual"
    assert (lookups.count("billing.example"), server.asked[0].headers["host"]) == (1, name)


def test_no_proxy_of_the_environment_is_used(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.scripts["/plan"] = reply("annual")
    assert ask(question(server), Deadline(10)) == "annual"


def test_a_credential_is_in_no_representation() -> None:
    assert TOKEN not in repr(HttpQuestion("http://a/", Hosts(), 1, TOKEN))
