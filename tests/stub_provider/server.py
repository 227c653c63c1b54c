"""The stub's HTTP server: threaded, on a port of its own, recording what it was asked."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.stub_provider.replies import Reply, embeddings_by_words

COMPLETIONS_PATH = "/v1/chat/completions"
EMBEDDINGS_PATH = "/v1/embeddings"
JSON_MODES = ("json_schema", "json_object_schema", "json_object", "prompt")

Respond = Callable[[dict[str, Any]], Reply]


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it arrived."""

    body: dict[str, Any]
    headers: dict[str, str]
    connection: int
    """Number of the connection it came on: equal numbers mean a reused connection."""
    path: str = COMPLETIONS_PATH

    @property
    def json_mode(self) -> str:
        """Which of `JSON_MODES` was asked for."""
        wanted = self.body.get("response_format")
        if wanted is None:
            return "prompt"
        return "json_object_schema" if "schema" in wanted else str(wanted["type"])


class StubProvider:
    """Answers `/v1/chat/completions`: first from the script, in order, then by `respond`.

    `/v1/embeddings` is answered from the same script, then by `embed`.

    `refused_modes`, `refused_parameters` and `echoes_authorization` hold before both; `refusal_status` is the
    status of a refused mode (llama.cpp's server says 500). A scripted request beyond the script without a
    `respond` is answered 500, which a test sees as a failure.
    """

    root = "/v1"
    completions_path = COMPLETIONS_PATH
    embeddings_path = EMBEDDINGS_PATH

    def __init__(
        self,
        script: Iterable[Reply] = (),
        *,
        respond: Respond | None = None,
        embed: Respond | None = None,
        refused_modes: Iterable[str] = (),
        refused_parameters: Iterable[str] = (),
        refusal_status: int = 400,
        echoes_authorization: int | None = None,
        port: int = 0,
    ) -> None:
        self.script = list(script)
        self.respond = respond
        self.embed = embed or self.default_embed()
        self.refused_modes = set(refused_modes)
        self.refused_parameters = set(refused_parameters)
        self.refusal_status = refusal_status
        self.echoes_authorization = echoes_authorization
        self.requests: list[ReceivedRequest] = []
        self.most_at_once = 0
        self.models: list[str] = []
        """What is listed at `/v1/models`."""
        self.is_closing = threading.Event()
        self._lock = threading.Lock()
        self._at_once = 0
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @staticmethod
    def default_embed() -> Respond:
        """Vectors that count words."""
        return embeddings_by_words()

    @property
    def base_url(self) -> str:
        """The address to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.root}"

    @property
    def json_modes(self) -> list[str]:
        """The JSON mode of each request, in order."""
        return [request.json_mode for request in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.is_closing.set()
        self._server.shutdown()
        self._server.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread until interrupted."""
        with suppress(KeyboardInterrupt):
            self._server.serve_forever()

    def answer(self, request: ReceivedRequest) -> Reply:
        """Record a request and choose its reply."""
        with self._lock:
            self.requests.append(request)
            return self._refused(request) or self._scripted(request)

    def enter(self) -> None:
        """A request is being answered."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def leave(self) -> None:
        """A request has been answered."""
        with self._lock:
            self._at_once -= 1

    def _refused(self, request: ReceivedRequest) -> Reply | None:
        if self.echoes_authorization is not None:
            return self._echo(request, self.echoes_authorization)
        if request.json_mode in self.refused_modes:
            words = f"'response_format' of type {request.json_mode} is not supported by this server."
            return Reply.status(self.refusal_status, words)
        for name in sorted(self.refused_parameters & request.body.keys()):
            return Reply.status(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        return None

    def _echo(self, request: ReceivedRequest, status_code: int) -> Reply:
        authorization = request.headers.get("authorization", "")
        reply = Reply.status(status_code, f"Bad header Authorization: {authorization}")
        return replace(reply, headers={"X-Seen-Authorization": authorization})

    def _scripted(self, request: ReceivedRequest) -> Reply:
        if self.script:
            return self.script.pop(0)
        if request.path == self.embeddings_path:
            return self.embed(request.body)
        if self.respond is None:
            return Reply.status(500, "The script is at its end.")
        return self.respond(request.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], stub: StubProvider) -> None:
        self.stub = stub
        self.connections = 0
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.connections += 1
        self._open.add(connection)
        return connection, address

    def server_close(self) -> None:
        # Kept-alive connections would hold their threads, and the client its warnings, beyond the test.
        super().server_close()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what several tests are about; nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection_number = self.server.connections

    def do_POST(self) -> None:
        stub = self.server.stub
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path not in (stub.completions_path, stub.embeddings_path):
            self._send(Reply.status(404, f"No such path: {self.path}"))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        stub.enter()
        try:
            request = ReceivedRequest(json.loads(body), headers, self.connection_number, self.path)
            self._send(stub.answer(request))
        finally:
            stub.leave()

    def do_GET(self) -> None:
        stub = self.server.stub
        if self.path == f"{stub.root}/models" and stub.models:
            data = [{"id": name, "object": "model", "created": 0, "owned_by": "stub"} for name in stub.models]
            self._send(Reply.document({"object": "list", "data": data}))
        else:
            self._send(Reply.status(404, f"No such path: {self.path}"))

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `requests`, not the terminal."""

    def _send(self, reply: Reply) -> None:
        self.server.stub.is_closing.wait(reply.wait_seconds)
        if reply.closes_at_once:
            self._close()
            return
        self.send_response(reply.status_code)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.content_type:
            self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self._write(reply)

    def _write(self, reply: Reply) -> None:
        body = reply.body if reply.cut_after_bytes is None else reply.body[: reply.cut_after_bytes]
        if reply.byte_pause_seconds:
            for position in range(len(body)):
                if self.server.stub.is_closing.wait(reply.byte_pause_seconds):
                    break
                self.wfile.write(body[position : position + 1])
                self.wfile.flush()
        elif reply.gate is not None:
            self._write_gated(body, reply.gate, reply.gate_after_bytes)
        else:
            self.wfile.write(body)
        if reply.cut_after_bytes is not None:
            self._close()

    def _write_gated(self, body: bytes, gate: threading.Event, after: int) -> None:
        self.wfile.write(body[:after])
        self.wfile.flush()
        while not (gate.wait(0.02) or self.server.stub.is_closing.is_set()):
            pass
        self.wfile.write(body[after:])

    def _close(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
