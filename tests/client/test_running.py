"""Both clients are one: the same methods, the same requests, the same results."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from memory.client import (
    AsyncMemory,
    AsyncSession,
    Memory,
    NewMessage,
    ServerError,
    Session,
    SubjectRef,
    UnreachableError,
)
from memory.client.opening import AsyncSessions, Sessions
from tests.client.servers import KEY, LOST, Answer, Asked, Served, scripted, served
from tests.setup.commands import ROOT

SESSION = {
    "id": "01a2293e-22e0-75f6-886d-248e81977719",
    "external_id": "s1",
    "entity": "agent.alice",
    "created_at": "2026-01-01T00:00:00Z",
    "compaction": "idle",
}
BLOCKED = ("django", "rest_framework", "celery", "numpy", "psycopg", "environs")


def surface(of: type[Any]) -> dict[str, str]:
    """Names that are meant for callers, with their signatures."""
    found = {name: getattr(of, name) for name in dir(of) if not name.startswith("_")}
    return {
        name: str(inspect.signature(item)).replace("AsyncIterator", "Iterator")
        if callable(item)
        else "property"
        for name, item in found.items()
        if name != "close"
    }


@pytest.mark.parametrize(
    ("blocking", "awaited"), [(Memory, AsyncMemory), (Session, AsyncSession), (Sessions, AsyncSessions)]
)
def test_both_surfaces_are_equal(blocking: type[Any], awaited: type[Any]) -> None:
    assert surface(blocking) == surface(awaited)
    assert all(inspect.getdoc(getattr(blocking, name)) for name in surface(blocking))


def blocking_calls(url: str) -> list[Any]:
    with Memory(url, KEY) as memory:
        session = memory.session.create(entity="agent.alice", external_id="s1")
        return [
            memory.health().status,
            session.external_id,
            session.compact(timeout_seconds=5).compaction,
            [rule.text for rule in memory.rules(entity="agent.alice")],
            [rule.text for rule in memory.rules(entity="agent.alice", limit=2)],
        ]


def awaited_calls(url: str) -> list[Any]:
    async def call() -> list[Any]:
        async with AsyncMemory(url, KEY) as memory:
            session = await memory.session.create(entity="agent.alice", external_id="s1")
            return [
                (await memory.health()).status,
                session.external_id,
                (await session.compact(timeout_seconds=5)).compaction,
                [rule.text async for rule in memory.rules(entity="agent.alice")],
                [rule.text async for rule in memory.rules(entity="agent.alice", limit=2)],
            ]

    return asyncio.run(call())


def rule(number: int) -> dict[str, Any]:
    return {
        "id": SESSION["id"],
        "seq": number,
        "text": f"rule {number}",
        "kind": "instruction",
        "priority": 90,
        "status": "live",
        "a field of tomorrow": [1],
    }


def rules(*numbers: int, next_after: str | None) -> Answer:
    return Answer(body={"rules": [rule(number) for number in numbers], "next_after": next_after})


def script() -> tuple[Answer, ...]:
    return (
        Answer(201, SESSION),
        Answer(503, {"status": "unavailable", "database": "unavailable"}),
        Answer(202, {**SESSION, "compaction": "waiting"}),
        Answer(body={**SESSION, "compaction": "waiting"}),
        LOST,
        Answer(body={**SESSION, "compaction": "idle"}),
        rules(1, 2, next_after="2"),
        rules(3, next_after=None),
        rules(1, 2, next_after="2"),
    )


def shape(server: Served) -> list[tuple[str, str, bytes]]:
    return [(asked.method, asked.path, asked.body) for asked in server.asked]


def test_both_send_the_same_and_read_the_same() -> None:
    outcomes = []
    for calls in (blocking_calls, awaited_calls):
        with scripted(*script()) as server:
            outcomes.append((calls(server.url), shape(server)))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == [
        "unavailable",
        "s1",
        "idle",
        ["rule 1", "rule 2", "rule 3"],
        ["rule 1", "rule 2"],
    ]
    assert len(outcomes[0][1]) == len(script())


def test_promoting_waits_for_what_a_worker_has_in_hand() -> None:
    looks = [
        {"entity": "e", "atoms": n, "edges_written": n, "waiting": waiting} for n, waiting in ((2, 3), (1, 0))
    ]
    with scripted(*(Answer(body=look) for look in looks)) as server, Memory(server.url, KEY) as memory:
        done = memory.promote(entity="e")
    assert (done.atoms, done.edges_written, done.waiting) == (3, 3, 0)


@pytest.mark.parametrize(("failed", "wait_seconds"), [(1, 60.0), (0, 0.0)])
def test_promoting_does_not_wait_for_a_person(failed: int, wait_seconds: float) -> None:
    look = Answer(body={"entity": "e", "failed": failed, "waiting": 3})
    with scripted(look) as server, Memory(server.url, KEY) as memory:
        assert memory.promote(entity="e", wait_seconds=wait_seconds).waiting == 3


def blocking_graph(url: str, **limits: Any) -> Any:
    with Memory(url, KEY, **limits) as memory:
        return memory.graph(entity="agent.alice", subject=SubjectRef(kind="a", identifier="b"))


def awaited_graph(url: str, **limits: Any) -> Any:
    async def call() -> Any:
        async with AsyncMemory(url, KEY, **limits) as memory:
            return await memory.graph(entity="agent.alice", subject=SubjectRef(kind="a", identifier="b"))

    return asyncio.run(call())


each_client = pytest.mark.parametrize("ask", [blocking_graph, awaited_graph])


@each_client
def test_a_server_that_hangs_costs_the_time_of_the_attempt(ask: Callable[..., Any]) -> None:
    is_over = Event()

    def hang(_: Asked) -> Answer:
        is_over.wait(20)
        return LOST

    with served(hang) as server:
        with pytest.raises(UnreachableError, match="did not answer in time"):
            ask(server.url, timeout_seconds=0.1, attempts=2)
        is_over.set()
        assert len(server.asked) == 2


@each_client
def test_an_address_where_nobody_is(ask: Callable[..., Any]) -> None:
    with scripted() as server:
        url = server.url
    with pytest.raises(UnreachableError, match=f"Nothing answers at {url}"):
        ask(url, attempts=1)


@each_client
@pytest.mark.parametrize("body", [b"<html>", [], {"facts": []}, {"entity": "e", "facts": [{"id": 7}]}])
def test_what_speaks_another_language_is_told(ask: Callable[..., Any], body: Any) -> None:
    with scripted(Answer(body=body)) as server, pytest.raises(ServerError):
        ask(server.url)


def test_a_list_that_is_missing_is_told() -> None:
    message = NewMessage(session="s", role="user", content="hi")
    with (
        scripted(Answer(201)) as server,
        Memory(server.url, KEY) as memory,
        pytest.raises(ServerError, match="no list records"),
    ):
        memory.records([message], entity="agent.alice")


def test_it_is_imported_without_django(tmp_path: Any) -> None:
    program = f"""
import sys
for name in {BLOCKED!r}:
    sys.modules[name] = None
import memory.client
loaded = [name for name in sys.modules if name.startswith("memory.") and not name.startswith("memory.client")]
print(loaded)
"""
    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (told.stdout, told.stderr) == ("[]\n", "")
