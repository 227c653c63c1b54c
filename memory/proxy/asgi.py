"""The proxy's ASGI application at `/v1`: routes, the checks that Django's middleware makes, the log."""

from __future__ import annotations

import io
import logging
import time
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from memory.limiting.rates import Kind
from memory.proxy.channel import Channel, Gone
from memory.proxy.chats import Chats
from memory.proxy.errors import NOT_HERE, SWITCHED_OFF, Refused
from memory.proxy.listing import answer_models
from memory.proxy.threads import SLOW_SECONDS, Threads
from memory.proxy.upstream import Upstream, configured_upstream
from memseek_site.log_fields import log_fields
from memseek_site.mounting import Event, Receive, Send
from memseek_site.requests import HEADER, request_id_of, tell

logger = logging.getLogger(__name__)

CHAT, MODELS = "/v1/chat/completions", "/v1/models"
OTHER = "v1"
ROUTES = {CHAT: "POST", MODELS: "GET"}
LEFT = 499
"""What the log says of a request whose client has left before the reply began."""


class _Running:
    """What lives as long as the process: connections to the endpoint, and the chats that are being stored."""

    def __init__(self) -> None:
        proxy = settings.MEMSEEK.proxy
        threads = Threads(slow_seconds=min(SLOW_SECONDS, proxy.context_seconds / 2))
        self.upstream: Upstream = configured_upstream()
        self.chats = Chats(proxy, self.upstream, threads)


_running: _Running | None = None


async def application(scope: Event, receive: Receive, send: Send) -> None:
    """One request, whoever sends it: answered, told in the log, with its id."""
    began = time.perf_counter()
    channel = Channel(scope, receive, send)
    try:
        request = ASGIRequest(cast(Any, scope), io.BytesIO())
    except UnicodeDecodeError:
        await channel.refuse(Refused(400, "invalid", "The request cannot be read."))
        return
    route = _route_of(channel.path)
    request_id = request_id_of(request)
    channel.own_headers[HEADER] = request_id
    with log_fields(request_id=request_id):
        try:
            await _answered(request, channel, route)
        finally:
            status = channel.status or LEFT
            tell(request, route=route.lstrip("/"), status=status, began=began)


def _route_of(path: str) -> str:
    """The address without what stands in it."""
    if path == CHAT:
        return CHAT
    return MODELS if path == MODELS or path.startswith(f"{MODELS}/") else OTHER


async def _answered(request: HttpRequest, channel: Channel, route: str) -> None:
    try:
        _check(request, channel, route)
        running = _now_running()
        if route == CHAT:
            await running.chats.answer(request, channel)
        else:
            access = running.chats.callers.access
            await access(request, kind=Kind.READ, seconds=settings.MEMSEEK.proxy.context_seconds)
            await answer_models(channel, running.upstream, settings.MEMSEEK.proxy)
    except Gone:
        return
    except Refused as refused:
        await channel.refuse(refused)
    except Exception as error:
        logger.error("the request failed", exc_info=error)
        if channel.status:
            raise
        await channel.refuse(Refused(500, "internal", "Something went wrong here. The log says what."))


def _check(request: HttpRequest, channel: Channel, route: str) -> None:
    """Refused for what goes no further, before a key is looked at."""
    if not settings.MEMSEEK.proxy.is_on:
        raise SWITCHED_OFF()
    if route not in ROUTES:
        raise NOT_HERE()
    try:
        request.get_host()
    except DisallowedHost:
        message = "This host is not served here: ALLOWED_HOSTS names those that are."
        raise Refused(421, "unknown_host", message) from None
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        raise Refused(403, "insecure", "Only https is answered here: a key must not travel in the open.")
    if channel.method != ROUTES[route]:
        allowed = ROUTES[route]
        raise Refused(405, "method_not_allowed", f"Only {allowed} is taken here.", {"Allow": allowed})


def _now_running() -> _Running:
    global _running  # noqa: PLW0603 - made by the first request, within the server's event loop
    if _running is None:
        _running = _Running()
    return _running


async def end() -> None:
    """Before the server ends: have what was said stored, and close the connections."""
    global _running  # noqa: PLW0603
    if _running is not None:
        await _running.chats.captures.end()
        await _running.upstream.close()
        _running = None
