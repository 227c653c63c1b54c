"""Refusals in the shape that OpenAI's clients read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial


class Refused(Exception):  # noqa: N818 - what a client is told, not always an error of anybody's
    """The proxy answers by itself instead of the endpoint."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}

    def body(self) -> bytes:
        """The reply's JSON."""
        kind = "invalid_request_error" if self.status < 500 else "api_error"
        error = {"message": self.message, "type": kind, "param": None, "code": self.code}
        return json.dumps({"error": error}).encode()


NO_KEY = partial(
    Refused,
    401,
    "invalid_api_key",
    "The API key has to be a key of a Memseek workspace: it is missing, unknown, revoked or expired.",
    {"WWW-Authenticate": "Bearer"},
)
NO_SCOPE = partial(Refused, 403, "no_scope", "This key has no write scope; the proxy stores what is said.")
NO_ENTITY = partial(
    Refused,
    400,
    "entity_missing",
    "Whose memory is it? Say so in the header X-Memseek-Entity or in the request's user field; only a key "
    "that is bound to one entity needs neither.",
)
UNKNOWN_ENTITY = partial(Refused, 404, "not_found", "There is no such entity for this key.")
UNAVAILABLE = partial(
    Refused,
    503,
    "unavailable",
    "The key cannot be checked: the database does not answer.",
    {"Retry-After": "5"},
)
NOT_HERE = partial(
    Refused, 404, "not_found", "The memory proxy answers at /v1/chat/completions and /v1/models alone."
)
SWITCHED_OFF = partial(Refused, 404, "not_found", "The memory proxy is off here: MEMSEEK_PROXY turns it on.")
NO_JSON = partial(Refused, 400, "invalid", "The body has to be a JSON object.")
UNREACHABLE = partial(Refused, 502, "upstream_unreachable", "The model's endpoint could not be reached.")
TOO_SLOW = partial(Refused, 504, "upstream_timeout", "The model's endpoint did not answer in time.")
BUSY = partial(Refused, 503, "busy", "Too many chats are under way.", {"Retry-After": "5"})
