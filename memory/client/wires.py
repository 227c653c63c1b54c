"""The two thin transports: one request over httpx, blocking or awaited."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx

from memory.client.errors import UnreachableError
from memory.client.exchange import Reply, Request, failure_of
from memory.client.site import Site


class BlockingWire:
    """Sends from the calling thread; any number of threads may share it."""

    def __init__(self, site: Site, transport: httpx.BaseTransport | None) -> None:
        self._http = httpx.Client(**_settings(site), transport=transport)

    def send(self, request: Request) -> Reply:
        """The reply, whatever its status; UnreachableError when none came in time."""
        ends_at = time.monotonic() + request.seconds
        with _named(self._http.base_url), self._http.stream(**_arguments(request)) as response:
            parts = []
            for part in response.iter_bytes():
                parts.append(part)
                if time.monotonic() > ends_at:
                    raise httpx.ReadTimeout("the reply took too long")
            return _reply(response, b"".join(parts))

    @contextmanager
    def lines(
        self, path: str, query: Mapping[str, Any], headers: Mapping[str, str], silence_seconds: float
    ) -> Iterator[Iterator[str]]:
        """The lines of a reply that goes on, or its error; UnreachableError where it is cut."""
        asked: dict[str, Any] = {"params": query, "headers": headers, "timeout": silence_seconds}
        with _named(self._http.base_url), self._http.stream("GET", path, **asked) as response:
            if not response.is_success:
                raise failure_of(_reply(response, response.read()))
            yield response.iter_lines()

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()


class AsyncWire:
    """Sends from an event loop of asyncio."""

    def __init__(self, site: Site, transport: httpx.AsyncBaseTransport | None) -> None:
        self._http = httpx.AsyncClient(**_settings(site), transport=transport)

    async def send(self, request: Request) -> Reply:
        """The reply, whatever its status; UnreachableError when none came in time."""
        with _named(self._http.base_url):
            async with asyncio.timeout(request.seconds):
                response = await self._http.request(**_arguments(request))
        return _reply(response, response.content)

    @asynccontextmanager
    async def lines(
        self, path: str, query: Mapping[str, Any], headers: Mapping[str, str], silence_seconds: float
    ) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of a reply that goes on, or its error; UnreachableError where it is cut."""
        asked: dict[str, Any] = {"params": query, "headers": headers, "timeout": silence_seconds}
        with _named(self._http.base_url):
            async with self._http.stream("GET", path, **asked) as response:
                if not response.is_success:
                    raise failure_of(_reply(response, await response.aread()))
                yield response.aiter_lines()

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        """Give the connections back."""
        await self._http.aclose()


def _settings(site: Site) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {site.key}", "User-Agent": "memseek-client"}
    return {"base_url": site.api, "headers": headers, "follow_redirects": False}


def _arguments(request: Request) -> dict[str, Any]:
    query = {name: value for name, value in request.query.items() if value not in (None, ())}
    body = None
    if request.body is not None:
        body = json.dumps(request.body, ensure_ascii=False, allow_nan=False).encode()
    return {
        "method": request.method,
        "url": request.path,
        "params": query,
        "content": body,
        "headers": {} if body is None else {"Content-Type": "application/json"},
        "timeout": request.seconds,
    }


def _reply(response: httpx.Response, content: bytes) -> Reply:
    return Reply(response.status_code, {k.lower(): v for k, v in response.headers.items()}, content)


@contextmanager
def _named(address: httpx.URL) -> Iterator[None]:
    """Errors of the network as the client's own. Their kind is told; what they quote is not."""
    try:
        yield
    except (httpx.TimeoutException, TimeoutError) as error:
        raise UnreachableError("The server did not answer in time.") from error
    except httpx.ConnectError as error:
        where = f"{address.scheme}://{address.netloc.decode()}"
        raise UnreachableError(f"Nothing answers at {where}.") from error
    except httpx.HTTPError as error:
        raise UnreachableError(f"The connection broke ({type(error).__name__}).") from error
