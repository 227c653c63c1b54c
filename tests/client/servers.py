"""Real servers on real sockets: one that answers from a script, one that passes on and loses replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx

KEY = "msk_a-key-that-nobody-may-see"


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def value(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What is sent back. `is_lost`: the connection is closed instead."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    is_lost: bool = False

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


LOST = Answer(is_lost=True)
Respond = Callable[[Asked], Answer]


@dataclass
class Served:
    """A server's address, and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def served(respond: Respond) -> Iterator[Served]:
    """A server that answers by a function."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked = Asked(str(self.command), self.path, dict(self.headers), body)
            state.asked.append(asked)
            self.answer(respond(asked))

        def answer(self, answer: Answer) -> None:
            if answer.is_lost:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, *_: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state = Served(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def scripted(*answers: Answer) -> Iterator[Served]:
    """A server that gives these answers in their order; asked once more it says 500."""
    rest = list(answers)
    with served(lambda asked: rest.pop(0) if rest else Answer(500, {"error": "beyond the script"})) as state:
        yield state


@contextmanager
def losing_replies(url: str, path_end: str) -> Iterator[Served]:
    """In front of a server: what is posted to a path arrives there, and the first reply to it gets lost."""
    left = [1]
    with httpx.Client(base_url=url) as upstream:

        def pass_on(asked: Asked) -> Answer:
            headers = {
                name: asked.headers[name]
                for name in ("Authorization", "Content-Type")
                if name in asked.headers
            }
            reply = upstream.request(asked.method, asked.path, content=asked.body, headers=headers)
            if asked.method == "POST" and asked.path.endswith(path_end) and left:
                left.pop()
                assert reply.status_code in (200, 201, 202)
                return LOST
            return Answer(reply.status_code, reply.content)

        with served(pass_on) as state:
            yield state
