"""One stream as bytes: first what was missed, then what comes, with signs of life in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator

from django.conf import settings

from memory.events import frames, reading
from memory.events.frames import Event
from memory.events.hub import Hub
from memory.events.opened import OpenedStream
from memory.events.places import Place
from memory.events.streams import End, Stream, Subscription


async def missed(subscription: Subscription, place: Place) -> AsyncIterator[list[Event]]:
    """Events behind a place that are there to be read, in portions."""
    while True:
        found = await asyncio.to_thread(
            reading.with_connection,
            lambda at=place: reading.events_of(subscription.workspace_id, subscription.entities, at),
        )
        if found:
            yield [event for event in found if subscription.wants(event)]
            place = found[-1].place
        if len(found) < reading.ROWS_AT_ONCE:
            return


async def written(opened: OpenedStream, stream: Stream, hub: Hub) -> AsyncGenerator[bytes, None]:
    """Everything that the reader is sent, until the stream ends and says why.

    What was missed is read while new events wait already: what is in both is told once, for all of it has
    one order. One who is slow is told all of that before the stream ends.
    """
    limits = settings.MEMSEEK.events
    ends_at = time.monotonic() + limits.stream_seconds
    yield frames.opening(stream.place)
    if opened.lost:
        yield frames.frame("reset", {"reason": opened.lost}, frames.token_at(stream.place))
    async for events in missed(stream.subscription, stream.place):
        if stream.ended not in (None, End.SLOW):
            break
        if bytes_ := _taken(stream, events):
            yield bytes_
    while not stream.ended:
        left = ends_at - time.monotonic()
        events = await stream.waited(max(0.0, min(limits.heartbeat_seconds, left)))
        if bytes_ := _taken(stream, events):
            yield bytes_
        elif not stream.ended:
            # Everything up to here was offered, and nothing waits.
            stream.place = max(stream.place, hub.place)
            yield frames.heartbeat(stream.place)
        if left <= 0:
            stream.end(End.LIFETIME)
    yield frames.frame("end", {"reason": stream.ended})


def _taken(stream: Stream, events: list[Event]) -> bytes:
    return b"".join(event.frame for event in events if stream.taken(event))
