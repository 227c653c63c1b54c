"""A server of live values that does as it is told: answers, hangs, drips, lies, leads elsewhere."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Script = Callable[[socket.socket, "Asked"], None]


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]


def reply(
    body: bytes | Any = b"", *, status: str = "200 OK", kind: str = "application/json", **headers: str
) -> Script:
    """Answers with a body (JSON of anything that is no bytes) and closes; `headers` stand for their own."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = {"Content-Type": kind, "Content-Length": str(len(content))}
    told |= {name.replace("_", "-").title(): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items() if value)

    def answer(connection: socket.socket, asked: Asked) -> None:
        connection.sendall(f"HTTP/1.1 {status}\r\n{head}Connection: close\r\n\r\n".encode() + content)

    return answer


@dataclass
class LiveServer:
    """Plays a script for every path; `asked` holds what came. Nothing of it outlasts the test."""

    scripts: dict[str, Script] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> LiveServer:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(10)

    @property
    def port(self) -> int:
        return int(self._listening.getsockname()[1])

    def hang(self, connection: socket.socket, asked: Asked) -> None:
        """Says nothing until the test is over."""
        self.ended.wait(20)

    def drip(self, beginning: bytes, drop: bytes = b" ") -> Script:
        """Begins, then sends a byte now and then for as long as somebody listens."""

        def answer(connection: socket.socket, asked: Asked) -> None:
            connection.sendall(beginning)
            while not self.ended.wait(0.02):
                connection.sendall(drop)

        return answer

    def _listen(self) -> None:
        while not self.ended.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                asked = _read(connection)
                self.asked.append(asked)
                self.scripts[asked.path](connection, asked)
            except OSError:
                return


def _read(connection: socket.socket) -> Asked:
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = connection.recv(65_536)
        if not chunk:
            raise OSError("gone")
        received += chunk
    first, *lines = received.decode().split("\r\n\r\n")[0].split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Asked(first.split(" ")[1], {name.lower(): value for name, value in headers.items()})
