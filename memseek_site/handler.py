"""The ASGI handler: a request goes to a thread once, and back once; a body that is too large is not read.

Django's own makes a thread for every request, and goes there and back for its first signal, for its end and
for each middleware that is not asynchronous: longer than many an answer takes. It also reads all of a body
before anybody looks at its size.
"""

from __future__ import annotations

import asyncio
import io
import re
import time
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest, get_script_prefix
from django.db import close_old_connections
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from memseek_site.limit_reading import MEGABYTE
from memseek_site.request_threads import RequestThreads
from memseek_site.requests import HEADER, request_id_of

IMPORTS = re.compile(r"/api/v1/entities/.+/import")
CHATS = re.compile(r"/v1/")
PAGE_BYTES = 32 * MEGABYTE
"""What people upload in the admin and on pages: Django's own limits for fields and files are below it."""


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class BodyTooLargeError(Exception):
    """More was announced, or came, than the address takes."""


class OneHopHandler(ASGIHandler):
    """Runs a request from its first signal to its last on one thread; streams stay asynchronous."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware(is_async=False)
        self._threads = RequestThreads()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request; 413 as soon as more of a body came than is taken, whatever was said of its length."""
        most = most_bytes(scope["path"])
        try:
            body_file = await self.read_body(_bounded(scope, receive, most))
        except RequestAborted:
            return
        except BodyTooLargeError:
            await _refuse(scope, send, 413, "too_large", f"A request has at most {most} bytes here.")
            return
        response = await self.answered(scope, body_file)
        if scope["method"] not in SAFE_METHODS:
            _look_for_events()
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    async def answered(self, scope: Any, body_file: IO[bytes]) -> HttpResponseBase:
        """What the chain says. Unless it streams, its connection and its body are given back already."""
        return await self._threads.run(self._answer, scope, body_file)

    def _answer(self, scope: Any, body_file: IO[bytes]) -> HttpResponseBase:
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, failed = self.create_request(scope, body_file)
        response: HttpResponseBase = failed if request is None else self.get_response(request)
        cast(Any, response)._handler_class = type(self)  # the sender of the last signal
        if response.streaming:
            # What is sent piece by piece is read elsewhere.
            close_old_connections()
        else:
            response.close()
            body_file.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        """Send until the end, or until the reader has gone."""
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        async with ThreadSensitiveContext():
            sending = asyncio.create_task(self.send_response(response, send))
            leaving = asyncio.create_task(self.listen_for_disconnect(receive))
            try:
                await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
                if sending.done():
                    sending.result()
            finally:
                sending.cancel()
                leaving.cancel()
                await asyncio.gather(sending, leaving, return_exceptions=True)
                await sync_to_async(response.close)()

    async def read_body(self, receive: Any) -> IO[bytes]:
        """The body as a file; what has come of one that does not end is thrown away."""
        most = settings.FILE_UPLOAD_MAX_MEMORY_SIZE
        body_file = SpooledTemporaryFile(max_size=most, mode="w+b")  # noqa: SIM115 - closed with the request
        try:
            is_whole = False
            while not is_whole:
                event = await receive()
                if event["type"] == "http.disconnect":
                    raise RequestAborted
                body_file.write(event.get("body", b""))
                is_whole = not event.get("more_body", False)
        except BaseException:
            body_file.close()
            raise
        body_file.seek(0)
        return body_file

    def create_request(self, scope: Any, body_file: IO[bytes]) -> Any:
        """The request, or the reply to one that is none."""
        request, failed = super().create_request(scope, body_file)
        if failed is not None:
            return None, _told(scope, failed.status_code, "invalid", "The request cannot be read.")
        if request is not None:
            _note_length(request, body_file)
        return request, None


def _note_length(request: ASGIRequest, body_file: IO[bytes]) -> None:
    """A body that came in pieces has a length as well; where none is told, it would be taken for empty."""
    if "CONTENT_LENGTH" not in request.META and (length := body_file.seek(0, io.SEEK_END)):
        request.META["CONTENT_LENGTH"] = str(length)
        body_file.seek(0)


def _look_for_events() -> None:
    """A write of this process need not wait until its streams look again."""
    from memory.events.hub import hub

    hub().look_now()


def most_bytes(path: str) -> int:
    """How long a body may be, by its address."""
    product = settings.MEMSEEK
    if IMPORTS.fullmatch(path):
        return int(product.limits.import_bytes)
    if CHATS.match(path):
        return int(product.proxy.body_megabytes * MEGABYTE)
    return max(int(product.limits.body_bytes), 0 if path.startswith("/api/") else PAGE_BYTES)


def _bounded(scope: Any, receive: Any, most: int) -> Any:
    """The same, until more than so many bytes have come."""
    announced = dict(scope.get("headers", ())).get(b"content-length", b"0")
    left = most

    async def bounded() -> Any:
        nonlocal left
        if announced.isdigit() and int(announced) > most:
            raise BodyTooLargeError
        event = await receive()
        left -= len(event.get("body", b""))
        if left < 0:
            raise BodyTooLargeError
        return event

    return bounded


async def _refuse(scope: Any, send: Any, status: int, error: str, detail: str) -> None:
    """Reply without the chain. The rest of the body is not read, so the connection ends with the reply."""
    response = _told(scope, status, error, detail)
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in response.items()]
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def _told(scope: Any, status: int, error: str, detail: str) -> HttpResponse:
    """The API's body with the request's id, told in the log and counted as other replies are."""
    from memory.api.failures import failure
    from memseek_site.requests import NO_ROUTE, tell

    began = time.perf_counter()
    plain = {**scope, "path": "/", "raw_path": b"/", "query_string": b""}
    request = ASGIRequest(cast(Any, plain), io.BytesIO())
    response = failure(status, error, detail)
    response[HEADER] = request_id_of(request)
    tell(request, route=NO_ROUTE, status=status, began=began)
    return response


def application() -> OneHopHandler:
    """As `get_asgi_application` does: set Django up, give its handler."""
    django.setup(set_prefix=False)
    return OneHopHandler()
