"""The one error body, its stable codes, and which statuses an operation may end with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired
from uuid import UUID

from typing_extensions import TypedDict

Code = Literal[
    "invalid",
    "parse_error",
    "unknown_host",
    "not_authenticated",
    "authentication_failed",
    "permission_denied",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "conflict",
    "stale",
    "refused",
    "ambiguous",
    "in_progress",
    "expired",
    "too_large",
    "unsupported_media_type",
    "idempotency_mismatch",
    "rate_limited",
    "too_many_streams",
    "internal",
    "not_implemented",
    "unavailable",
    "too_slow",
    "unknown_design",
]


class ProblemBody(TypedDict):
    """One thing wrong with a batch."""

    index: int | None
    """Place of the item in the batch, from 0; null when no single one is meant."""
    field: str
    problem: str


class CandidateBody(TypedDict):
    """A record that a short id may mean."""

    kind: str
    id: UUID
    text: str


class ErrorBody(TypedDict):
    """Every error of the API."""

    error: Code
    """Stable: programs branch on it."""
    detail: str
    """For people; its wording may change."""
    problems: NotRequired[list[ProblemBody]]
    """Of a refused batch: each thing that is wrong with it."""
    candidates: NotRequired[list[CandidateBody]]
    """Of an ambiguous short id: what it may mean."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A status that means an error: its component's name, when it comes, and the codes it comes with."""

    name: str
    when: str
    codes: tuple[Code, ...]
    detail: str
    """Of the example."""
    headers: Mapping[str, str] = field(default_factory=dict)

    def example(self) -> dict[str, Any]:
        """As a client sees it."""
        return {"error": self.codes[0], "detail": self.detail}


RETRY = {"Retry-After": "Seconds to wait before the next attempt."}
CHALLENGE = {"WWW-Authenticate": "`Bearer`: how to authenticate."}

FAILURES: Mapping[int, Failure] = {
    400: Failure(
        "Invalid",
        "A parameter or field is wrong, unknown or missing; the detail names it.",
        ("invalid", "parse_error", "unknown_host"),
        "limit: has to be less than or equal to 100.",
    ),
    401: Failure(
        "Unauthenticated",
        "No key was sent, or one that opens nothing.",
        ("not_authenticated", "authentication_failed"),
        "This key is unknown, revoked or expired.",
        CHALLENGE,
    ),
    403: Failure(
        "Forbidden",
        "The key lacks the scope.",
        ("permission_denied",),
        "This key has no write scope.",
    ),
    404: Failure(
        "NotFound",
        "There is no such thing for this key. What another workspace owns is not told apart from nothing.",
        ("not_found",),
        "There is no such entity for this key.",
    ),
    405: Failure(
        "MethodNotAllowed",
        "The address has no such method.",
        ("method_not_allowed",),
        'Method "PUT" not allowed.',
        {"Allow": "The methods of the address."},
    ),
    406: Failure(
        "NotAcceptable",
        "The Accept header names no media type that is given here.",
        ("not_acceptable",),
        "Could not satisfy the request Accept header.",
    ),
    409: Failure(
        "Conflict",
        "It contradicts what is stored, or what is stored has changed since it was read.",
        ("conflict", "stale", "refused", "ambiguous", "in_progress"),
        "The scene has changed meanwhile: it is at version 4.",
    ),
    410: Failure("Gone", "It was there and has expired.", ("expired",), "This use has expired."),
    412: Failure(
        "PreconditionFailed",
        "If-Match names another version than the one that stands.",
        ("stale",),
        "The scene is at version 4.",
    ),
    413: Failure(
        "TooLarge",
        "The body has more bytes than are taken.",
        ("too_large",),
        "A request has at most 16777216 bytes.",
    ),
    415: Failure(
        "UnsupportedMediaType",
        "The body's Content-Type is not taken.",
        ("unsupported_media_type",),
        'Unsupported media type "text/plain" in request.',
    ),
    422: Failure(
        "OtherRequest",
        "The Idempotency-Key was sent before with another method, address or body.",
        ("idempotency_mismatch",),
        "This Idempotency-Key was sent with another method, address or body before.",
    ),
    429: Failure(
        "TooManyRequests",
        "More requests than the key or the address may make.",
        ("rate_limited", "too_many_streams"),
        "Too many requests. Ask again in 7 seconds.",
        RETRY,
    ),
    500: Failure(
        "Internal",
        "A fault of the server; the request's id leads to it in the log.",
        ("internal",),
        "Something went wrong here. The error is in the server's log.",
    ),
    501: Failure(
        "NotImplemented",
        "This server cannot do it: streams need an ASGI server.",
        ("not_implemented",),
        "Streams need an ASGI server: uvicorn memseek_site.asgi:application.",
    ),
    503: Failure(
        "Unavailable",
        "The database does not answer or takes too long, or the workspace's design is not installed.",
        ("unavailable", "too_slow", "unknown_design", "too_many_streams"),
        "The database does not answer. Try again.",
        RETRY,
    ),
}


def statuses_of_failure(
    *,
    is_keyed: bool,
    takes_something: bool,
    takes_body: bool,
    names_something: bool,
    writes: bool,
    is_done_once: bool,
) -> Iterator[int]:
    """Those that every operation of a kind may end with."""
    if takes_something:
        yield 400
    if is_keyed:
        yield from (401, 403)
    if names_something:
        yield 404
    if writes:
        yield 409
    if is_done_once:
        yield 422
    if takes_body:
        yield from (413, 415)
    yield from (406, 429, 500, 503)
