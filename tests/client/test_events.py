"""Events through the client: heard, cut, resumed, and over."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Any

import pytest

from memory.client import AsyncMemory, Memory, NotFoundError, UnauthorisedError
from memory.client.events import Event
from memory.events.places import read_token
from memory.ingest.entities import ensure_entity
from memory.models import Entity, Key, Outbox, Workspace
from tests.client.servers import LOST, Answer, scripted
from tests.events.serving import Reader, serving


@pytest.fixture
def url(transactional_db: None) -> Any:
    with serving() as address:
        yield address


@pytest.fixture
def alice(workspace: Workspace) -> Entity:
    return ensure_entity(workspace=workspace, name="agent.alice")


@pytest.fixture
def start(url: str, key: str, alice: Entity) -> str:
    """A token of now."""
    reader = Reader(url, key)
    with reader.opened() as reply:
        next(reader.events(reply))
    return str(reader.last_id)


def emit(entity: Entity, number: int) -> None:
    Outbox.objects.create(
        workspace_id=entity.workspace_id, entity=entity, event="step.done", ids={"n": number}
    )


def test_events_are_heard_and_a_token_goes_on_elsewhere(
    memory: Memory, url: str, key: str, alice: Entity, start: str
) -> None:
    for number in range(4):
        emit(alice, number)
    first, second = islice(memory.events("agent.alice", after=start), 2)
    assert [first.ids, second.ids] == [{"n": 0}, {"n": 1}]
    assert (first.kind, first.entity, first.entity_id) == ("step.done", "agent.alice", alice.pk)
    assert read_token(first.token).place < read_token(second.token).place

    async def rest() -> list[Event]:
        async with AsyncMemory(url, key) as memory:
            heard = []
            async for event in memory.events(["agent.alice"], kinds=["step.done"], after=second.token):
                heard.append(event)
                if len(heard) == 2:
                    break
            return heard

    assert [event.ids for event in asyncio.run(rest())] == [{"n": 2}, {"n": 3}]


def test_what_the_key_does_not_open_is_told(memory: Memory, alice: Entity) -> None:
    with pytest.raises(NotFoundError):
        next(memory.events("agent.nobody"))
    Key.objects.all().delete()
    with pytest.raises(UnauthorisedError):
        next(memory.events("agent.alice"))


def stream(*lines: str) -> Answer:
    return Answer(200, "\n".join([*lines, ""]).encode(), {"Content-Type": "text/event-stream"})


def event(token: str, number: int) -> str:
    data = f'{{"entity":"a","entity_id":null,"ids":{{"n":{number}}},"at":"2026-06-02T09:00:00+00:00"}}'
    return f"id: {token}\nevent: step.done\ndata: {data}\n"


def test_a_stream_that_is_cut_is_resumed_behind_the_last_place() -> None:
    answers = [
        stream("retry: 1\nid: t0\n", event("t1", 1), ": alive\nid: t2\n"),
        LOST,
        Answer(503, {"error": "too_many_streams", "detail": "Full."}, {"Retry-After": "0"}),
        stream(event("t3", 2), 'event: end\ndata: {"reason":"lifetime"}\n'),
        stream('event: reset\ndata: {"reason":"expired"}\nid: t9\n', event("t10", 3)),
        stream('event: end\ndata: {"reason":"erased"}\n'),
    ]
    with scripted(*answers) as server, Memory(server.url, "msk_x") as memory:
        heard = list(memory.events("a"))
    assert [(told.kind, told.ids, told.token) for told in heard] == [
        ("step.done", {"n": 1}, "t1"),
        ("step.done", {"n": 2}, "t3"),
        ("reset", {"reason": "expired"}, "t9"),
        ("step.done", {"n": 3}, "t10"),
    ]
    resumed = [asked.headers.get("Last-Event-ID") for asked in server.asked]
    assert resumed == [None, "t2", "t2", "t2", "t3", "t10"]


def test_a_key_that_opens_no_more_ends_it() -> None:
    with (
        scripted(stream('event: end\ndata: {"reason":"key"}\n')) as server,
        Memory(server.url, "msk_x") as memory,
        pytest.raises(UnauthorisedError, match="key"),
    ):
        list(memory.events())
