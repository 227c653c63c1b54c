"""`GET /api/v1/events` on an asynchronous server.

The request goes through the whole chain once, as every other does: host, origin, key, scope, rates, the log.
Its thread and its connection are given back before the first event is sent.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import time
from collections.abc import Mapping
from contextlib import aclosing, suppress
from typing import Any, cast

from django.conf import settings
from django.db import Error as DatabaseProblem

from memory.events.frames import frame
from memory.events.hub import TooManyStreamsError, hub
from memory.events.opened import OpenedStream
from memory.events.sending import written
from memory.events.streams import End, Stream
from memseek_site.handler import OneHopHandler
from memseek_site.log_fields import log_fields
from memseek_site.mounting import Event, Receive, Send
from memseek_site.requests import HEADER

PATH = "/api/v1/events"
SEND_SECONDS = 30.0
"""A reader that takes nothing for so long is gone."""
COME_AGAIN_SECONDS = 5

logger = logging.getLogger(__name__)


def is_stream(scope: Event) -> bool:
    """Whether a request asks for a stream; other methods of the address are Django's business."""
    return bool(scope["path"] == PATH and scope["method"] == "GET")


async def serve(handler: OneHopHandler, scope: Event, receive: Receive, send: Send) -> None:
    """One request for a stream, to its end."""
    response = await handler.answered(scope, io.BytesIO())
    if not isinstance(response, OpenedStream):
        await handler.send_response(response, cast(Any, send))
        return
    own = hub()
    try:
        stream = await own.attach(response.subscription, response.place)
    except TooManyStreamsError as error:
        await _refuse(response, error, send)
        return
    try:
        await _stream(response, stream, receive, send)
    finally:
        own.detach(stream)


async def _stream(opened: OpenedStream, stream: Stream, receive: Receive, send: Send) -> None:
    began = time.monotonic()
    left = asyncio.create_task(_left(receive, stream))
    _count(streams=+1)
    try:
        with suppress(TimeoutError, OSError):
            await _send_all(opened, stream, send)
    except DatabaseProblem as error:
        stream.end(End.SHUTDOWN)
        logger.warning("a stream could not be read: %s", type(error).__name__)
        await _send(send, frame("end", {"reason": End.SHUTDOWN}))
    finally:
        left.cancel()
        _count(streams=-1, events=stream.sent)
        _tell(opened, stream, time.monotonic() - began)
    await send({"type": "http.response.body", "body": b""})


def _count(*, streams: int, events: int = 0) -> None:
    if settings.MEMSEEK.metrics.is_on:
        from memseek_site.metrics import local

        local.count_streams(streams)
        local.count_events(events)


async def _send_all(opened: OpenedStream, stream: Stream, send: Send) -> None:
    await _begin(opened.status_code, dict(opened.items()), send)
    async with aclosing(written(opened, stream, hub())) as parts:
        async for part in parts:
            if stream.ended is End.GONE:
                return
            await _send(send, part)


async def _send(send: Send, part: bytes) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": part, "more_body": True})


async def _left(receive: Receive, stream: Stream) -> None:
    """Wait until the reader has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end(End.GONE)


async def _refuse(opened: OpenedStream, error: TooManyStreamsError, send: Send) -> None:
    status = 429 if error.of_key else 503
    whose = "This key has" if error.of_key else "This server has"
    body = {"error": "too_many_streams", "detail": f"{whose} as many open streams as it may have."}
    kept = {name: value for name, value in opened.items() if name != "X-Accel-Buffering"}
    told = {**kept, "Content-Type": "application/json", "Retry-After": str(COME_AGAIN_SECONDS)}
    await _reply(status, told, json.dumps(body).encode(), send)


async def _reply(status: int, headers: Mapping[str, str], body: bytes, send: Send) -> None:
    await _begin(status, headers, send)
    await send({"type": "http.response.body", "body": body})


async def _begin(status: int, headers: Mapping[str, str], send: Send) -> None:
    """The headers, but for the length that the chain has told of a body which it did not see."""
    told = {name.lower(): value for name, value in headers.items()}
    told.pop("content-length", None)
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})


def _tell(opened: OpenedStream, stream: Stream, seconds: float) -> None:
    with log_fields(request_id=opened.headers.get(HEADER), workspace=opened.subscription.workspace_id):
        ended = stream.ended or End.GONE
        fields = {"outcome": ended.value, "rows": stream.sent, "milliseconds": round(seconds * 1_000)}
        logger.info("stream ended", extra=fields)
