"""Asking a live source over HTTP: the address that was checked is the one connected to, within all limits."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urljoin

import httpx

from memory.claims.live_addresses import Hosts, LiveError, Target, is_reachable, target_of
from memory.claims.live_values import storable_value
from memory.llm.pacing import Deadline
from memory.llm.redaction import guard_loggers
from memory.llm.wire import TRANSPORT_LOGGERS

MOST_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SHOWN_TYPE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class HttpQuestion:
    """One GET: where, with which credential, and how much may come."""

    url: str
    hosts: Hosts
    most_bytes: int
    credential: str = field(default="", repr=False)


def ask(question: HttpQuestion, deadline: Deadline) -> Any:
    """The JSON value that the address answers; LiveError when there is none within the limits.

    Redirects are followed within the allowed hosts, each checked as the first address was; a credential goes
    to the address of its source alone.
    """
    guard_loggers(TRANSPORT_LOGGERS, [question.credential])
    target = first = target_of(question.url, question.hosts)
    for _ in range(MOST_REDIRECTS + 1):
        credential = question.credential if target.origin == first.origin else ""
        answer = _exchange(target, credential, question.most_bytes, deadline)
        if isinstance(answer, bytes):
            return _value(answer)
        target = target_of(urljoin(target.url, answer.location), question.hosts)
    raise LiveError(f"redirects more than {MOST_REDIRECTS} times")


@dataclass(frozen=True, slots=True)
class _Redirect:
    location: str


def _exchange(target: Target, credential: str, most_bytes: int, deadline: Deadline) -> bytes | _Redirect:
    """Ask each address of the host until one takes the connection."""
    addresses = _addresses(target)
    for address in addresses:
        try:
            return _exchange_at(address, target, credential, most_bytes, deadline)
        except httpx.ConnectError:
            continue
        except httpx.TimeoutException as error:
            raise LiveError("did not answer in time") from error
        except httpx.HTTPError as error:
            raise LiveError("did not answer in time" if deadline.is_over else "broke off") from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise LiveError("has an address that cannot be read") from error
    raise LiveError("could not be reached")


def _addresses(target: Target) -> list[str]:
    """Where the host lies; LiveError when some of it lies where nobody may look.

    The request goes to what is returned here: a name that is looked up again may lead elsewhere.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise LiveError("has a host that is not found") from error
    addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
    if not all(is_reachable(address, may_be_private=target.may_be_private) for address in addresses):
        raise LiveError("lies at a private address, which is not allowed")
    return addresses


def _exchange_at(
    address: str, target: Target, credential: str, most_bytes: int, deadline: Deadline
) -> bytes | _Redirect:
    with _connection(deadline) as trace, _client() as client:
        request = _request(client, address, target, credential, deadline, trace)
        response = client.send(request, stream=True)
        try:
            if response.status_code in REDIRECTS and "location" in response.headers:
                return _Redirect(response.headers["location"])
            _refuse_headers(response.status_code, response.headers, most_bytes)
            return _body(response, most_bytes, deadline)
        finally:
            response.close()


def _client() -> httpx.Client:
    """A client for one exchange: a kept connection to an address could serve another host's name.

    Proxies and passwords of the environment are not looked at.
    """
    return httpx.Client(verify=_tls(), trust_env=False, follow_redirects=False)


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


def _request(
    client: httpx.Client, address: str, target: Target, credential: str, deadline: Deadline, trace: Any
) -> httpx.Request:
    headers = {"Host": target.host_header, "Accept": "application/json", "Accept-Encoding": "identity"}
    if credential:
        headers["Authorization"] = f"Bearer {credential}"
    extensions: dict[str, Any] = {"trace": trace}
    if address != target.host:
        extensions["sni_hostname"] = target.host
    timeout = httpx.Timeout(max(deadline.remaining_seconds, 0.001))
    url = httpx.URL(target.url).copy_with(host=address)
    return client.build_request("GET", url, headers=headers, extensions=extensions, timeout=timeout)


@contextmanager
def _connection(deadline: Deadline) -> Iterator[Any]:
    """A hook for the transport, which ends the connection at the deadline, whatever still drips out of it.

    The transport's own limits hold for each read.
    """
    opened: list[Any] = []

    def trace(event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            opened.append(info["return_value"])

    def end() -> None:
        for stream in opened[-1:]:
            # Shutting wakes a reader in another thread; closing would not.
            with suppress(OSError, AttributeError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(deadline.remaining_seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield trace
    finally:
        timer.cancel()


def _refuse_headers(status: int, headers: Mapping[str, str], most_bytes: int) -> None:
    if status != httpx.codes.OK:
        raise LiveError(f"answered with status {status}")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind.endswith("json"):
        raise LiveError(f"answered {kind[:SHOWN_TYPE_CHARACTERS] or 'something untold'}, no JSON")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise LiveError("answered in an encoding that was not asked for")
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > most_bytes:
        raise LiveError(f"answered more than {most_bytes} bytes")


def _body(response: httpx.Response, most_bytes: int, deadline: Deadline) -> bytes:
    """What comes, counted as it comes: what the headers said of its length may be a lie."""
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > most_bytes:
            raise LiveError(f"answered more than {most_bytes} bytes")
    if deadline.is_over:
        # The connection was ended, which looks like the end of an answer without a length.
        raise LiveError("did not answer in time")
    return bytes(body)


def _value(body: bytes) -> Any:
    try:
        value = json.loads(body.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise LiveError("answered what is no JSON") from error
    return storable_value(value, most_bytes=2 * len(body) + 2)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
