"""Streamable HTTP at `/mcp`: each request stands alone, so that any process may answer it.

No session is kept and no stream stays open: a request is one POST, its answer one JSON body. Host, https,
origin and key are looked at before anything of the protocol is read, and before the SDK is imported.
"""

from __future__ import annotations

import io
import time
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request

from memory.api.authentication import BearerAuthentication
from memory.api.failures import failure
from memory.api.wiring.rating import TooManyRequests
from memory.limiting.rates import Verdict, address_of, admit_failure
from memory.mcp.callers import Caller, caller_with
from memory.mcp.guarding import cors_headers, refusal_for, refusal_of
from memory.mcp.threads import in_thread
from memseek_site.log_fields import log_fields
from memseek_site.mounting import Event, Receive, Send
from memseek_site.requests import HEADER, request_id_of, tell

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

ROUTE = "mcp"
ENTITY_HEADER = "X-Memseek-Entity"
ENTITY_PARAMETER = "entity"
CALLER = "memseek.caller"
LEFT = 499
"""What the log says of a request whose client has left before the reply began."""


class _Reply:
    """Passes a reply on with more headers, and notes its status."""

    def __init__(self, send: Send, headers: dict[str, str]) -> None:
        self._send = send
        self._headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
        self.status = 0

    async def __call__(self, event: Event) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            event = {**event, "headers": [*event.get("headers", ()), *self._headers]}
        await self._send(event)

    async def refuse(self, response: HttpResponse) -> None:
        """Send a reply of Django's."""
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in response.items()]
        await self({"type": "http.response.start", "status": response.status_code, "headers": headers})
        await self({"type": "http.response.body", "body": response.content})


async def application(scope: Event, receive: Receive, send: Send) -> None:
    """One request, whoever sends it: answered, told in the log, with its id."""
    began = time.perf_counter()
    try:
        request = ASGIRequest(cast(Any, scope), io.BytesIO())
    except UnicodeDecodeError:
        await _Reply(send, {}).refuse(failure(400, "invalid", "The request cannot be read."))
        return
    request_id = request_id_of(request)
    reply = _Reply(send, {HEADER: request_id, **cors_headers(request)})
    with log_fields(request_id=request_id):
        try:
            await _answer(request, scope, receive, reply)
        except Exception as error:
            if reply.status:
                raise
            await reply.refuse(refusal_for(error))
        finally:
            tell(request, route=ROUTE, status=reply.status or LEFT, began=began)


async def _answer(request: ASGIRequest, scope: Event, receive: Receive, reply: _Reply) -> None:
    refusal = refusal_of(request)
    if refusal is None:
        found = await in_thread(_caller_of, request)
        if isinstance(found, Caller):
            await _serve({**scope, CALLER: found}, receive, reply)
            return
        refusal = found
    await reply.refuse(refusal)


def _caller_of(request: ASGIRequest) -> Caller | HttpResponse:
    """The bearer of the key, or why there is none; the first one has the SDK imported."""
    address = address_of(request)
    try:
        opened = BearerAuthentication().authenticate(cast(Request, request))
        if opened is None:
            raise NotAuthenticated
        entity = request.headers.get(ENTITY_HEADER) or request.GET.get(ENTITY_PARAMETER) or ""
        caller = caller_with(opened[0], entity, address=address)
    except AuthenticationFailed as error:
        verdict = admit_failure(address=address)
        is_tolerated = verdict is None or verdict.is_allowed
        return refusal_for(error if is_tolerated else TooManyRequests(cast(Verdict, verdict)))
    except Exception as error:
        return refusal_for(error)
    _server()
    return caller


@cache
def _server() -> Server[Any]:
    async def caller_of(context: Any) -> Caller:
        caller: Caller = context.request.scope[CALLER]
        return caller

    made: Server[Any] = import_module("memory.mcp.server").build_server(caller_of)
    return made


async def _serve(scope: Event, receive: Receive, send: Send) -> None:
    """Hand one request to the SDK. Its manager may run only once: each request has its own."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    manager = StreamableHTTPSessionManager(
        _server(),
        json_response=True,
        stateless=True,
        max_request_body_size=settings.MEMSEEK.limits.body_bytes,
    )
    async with manager.run():
        await manager.handle_request(scope, cast(Any, receive), cast(Any, send))
