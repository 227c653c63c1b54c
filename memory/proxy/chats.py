"""One chat: memory is asked, the request goes on with what it knows, the reply passes and is stored."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from urllib.parse import quote

import httpx
from django.conf import settings
from django.http import HttpRequest

from memory.ingest.access import Access
from memory.limiting.rates import Kind
from memory.proxy.accounting import ensure_budget
from memory.proxy.asking import Asked, read_asked
from memory.proxy.callers import Callers, entity_of, wanted_entity, wanted_session
from memory.proxy.capturing import Capture, Captures, Heard
from memory.proxy.channel import Channel, Gone
from memory.proxy.context import NOTHING, Remembered, remembered
from memory.proxy.errors import TOO_SLOW, UNREACHABLE, Refused
from memory.proxy.placing import Place, place_of
from memory.proxy.replies import Reader, reader_for, whole_events
from memory.proxy.threads import MemoryDown, Threads
from memory.proxy.upstream import PASSED_TO_ENDPOINT, Upstream, passed_headers
from memseek_site.proxy_reading import ProxySettings

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

PATH = "/chat/completions"
NONE = "none"
FIRST_ERROR = 400
LEAST_SECONDS = 0.01
CLIENT_GONE, ENDPOINT_CUT, SERVER_ENDED = "client_gone", "upstream_cut", "server_ended"
LARGE_BODY_BYTES = 256 * 1024
"""What is larger is read and written in a thread: other chats go on meanwhile."""
CUT_EVENT = (
    b'data: {"error": {"message": "The model\'s endpoint broke off.", "type": "api_error", "param": null, '
    b'"code": "upstream_cut"}}\n\n'
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What memory gave in time: where the conversation belongs, and what is told."""

    place: Place | None = None
    told: Remembered = NOTHING
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose memory, and which conversation, as the client says."""

    entity_name: str | None
    session: str | None
    is_retried: bool


class Chats:
    """Answers chats. One for each event loop."""

    def __init__(self, proxy: ProxySettings, upstream: Upstream, threads: Threads) -> None:
        self._proxy = proxy
        self._upstream = upstream
        self._threads = threads
        self.callers = Callers(threads)
        self.captures = Captures(threads)

    async def answer(self, request: HttpRequest, channel: Channel) -> None:
        """Answer one request. Refused where the proxy does not go on, Gone when the client has left."""
        began = time.monotonic()
        access = await self.callers.access(request, kind=Kind.WRITE, seconds=self._proxy.context_seconds)
        # What the client takes to send its body is not memory's time.
        left = self._proxy.context_seconds - (time.monotonic() - began)
        raw = await channel.body(self._proxy.body_megabytes * 1024**2)
        asked = await _aside(len(raw), partial(read_asked, raw))
        wanted = self._wanted(channel, access, asked)
        prepared = await self._prepared(access, wanted, asked, seconds=max(left, LEAST_SECONDS))
        channel.own_headers |= _told_headers(prepared)
        capture = self._capture(access, wanted, asked, prepared)
        body = await _aside(len(raw), partial(asked.forwarded, prepared.told, self._proxy))
        capture.request()
        await self._while_listening(channel, _Passing(self._upstream, channel, capture, body))

    def _wanted(self, channel: Channel, access: Access, asked: Asked) -> Wanted:
        retries = channel.header("x-stainless-retry-count") or "0"
        return Wanted(
            wanted_entity(access, channel.header("x-memseek-entity"), asked.document.get("user")),
            wanted_session(channel.header("x-memseek-session")),
            is_retried=retries.isdecimal() and int(retries[:9]) > 0,
        )

    async def _prepared(self, access: Access, wanted: Wanted, asked: Asked, *, seconds: float) -> Prepared:
        """What memory gives in so many seconds; without it the chat goes on and is told why."""
        action = partial(prepare, access, wanted, asked, self._proxy)
        began = time.monotonic()
        try:
            prepared = await self._threads.read(action, seconds=seconds, passing=(Refused,))
        except MemoryDown as down:
            return Prepared(problem=down.problem)
        _measure(time.monotonic() - began)
        return prepared

    def _capture(self, access: Access, wanted: Wanted, asked: Asked, prepared: Prepared) -> Capture:
        return self.captures.of(
            Heard(
                access=access,
                entity_name=wanted.entity_name,
                session=wanted.session,
                is_retried=wanted.is_retried,
                turns=asked.turns,
                words=asked.all_words,
                place=prepared.place,
            )
        )

    async def _while_listening(self, channel: Channel, passing: _Passing) -> None:
        """Pass the reply on while the client listens; what came until then is stored in any case."""
        work = asyncio.create_task(passing.run())
        left = asyncio.create_task(channel.gone())
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await _cancelled(work)
                raise Gone
            work.result()
        except Gone:
            passing.problem = CLIENT_GONE
            raise
        finally:
            if not work.done():
                passing.problem = passing.problem or SERVER_ENDED
            await _cancelled(left)
            await _cancelled(work)
            passing.finish()


class _Passing:
    """One request at the endpoint, and its reply on the way to the client."""

    def __init__(self, upstream: Upstream, channel: Channel, capture: Capture, body: bytes) -> None:
        self._upstream = upstream
        self._channel = channel
        self._capture = capture
        self._body = body
        self._reader: Reader | None = None
        self._began = time.monotonic()
        self.problem = ""

    async def run(self) -> None:
        """Send the request, and pass the reply on."""
        given = {name: value for name in PASSED_TO_ENDPOINT if (value := self._channel.header(name))}
        async with self._upstream.asked("POST", PATH, body=self._body, headers=given) as response:
            is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            if is_stream and response.status_code < FIRST_ERROR:
                await self._pass_pieces(response)
            else:
                await self._pass_whole(response)

    def finish(self) -> None:
        """Have what came stored."""
        if self._reader is not None:
            milliseconds = round((time.monotonic() - self._began) * 1_000)
            self._capture.reply(self._reader.reply(), problem=self.problem, milliseconds=milliseconds)

    async def _pass_pieces(self, response: httpx.Response) -> None:
        self._reader = reader_for("text/event-stream")
        await self._channel.begin(response.status_code, passed_headers(response))
        rest = b""
        try:
            async for chunk in response.aiter_bytes():
                self._reader.feed(chunk)
                whole, rest = whole_events(rest + chunk)
                if whole:
                    await self._channel.write(whole)
        except httpx.HTTPError:
            rest = CUT_EVENT
        if rest:
            await self._channel.write(rest)
        # Said of a reply that is not whole: the endpoint has ended it, one way or the other.
        self.problem = ENDPOINT_CUT
        await self._channel.end()

    async def _pass_whole(self, response: httpx.Response) -> None:
        """What is no stream is sent when it is there: a reply that breaks off becomes an error of its own."""
        try:
            body = await response.aread()
        except httpx.TimeoutException:
            raise TOO_SLOW() from None
        except httpx.HTTPError:
            raise UNREACHABLE() from None
        headers = passed_headers(response)
        if response.status_code >= FIRST_ERROR:
            body = self._upstream.without_key(body)
            headers["X-Memseek-Problem"] = f"upstream_{response.status_code}"
        else:
            self._reader = reader_for(headers.get("content-type", ""))
            self._reader.feed(body)
        await self._channel.reply(response.status_code, body, headers)


def prepare(access: Access, wanted: Wanted, asked: Asked, proxy: ProxySettings) -> Prepared:
    """In a thread: check whose memory it is and what may be spent, find the conversation, and recall."""
    entity = entity_of(access, wanted.entity_name)
    ensure_budget(access.workspace)
    if entity is None or not asked.turns:
        return Prepared()
    place = place_of(entity, asked.turns, session=wanted.session, is_retried=wanted.is_retried)
    told = remembered(
        entity, place.session, asked.words, model=proxy.model_for(asked.model), tokens=proxy.context_tokens
    )
    return Prepared(place, told)


def _measure(seconds: float) -> None:
    if settings.MEMSEEK.metrics.is_on:
        from memseek_site.metrics import local

        local.observe_recall(kind="chat", seconds=seconds)


def _told_headers(prepared: Prepared) -> dict[str, str]:
    told = {"X-Memseek-Context": prepared.told.sha256 or NONE}
    if prepared.place is not None:
        told["X-Memseek-Session"] = quote(prepared.place.session, safe=" !#$&'()*+,-./:;=?@[]^_`{|}~")
    if prepared.problem:
        told["X-Memseek-Problem"] = prepared.problem
    return told


async def _aside(size: int, action: Callable[[], Result]) -> Result:
    return await asyncio.to_thread(action) if size > LARGE_BODY_BYTES else action()


async def _cancelled(task: asyncio.Task[None]) -> None:
    """End a task and wait until it has ended; its own failure is told elsewhere."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
