"""What can go wrong between a client and a server, one class for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class MemseekError(Exception):
    """Any failure of a call. `status` is None where no reply came; no error holds the key."""

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        error: str = "",
        problems: Sequence[Mapping[str, Any]] = (),
        candidates: Sequence[Mapping[str, Any]] = (),
        retry_after: float | None = None,
    ) -> None:
        told = " ".join(part for part in (str(status or ""), error) if part)
        super().__init__(f"{told}: {detail}" if told else detail)
        self.status = status
        self.error = error
        """The server's word for it, such as `invalid` or `not_found`."""
        self.detail = detail
        self.problems = tuple(problems)
        """Of a refused call: index, field and what is wrong with it."""
        self.candidates = tuple(candidates)
        """Of an ambiguous short id: kind, id and text of what it may mean."""
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again."""


class ConfigurationError(MemseekError):
    """The client itself cannot be made: no key, or an address that is none."""


class UnreachableError(MemseekError):
    """No reply came: no connection, a broken one, or none in time. A write may have been stored."""


class UnauthorisedError(MemseekError):
    """The key is unknown, revoked or expired (401), or does not cover this (403)."""


class NotFoundError(MemseekError):
    """There is no such thing for this key (404)."""


class ConflictError(MemseekError):
    """Something else stands there already (409)."""


class RefusedError(MemseekError):
    """The request cannot be taken as it is (other 4xx); `problems` say why, field by field."""


class RateLimitedError(MemseekError):
    """Too many requests (429), after all tries."""


class ServerError(MemseekError):
    """The server failed (5xx), or what answered does not speak its language."""


class RedirectedError(MemseekError):
    """The address leads elsewhere. It is not followed: the key would go along."""


class StillWaitingError(MemseekError):
    """The time that somebody wanted to wait is over; the work itself goes on."""


class ParkedError(MemseekError):
    """The work that was waited for failed again and again and is set aside for a person."""
