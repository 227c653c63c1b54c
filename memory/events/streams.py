"""Open streams of a process: what each wants, and what waits for it. All of it belongs to one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory.events.frames import Event
from memory.events.places import Place


class End(StrEnum):
    """Why a stream ends; its reader may resume after the first three."""

    LIFETIME = "lifetime"
    SLOW = "slow"
    SHUTDOWN = "shutdown"
    KEY = "key"
    """Revoked, expired or deleted."""
    ACCESS = "access"
    """An entity is not open to the key any more."""
    ERASED = "erased"
    """Every entity of the stream is gone."""
    GONE = "gone"
    """The reader has left: nobody is told."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """What somebody wants to hear of."""

    workspace_id: UUID
    key_id: UUID
    entities: frozenset[UUID] | None
    """None: of all that the workspace has, and will have."""
    kinds: frozenset[str] | None
    """None: all of them."""

    def wants(self, event: Event) -> bool:
        """Whether an event is one of these; the end of an entity always is."""
        if event.workspace_id != self.workspace_id:
            return False
        if self.entities is not None and event.entity_id not in self.entities:
            return False
        return self.kinds is None or event.kind in self.kinds or (event.is_last and self.entities is not None)


class Stream:
    """What waits for one reader, up to a number of events."""

    __slots__ = ("_ended", "_most", "_waiting", "_wake", "left", "place", "sent", "subscription")

    def __init__(self, subscription: Subscription, place: Place, *, most: int) -> None:
        self.subscription = subscription
        self.place = place
        """Up to here everything was handed to the reader."""
        self.left = set(subscription.entities or ())
        self.sent = 0
        self._most = most
        self._waiting: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._ended: End | None = None

    @property
    def ended(self) -> End | None:
        """Why the stream has ended, if it has."""
        return self._ended

    def offer(self, events: Iterable[Event]) -> None:
        """Have events wait for the reader, or cut off one who does not keep up."""
        wanted = [event for event in events if self.subscription.wants(event)]
        if not wanted or self._ended:
            return
        if len(self._waiting) + len(wanted) > self._most:
            self.end(End.SLOW)
            return
        self._waiting.extend(wanted)
        self._wake.set()

    def end(self, why: End) -> None:
        """Nothing more comes; the first reason counts, but one who is slow may still lose the key."""
        if self._ended in (None, End.SLOW):
            self._ended = why
        self._wake.set()

    def taken(self, event: Event) -> bool:
        """Note that an event is handed over; False for one that was before."""
        if event.place <= self.place:
            return False
        self.place = event.place
        self.sent += 1
        if event.is_last and self.subscription.entities is not None:
            self.left.discard(event.entity_id)
            if not self.left:
                self.end(End.ERASED)
        return True

    async def waited(self, seconds: float) -> list[Event]:
        """Events that came; none after the time, or when the stream has ended."""
        if not self._waiting and not self._ended:
            try:
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            except TimeoutError:
                # Something may have come in the same turn of the event loop.
                pass
        self._wake.clear()
        # A reader resumes behind what it was handed; one whose key is over is handed nothing more.
        events = [] if self._ended else list(self._waiting)
        self._waiting.clear()
        return events
