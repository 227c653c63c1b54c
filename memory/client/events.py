"""Streams of events: read line by line, resumed where they were cut, until there is nothing left to hear."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.client.errors import MemseekError, ServerError, UnauthorisedError, UnreachableError
from memory.client.exchange import (
    FIRST_PAUSE_SECONDS,
    LEAST_JITTER,
    LONGEST_PAUSE_SECONDS,
    TRANSIENT,
    Limits,
)
from memory.client.wires import AsyncWire, BlockingWire

PATH = "events"
SILENCE_SECONDS = 60.0
"""The server says more often that it lives."""
RESUMED = frozenset({"lifetime", "slow", "shutdown"})
RESET = "reset"
END = "end"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in memory, or `reset`: what happened before it may be gone, so read anew."""

    kind: str
    entity: str | None
    """None for an entity that was erased whole."""
    entity_id: UUID | None
    ids: Mapping[str, Any]
    at: datetime | None
    token: str
    """Give it as `after` to go on behind this event, in another process too."""


@dataclass(slots=True)
class _Following:
    """What is known of a stream across its connections."""

    query: Mapping[str, Any]
    limits: Limits
    token: str | None
    failures: int = 0
    is_over: bool = False
    _fields: dict[str, str] = field(default_factory=dict)

    def headers(self) -> dict[str, str]:
        """What a new connection asks for."""
        self._fields = {}
        resumed = {"Last-Event-ID": self.token} if self.token else {}
        return {"Accept": "text/event-stream", **resumed}

    def take(self, line: str) -> Event | None:
        """The event that a line ends, if it ends one."""
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        self.failures = 0
        self.token = fields.get("id", self.token)
        return self._event(fields) if "event" in fields else None

    def _event(self, fields: Mapping[str, str]) -> Event | None:
        try:
            data = json.loads(fields.get("data", ""))
        except ValueError:
            raise ServerError("What answers there sends no events: is the address right?") from None
        if fields["event"] == END:
            self._end(str(data.get("reason")))
            return None
        entity_id, at = data.get("entity_id"), data.get("at")
        return Event(
            fields["event"],
            data.get("entity"),
            UUID(entity_id) if entity_id else None,
            data.get("ids", data),
            datetime.fromisoformat(at) if at else None,
            self.token or "",
        )

    def _end(self, reason: str) -> None:
        self.is_over = reason == "erased"
        if reason not in RESUMED and not self.is_over:
            raise UnauthorisedError(f"The stream ended: {reason}.", error=reason)

    def pause_after(self, failure: MemseekError | None) -> float:
        """Seconds until the next connection; raises what will not pass."""
        if failure is None:
            return 0.0
        self.failures += 1
        is_passing = isinstance(failure, UnreachableError) or failure.status in TRANSIENT
        if not is_passing or self.failures >= self.limits.attempts:
            raise failure
        wanted = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** (self.failures - 1))
        jittered = wanted * (LEAST_JITTER + (1 - LEAST_JITTER) * self.limits.chance())
        return max(jittered, failure.retry_after or 0.0)


def following(
    entities: str | Iterable[str], kinds: Iterable[str], after: str | None, limits: Limits
) -> _Following:
    """A stream before its first connection."""
    named = [entities] if isinstance(entities, str) else list(entities)
    return _Following({"entity": named, "events": list(kinds)}, limits, after)


def heard(wire: BlockingWire, stream: _Following) -> Iterator[Event]:
    """Events in the calling thread."""
    while not stream.is_over:
        failure: MemseekError | None = None
        try:
            with wire.lines(PATH, stream.query, stream.headers(), SILENCE_SECONDS) as lines:
                for line in lines:
                    if event := stream.take(line):
                        yield event
        except MemseekError as error:
            failure = error
        if not stream.is_over:
            wire.pause(stream.pause_after(failure))


async def heard_async(wire: AsyncWire, stream: _Following) -> AsyncIterator[Event]:
    """The same in an event loop."""
    while not stream.is_over:
        failure: MemseekError | None = None
        try:
            async with wire.lines(PATH, stream.query, stream.headers(), SILENCE_SECONDS) as lines:
                async for line in lines:
                    if event := stream.take(line):
                        yield event
        except MemseekError as error:
            failure = error
        if not stream.is_over:
            await wire.pause(stream.pause_after(failure))
