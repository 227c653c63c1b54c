"""The one reader of a process: it asks while somebody listens, and hands what it finds to every stream."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, defaultdict
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import Error as DatabaseProblem

from memory.events import reading
from memory.events.frames import Event
from memory.events.places import Place
from memory.events.streams import End, Stream, Subscription

logger = logging.getLogger(__name__)

BUSY_SECONDS = 0.05
"""Pause between two looks while something happens."""
IDLE_SECONDS = 0.25
"""Longest pause: what a silent installation pays is four look-ups in an index a second."""
SLOWER = 1.5
WATCH_SECONDS = 2.0
"""So often it is looked whether keys still open what they are read with."""
FAILED_SECONDS = 1.0


class TooManyStreamsError(Exception):
    """As many are open as may be: of the key, or of the process."""

    def __init__(self, *, of_key: bool) -> None:
        self.of_key = of_key
        super().__init__("of the key" if of_key else "of the process")


class Hub:
    """Streams of one event loop, and the task that feeds them; it lives while there are any."""

    def __init__(self) -> None:
        self.place = Place(0)
        """Up to here everything was offered to the streams that were open."""
        self._streams: dict[object, set[Stream]] = defaultdict(set)
        self._of_key: Counter[object] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._wake = asyncio.Event()

    @property
    def count(self) -> int:
        """Open streams."""
        return self._of_key.total()

    async def attach(self, subscription: Subscription, place: Place) -> Stream:
        """A stream to which everything is offered from now on; TooManyStreamsError at a limit."""
        limits = settings.MEMSEEK.events
        if self.count >= limits.streams:
            raise TooManyStreamsError(of_key=False)
        if self._of_key[subscription.key_id] >= limits.streams_of_key:
            raise TooManyStreamsError(of_key=True)
        stream = Stream(subscription, place, most=limits.waiting)
        self._streams[subscription.workspace_id].add(stream)
        self._of_key[subscription.key_id] += 1
        if self._task is None:
            self._ready.clear()
            self._task = asyncio.create_task(self._run())
        await self._ready.wait()
        return stream

    def detach(self, stream: Stream) -> None:
        """The stream is over."""
        workspace, key = stream.subscription.workspace_id, stream.subscription.key_id
        self._streams[workspace].discard(stream)
        if not self._streams[workspace]:
            del self._streams[workspace]
        self._of_key[key] -= 1
        if not self._of_key[key]:
            del self._of_key[key]
        self._wake.set()

    def look_now(self) -> None:
        """Somebody of this process has written: no need to wait for the next look."""
        self._wake.set()

    def end_all(self, why: End) -> None:
        """Nobody is told anything more."""
        for stream in self._all():
            stream.end(why)

    def _all(self) -> list[Stream]:
        return [stream for streams in self._streams.values() for stream in streams]

    async def _run(self) -> None:
        try:
            await self._begin()
            watched, pause = time.monotonic(), BUSY_SECONDS
            while self._streams:
                found = await self._look()
                pause = BUSY_SECONDS if found else min(IDLE_SECONDS, pause * SLOWER)
                if time.monotonic() - watched >= WATCH_SECONDS:
                    watched = time.monotonic()
                    await self._watch()
                if found < reading.ROWS_AT_ONCE:
                    await self._rest(pause)
        finally:
            self._task = None
            if self._streams:
                self.end_all(End.SHUTDOWN)

    async def _begin(self) -> None:
        """What is open to nobody yet is read by each stream itself, so begin with what comes."""
        while self._streams:
            try:
                found = await asyncio.to_thread(reading.with_connection, reading.bounds)
            except DatabaseProblem as error:
                logger.warning("the outbox was not read: %s", type(error).__name__)
                await asyncio.sleep(FAILED_SECONDS)
                continue
            self.place = Place(found.oldest_open)
            self._ready.set()
            return
        self._ready.set()

    async def _look(self) -> int:
        """Offer what came; gives how much that was."""
        try:
            events = await asyncio.to_thread(reading.with_connection, lambda: reading.next_events(self.place))
        except DatabaseProblem as error:
            logger.warning("the outbox was not read: %s", type(error).__name__)
            await asyncio.sleep(FAILED_SECONDS)
            return 0
        if events:
            self._offer(events)
            self.place = events[-1].place
        return len(events)

    def _offer(self, events: list[Event]) -> None:
        by_workspace: dict[object, list[Event]] = defaultdict(list)
        for event in events:
            if event.workspace_id in self._streams:
                by_workspace[event.workspace_id].append(event)
        for workspace, own in by_workspace.items():
            for stream in self._streams[workspace]:
                stream.offer(own)

    async def _watch(self) -> None:
        """End the streams whose key opens them no more."""
        streams = self._all()
        keys = {stream.subscription.key_id for stream in streams}
        try:
            opened = await asyncio.to_thread(reading.with_connection, lambda: reading.open_keys(keys))
        except DatabaseProblem as error:
            logger.warning("the keys of streams were not looked at: %s", type(error).__name__)
            return
        for stream in streams:
            found = opened.get(stream.subscription.key_id)
            if found is None:
                stream.end(End.KEY)
            elif not found.is_everything and (
                stream.subscription.entities is None or stream.left - found.entities
            ):
                stream.end(End.ACCESS)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """That of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


def end_streams() -> None:
    """From any thread or signal handler: the process ends, readers go to another one."""
    for loop, own in list(_hubs.items()):
        if own.count and not loop.is_closed():
            loop.call_soon_threadsafe(own.end_all, End.SHUTDOWN)
