"""The endpoint behind the proxy: one pool of connections, and what of a reply goes through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx
from django.conf import settings

from memory.llm.redaction import guard_loggers, removed_secrets, url_secrets
from memory.llm.wire import CONNECT_TIMEOUT_SECONDS, TRANSPORT_LOGGERS
from memory.proxy.errors import BUSY, TOO_SLOW, UNREACHABLE
from memseek_site.proxy_reading import ProxySettings

MOST_CONNECTIONS = 512
KEPT_CONNECTIONS = 32
WAIT_FOR_CONNECTION_SECONDS = 10.0
PASSED_TO_ENDPOINT = ("accept", "openai-beta", "idempotency-key", "traceparent", "tracestate")
PASSED_TO_CLIENT = frozenset(
    {
        *("content-type", "cache-control", "retry-after", "retry-after-ms"),
        *("x-should-retry", "openai-version", "openai-processing-ms", "openai-model", "x-accel-buffering"),
    }
)
PASSED_FAMILIES = ("x-ratelimit-",)
REQUEST_ID = "x-request-id"
UPSTREAM_ID = "X-Upstream-Request-ID"


class Upstream:
    """Requests to the configured endpoint. Used within one event loop."""

    def __init__(self, proxy: ProxySettings) -> None:
        self._proxy = proxy
        self.secrets = tuple(secret for secret in (proxy.api_key, *url_secrets(proxy.base_url)) if secret)
        guard_loggers(TRANSPORT_LOGGERS, self.secrets)
        limits = httpx.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=KEPT_CONNECTIONS)
        silence = httpx.Timeout(
            proxy.timeout_seconds,
            connect=min(CONNECT_TIMEOUT_SECONDS, proxy.timeout_seconds),
            pool=WAIT_FOR_CONNECTION_SECONDS,
        )
        self._client = httpx.AsyncClient(limits=limits, timeout=silence, follow_redirects=False)

    @asynccontextmanager
    async def asked(
        self, method: str, path: str, *, body: bytes | None, headers: Mapping[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """The response once its head is there; its body is still to come. Refused when there is none."""
        request = self._client.build_request(
            method, f"{self._proxy.base_url}{path}", content=body, headers=self._headers(headers, body)
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx.PoolTimeout:
            raise BUSY() from None
        except httpx.TimeoutException:
            raise TOO_SLOW() from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise UNREACHABLE() from None
        try:
            yield response
        finally:
            await response.aclose()

    def _headers(self, given: Mapping[str, str], body: bytes | None) -> dict[str, str]:
        told = {name: given[name] for name in PASSED_TO_ENDPOINT if name in given}
        if self._proxy.api_key:
            told["authorization"] = f"Bearer {self._proxy.api_key}"
        if body is not None:
            told["content-type"] = "application/json"
        # Pieces pass through as they come; packed ones would have to be unpacked to be read.
        return {"accept": "*/*", **told, "accept-encoding": "identity"}

    def without_key(self, text: bytes) -> bytes:
        """An error's body as it came, but for the endpoint's key, which is nobody's business."""
        if not self.secrets:
            return text
        return removed_secrets(text.decode("utf-8", "surrogateescape"), self.secrets).encode(
            "utf-8", "surrogateescape"
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()


def passed_headers(response: httpx.Response) -> dict[str, str]:
    """What a client is told of a response's head; its length is that of what is sent."""
    told = {
        name: value
        for name, value in response.headers.items()
        if name in PASSED_TO_CLIENT or name.startswith(PASSED_FAMILIES)
    }
    if REQUEST_ID in response.headers:
        told[UPSTREAM_ID] = response.headers[REQUEST_ID]
    return told


def configured_upstream() -> Upstream:
    """The endpoint that the settings name."""
    return Upstream(settings.MEMSEEK.proxy)
