"""One HTTP request of ASGI: headers and body in, a reply in pieces out, and whether anybody listens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from memory.proxy.errors import Refused
from memseek_site.mounting import Event, Receive, Send

Headers = list[tuple[bytes, bytes]]
SEND_SECONDS = 60.0
"""A client that takes nothing for so long is gone: it would hold a connection to the endpoint for ever."""


class Gone(Exception):  # noqa: N818 - nobody did anything wrong
    """The client has left."""


class Channel:
    """A request and its reply. `status` is that of the reply once it has begun."""

    def __init__(self, scope: Event, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self._headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
        self._receive = receive
        self._send = send
        self.status = 0
        self.own_headers: dict[str, str] = {}
        """What every reply to this request bears."""

    def header(self, name: str) -> str | None:
        """A header as text, in UTF-8 where it is, else byte by byte; the first of several."""
        wanted = name.lower().encode()
        for found, value in self._headers:
            if found.lower() == wanted:
                try:
                    return value.decode().strip()
                except UnicodeDecodeError:
                    return value.decode("latin-1").strip()
        return None

    async def body(self, limit: int) -> bytes:
        """The whole body. Refused (413) when it is larger, Gone when the client leaves before its end."""
        announced = self.header("content-length") or ""
        if announced.isdecimal() and int(announced) > limit:
            raise _too_large(limit)
        pieces = bytearray()
        is_more = True
        while is_more:
            event = await self._receive()
            if event["type"] != "http.request":
                raise Gone
            pieces += event.get("body", b"")
            if len(pieces) > limit:
                raise _too_large(limit)
            is_more = event.get("more_body", False)
        return bytes(pieces)

    async def gone(self) -> None:
        """Return when the client has left. To be awaited after the body was read."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the head of the reply."""
        self.status = status
        told = {**headers, **self.own_headers}
        raw = [
            (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
            for name, value in told.items()
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def write(self, chunk: bytes) -> None:
        """Send a piece of the reply's body at once. Gone when the client does not take it."""
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        except TimeoutError:
            raise Gone from None

    async def end(self) -> None:
        """The reply is whole."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def reply(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """A whole reply of JSON."""
        length = str(len(body))
        await self.begin(status, {"content-type": "application/json", "content-length": length, **headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def refuse(self, refused: Refused) -> None:
        """Say why the proxy does not go on."""
        await self.reply(refused.status, refused.body(), refused.headers)


def _too_large(limit: int) -> Refused:
    return Refused(413, "too_large", f"A request has at most {limit // 1024**2} megabytes.")
