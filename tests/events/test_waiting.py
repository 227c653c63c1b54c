"""What waits for one reader, without a database: in the order in which an event loop may do things."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest

from memory.events import sending
from memory.events.frames import Event
from memory.events.hub import Hub
from memory.events.opened import OpenedStream
from memory.events.places import Place
from memory.events.sending import written
from memory.events.streams import End, Stream, Subscription

WORKSPACE = uuid4()


def event(number: int) -> Event:
    place = Place(number, number)
    return Event(place, WORKSPACE, uuid4(), "agent.alice", False, "step.done", {}, datetime.now(UTC))


def stream() -> Stream:
    return Stream(Subscription(WORKSPACE, uuid4(), None, None), Place(0), most=100)


def test_what_comes_as_the_wait_ends_is_not_left_behind() -> None:
    told = event(1)

    async def heard() -> list[Event]:
        own = stream()
        waiting = asyncio.create_task(own.waited(0))
        await asyncio.sleep(0)
        # The time limit cancels the wait next; behind it, and before the waiter's turn, the hub has its own.
        asyncio.get_running_loop().call_soon(own.offer, [told])
        return await waiting

    assert asyncio.run(heard()) == [told]


def test_a_key_that_is_over_counts_for_a_slow_reader_too() -> None:
    own = stream()
    own.end(End.SLOW)
    own.end(End.KEY)
    own.end(End.LIFETIME)
    assert own.ended is End.KEY


def test_a_stream_that_is_over_hands_out_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    own = stream()

    async def portions(subscription: Subscription, place: Place) -> AsyncIterator[list[Event]]:
        yield [event(1)]
        own.offer([event(9)])
        own.end(End.KEY)
        yield [event(2)]
        raise AssertionError("what the key opened once is read no further")

    async def sent() -> list[bytes]:
        opened = cast(OpenedStream, SimpleNamespace(lost=None))
        return [part async for part in written(opened, own, cast(Any, Hub))]

    monkeypatch.setattr(sending, "missed", portions)
    parts = asyncio.run(sent())
    assert parts[-1] == b'event: end\ndata: {"reason":"key"}\n\n'
    assert own.place == Place(1, 1)
