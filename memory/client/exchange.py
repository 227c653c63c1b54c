"""One request with its retries, as a flow: what is to be sent is yielded, what came of it is sent in.

Nothing here touches a network or sleeps. A flow yields a `Request` and gets a `Reply` or an UnreachableError,
or yields a `Pause` and gets nothing; whoever drives it decides how.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from memory.client import errors

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 8.0
LEAST_JITTER = 0.5
TRANSIENT = frozenset({408, 429, 502, 503, 504})
DETAIL_CHARACTERS = 2_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be sent. `path` stands under the API's prefix; `seconds` is the time for this attempt."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def value(self) -> Any:
        """The JSON value; ServerError for anything else."""
        try:
            return json.loads(self.content)
        except ValueError:
            detail = "What answers there sends no JSON: is the address right?"
            raise errors.ServerError(detail, status=self.status) from None


@dataclass(frozen=True, slots=True)
class Pause:
    """Time to be let pass."""

    seconds: float


Flow = Generator[Request | Pause, Any, T]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long is waited, and how often tried."""

    attempt_seconds: float = 30.0
    total_seconds: float = 60.0
    """For one call with all its tries and pauses."""
    attempts: int = 5
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random

    def at_least(self, seconds: float) -> Limits:
        """The same for a call that may take long."""
        return replace(
            self,
            attempt_seconds=max(self.attempt_seconds, seconds),
            total_seconds=max(self.total_seconds, seconds),
        )


def exchange(request: Request, limits: Limits) -> Flow[Reply]:
    """Send until there is a good reply, or raise the last failure.

    Tried again are broken connections, time-outs and what a server calls passing. A request must therefore be
    harmless when it arrives twice.
    """
    ends_at = limits.clock() + limits.total_seconds
    for attempt in range(1, limits.attempts + 1):
        left = ends_at - limits.clock()
        outcome = yield from _attempt(replace(request, seconds=max(0.001, min(limits.attempt_seconds, left))))
        if isinstance(outcome, Reply):
            return outcome
        pause = _pause(attempt, outcome, limits)
        if pause is None or pause >= ends_at - limits.clock():
            raise outcome
        yield Pause(pause)
    raise AssertionError("the last attempt returns or raises")


def _attempt(request: Request) -> Flow[Reply | errors.MemseekError]:
    try:
        reply: Reply = yield request
    except errors.UnreachableError as error:
        return error
    return reply if 200 <= reply.status < 300 else failure_of(reply)


def _pause(attempt: int, failure: errors.MemseekError, limits: Limits) -> float | None:
    """Seconds until the next try; None when there is none."""
    is_transient = isinstance(failure, errors.UnreachableError) or failure.status in TRANSIENT
    if not is_transient or attempt >= limits.attempts:
        return None
    wanted = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** (attempt - 1))
    jittered = wanted * (LEAST_JITTER + (1 - LEAST_JITTER) * limits.chance())
    return max(jittered, failure.retry_after or 0.0)


def failure_of(reply: Reply) -> errors.MemseekError:
    """The error that a reply stands for."""
    if 300 <= reply.status < 400:
        return _redirected(reply)
    told = _told(reply)
    return _kind_of(reply.status)(
        str(told.get("detail") or f"The server answered {reply.status}.")[:DETAIL_CHARACTERS],
        status=reply.status,
        error=str(told.get("error") or ""),
        problems=[item for item in told.get("problems") or () if isinstance(item, dict)],
        candidates=[item for item in told.get("candidates") or () if isinstance(item, dict)],
        retry_after=_retry_after(reply.headers.get("retry-after", "")),
    )


def _kind_of(status: int) -> type[errors.MemseekError]:
    by_status: dict[int, type[errors.MemseekError]] = {
        401: errors.UnauthorisedError,
        403: errors.UnauthorisedError,
        404: errors.NotFoundError,
        409: errors.ConflictError,
        429: errors.RateLimitedError,
    }
    return by_status.get(status) or (errors.RefusedError if 400 <= status < 500 else errors.ServerError)


def _redirected(reply: Reply) -> errors.MemseekError:
    target = urlsplit(reply.headers.get("location", ""))
    told = f"{target.scheme}://{target.hostname}" if target.hostname else "another path"
    detail = f"The address leads to {told}. It is not followed; give the right base_url."
    return errors.RedirectedError(detail, status=reply.status)


def _told(reply: Reply) -> dict[str, Any]:
    try:
        value = json.loads(reply.content)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _retry_after(header: str) -> float | None:
    """Seconds, from either form of the header; None for anything else."""
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
