"""Requests run on threads that stay, with nothing of one request left for the next."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import override_settings
from django.urls import path

from memseek_site.handler import OneHopHandler
from memseek_site.log_fields import add_fields, current_fields

pytestmark = pytest.mark.django_db(transaction=True)

seen: list[Any] = []


def asks_the_database(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        seen.append((threading.get_ident(), connection.connection is not None))
    return HttpResponse("asked")


def leaves_a_field(request: HttpRequest) -> HttpResponse:
    seen.append(current_fields().get("workspace"))
    add_fields(workspace="of this request")
    return HttpResponse("left")


def streams(request: HttpRequest) -> StreamingHttpResponse:
    asks_the_database(request)

    async def parts() -> AsyncIterator[bytes]:
        yield b"one "
        yield b"two"

    return StreamingHttpResponse(parts())


def tells_its_end(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("ended")
    response._resource_closers.append(lambda: seen.append(threading.current_thread().name))  # type: ignore[attr-defined]
    return response


urlpatterns = [
    path("asks", asks_the_database),
    path("field", leaves_a_field),
    path("streams", streams),
    path("ends", tells_its_end),
]


@pytest.fixture
def handler() -> Iterator[OneHopHandler]:
    seen.clear()
    with override_settings(ROOT_URLCONF=__name__):
        yield OneHopHandler()


async def ask(handler: OneHopHandler, address: str) -> bytes:
    sent: list[bytes] = []
    waiting = asyncio.Event()
    scope = {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": "GET",
        "path": address,
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "server": ("localhost", 80),
    }
    events = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        if not events:
            await waiting.wait()
        return events.pop()

    async def send(event: Any) -> None:
        sent.append(event.get("body", b""))

    await handler(scope, receive, send)
    return b"".join(sent)


def within(handler: OneHopHandler, *addresses: str) -> list[bytes]:
    """The bodies of requests sent one after the other."""

    async def all_of_them() -> list[bytes]:
        return [await ask(handler, address) for address in addresses]

    return asyncio.run(all_of_them())


def connection_of(handler: OneHopHandler) -> Any:
    """What the handler's thread holds after its requests."""

    async def held() -> Any:
        return await handler._threads.run(lambda: connections["default"].connection)

    return asyncio.run(held())


@pytest.mark.parametrize(("address", "body"), [("/asks", b"asked"), ("/streams", b"one two")])
def test_one_thread_serves_what_comes_in_turn_and_holds_no_connection_between(
    handler: OneHopHandler, address: str, body: bytes
) -> None:
    assert within(handler, address, address) == [body, body]
    [(thread, first), (again, second)] = seen
    assert (thread == again, first, second) == (True, True, True)
    assert connection_of(handler) is None


def test_what_a_request_notes_is_not_there_for_the_next(handler: OneHopHandler) -> None:
    within(handler, "/field", "/field")
    assert seen == [None, None]


def test_a_request_ends_on_its_own_thread(handler: OneHopHandler) -> None:
    assert within(handler, "/ends") == [b"ended"]
    assert [name.startswith("request") for name in seen] == [True]


def test_requests_that_wait_do_not_hold_up_others(handler: OneHopHandler) -> None:
    both_there = threading.Barrier(2, timeout=20)

    def waits(request: HttpRequest) -> HttpResponseBase:
        both_there.wait()
        return HttpResponse("met")

    async def at_once() -> list[bytes]:
        return list(await asyncio.gather(ask(handler, "/asks"), ask(handler, "/asks")))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handler, "get_response", waits)
        assert asyncio.run(at_once()) == [b"met", b"met"]
