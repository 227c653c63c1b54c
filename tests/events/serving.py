"""The real application on a real socket, in a thread of the tests; and a reader of its streams."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn

TIMEOUT_SECONDS = 20.0


@contextmanager
def serving() -> Iterator[str]:
    """The address of an ASGI server; its streams end with it."""
    from memory.events.hub import end_streams
    from memseek_site.asgi import application

    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application, lifespan="off", log_config=None, ws="none", timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        end_streams()
        thread.join()
        listening.close()


@dataclass
class Told:
    """One event as a reader sees it."""

    kind: str
    data: dict[str, Any]
    id: str | None


@dataclass
class Reader:
    """Reads one stream; knows where to resume, from ids that come with events and without."""

    url: str
    token: str
    query: dict[str, Any] = field(default_factory=dict)
    last_id: str | None = None

    @contextmanager
    def opened(self, **headers: str) -> Iterator[httpx.Response]:
        """A stream from where the last one ended."""
        resumed = {"Last-Event-ID": self.last_id} if self.last_id else {}
        sent = {"Authorization": f"Bearer {self.token}", **resumed, **headers}
        with (
            httpx.Client(timeout=TIMEOUT_SECONDS) as client,
            client.stream("GET", f"{self.url}/api/v1/events", params=self.query, headers=sent) as reply,
        ):
            yield reply

    def events(self, reply: httpx.Response) -> Iterator[Told | None]:
        """Events as they come; None for a sign of life or the opening."""
        fields: dict[str, str] = {}
        for line in reply.iter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if "id" in fields:
                self.last_id = fields["id"]
            yield (
                Told(fields["event"], json.loads(fields["data"]), fields.get("id"))
                if "event" in fields
                else None
            )
            fields = {}

    def take(self, count: int) -> list[Told]:
        """So many events of one stream."""
        taken: list[Told] = []
        with self.opened() as reply:
            assert reply.status_code == 200, reply.read()
            for event in self.events(reply):
                taken += [event] if event else []
                if len(taken) == count:
                    break
        return taken
