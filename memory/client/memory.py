"""The client itself: everything that a key opens over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from types import TracebackType
from typing import Self

import httpx

from memory.client import results
from memory.client.asking import MESSAGES_PER_CALL, listed
from memory.client.claim_doors import ClaimDoors
from memory.client.entity_doors import EntityDoors
from memory.client.events import Event, following, heard, heard_async
from memory.client.exchange import Flow, Limits, Reply, Request, failure_of
from memory.client.given import NewMessage
from memory.client.opening import AsyncSessions, Sessions
from memory.client.operation_doors import OperationDoors
from memory.client.reading_doors import ReadingDoors
from memory.client.recall_doors import RecallDoors
from memory.client.running import Asynchronous, Blocking, door
from memory.client.site import Site, site_of
from memory.client.skill_doors import SkillDoors
from memory.client.wires import AsyncWire, BlockingWire


class MemoryDoors(RecallDoors, ReadingDoors, ClaimDoors, SkillDoors, EntityDoors, OperationDoors):
    """What both clients can do; see `Memory` and `AsyncMemory`."""

    _site: Site

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._site.base_url!r})"

    @door
    def health(self) -> Flow[results.Health]:
        """Whether the server and its database answer, and when a worker was last seen; tried once."""
        reply: Reply = yield Request("GET", "health", seconds=self._limits.attempt_seconds)
        if reply.status in (200, 503):
            return results.read(results.Health, reply.value())
        raise failure_of(reply)

    @door
    def records(
        self, messages: Iterable[NewMessage], *, entity: str
    ) -> Flow[tuple[results.StoredMessage, ...]]:
        """Store messages in their order, a hundred at a time; each hundred is stored whole or not at all.

        A message with neither dedupe key nor ordinal gets a random key: it is stored once however often the
        call is tried. To send a transcript again and again, number its messages with ordinals.
        """
        sent = [message.sent() for message in messages]
        stored: tuple[results.StoredMessage, ...] = ()
        for start in range(0, len(sent), MESSAGES_PER_CALL):
            body = {"entity": entity, "messages": sent[start : start + MESSAGES_PER_CALL]}
            reply = yield from self._ask("POST", "records", body=body)
            stored += listed(results.StoredMessage, reply, "records")
        return stored


class Memory(MemoryDoors, Blocking):
    """A memory over HTTP, from the calling thread; threads may share it. A context manager.

    Address and key come from the arguments, else from MEMSEEK_BASE_URL and MEMSEEK_API_KEY. What fails in
    passing is tried again, `attempts` times within `total_seconds`; every call is harmless when it arrives
    twice. ConfigurationError without a key.
    """

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        total_seconds: float = 60.0,
        attempts: int = 5,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._site = site_of(base_url, key)
        self._limits = Limits(timeout_seconds, total_seconds, attempts)
        self._wire = BlockingWire(self._site, transport)
        self.session = Sessions(self._wire, self._limits)

    def events(
        self, entities: str | Iterable[str] = (), *, kinds: Iterable[str] = (), after: str | None = None
    ) -> Iterator[Event]:
        """What happens in memory, as it happens, for ever: a stream that is cut is resumed by itself.

        Of these entities, or of all that the key opens; of these kinds, or of all; from now on, or behind the
        token of an event. It ends when every entity that was named is erased, and raises UnauthorisedError
        when the key opens them no more.
        """
        return heard(self._wire, following(entities, kinds, after, self._limits))

    def close(self) -> None:
        """Give the connections back."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncMemory(MemoryDoors, Asynchronous):
    """The same, awaited, in one event loop of asyncio. An asynchronous context manager."""

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        total_seconds: float = 60.0,
        attempts: int = 5,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._site = site_of(base_url, key)
        self._limits = Limits(timeout_seconds, total_seconds, attempts)
        self._wire = AsyncWire(self._site, transport)
        self.session = AsyncSessions(self._wire, self._limits)

    def events(
        self, entities: str | Iterable[str] = (), *, kinds: Iterable[str] = (), after: str | None = None
    ) -> AsyncIterator[Event]:
        """As `Memory.events`."""
        return heard_async(self._wire, following(entities, kinds, after, self._limits))

    async def close(self) -> None:
        """Give the connections back."""
        await self._wire.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
