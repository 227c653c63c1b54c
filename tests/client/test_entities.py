"""Entities and shares over HTTP."""

from __future__ import annotations

import asyncio

import pytest

from memory.client import (
    AsyncMemory,
    ConflictError,
    EntityStatus,
    Memory,
    NewMessage,
    NotFoundError,
    UnauthorisedError,
)
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Workspace
from tests.client.conftest import working
from tests.client.servers import losing_replies

ENTITY = "agent/alice one?"
WORDS = "Never deploy on a Friday."


@pytest.fixture
def key(workspace: Workspace) -> str:
    return create_key(workspace=workspace, label="steward", scopes=[Key.Scope.ADMIN]).token


def say(memory: Memory, text: str, *, entity: str = ENTITY) -> str:
    message = NewMessage(session="monday", role="user", speaker="Alice", content=text)
    [stored] = memory.records([message], entity=entity)
    return str(stored.id)


def test_an_entity_is_made_read_and_changed(memory: Memory) -> None:
    made = memory.create_entity(ENTITY, time_zone="Asia/Tokyo", group_id="g", user_id="u")
    assert memory.create_entity(ENTITY, time_zone="Asia/Tokyo") == made
    assert (made.name, made.time_zone, made.group_id, made.counts.messages) == (ENTITY, "Asia/Tokyo", "g", 0)
    say(memory, WORDS)
    assert memory.entity(ENTITY).counts.messages == 1
    changed = memory.change_entity(ENTITY, time_zone="Europe/Rome", paused_steps=["persona"])
    assert (changed.time_zone, changed.paused_steps) == ("Europe/Rome", ("persona",))
    assert memory.change_entity(ENTITY, paused_steps=[]).paused_steps == ()
    memory.create_entity("agent.zoe")
    assert [entity.name for entity in memory.entities(prefix="agent/")] == [ENTITY]
    assert [entity.name for entity in memory.entities(limit=1)] == ["agent.zoe"]
    with pytest.raises(ConflictError):
        memory.create_entity(ENTITY, time_zone="UTC")
    with pytest.raises(NotFoundError):
        memory.entity("nobody")


def test_a_memory_is_waited_for_until_it_has_settled(memory: Memory, workspace: Workspace) -> None:
    memory.create_entity(ENTITY)
    say(memory, WORDS)
    seen: list[EntityStatus] = []
    late = memory.settle(ENTITY, timeout_seconds=0.2, notice=seen.append)
    assert (late.is_settled, late.waits_for, bool(late.reasons)) == (False, "l1_extract", True)
    assert {status.waits_for for status in seen} == {"l1_extract"}
    with working(Entity.objects.select_related("workspace").get(name=ENTITY)):
        status = memory.settle(ENTITY, timeout_seconds=60)
    assert (status.is_settled, status.reasons, status.layers.atoms_live) == (True, (), 1)
    assert memory.status(ENTITY).layers.messages == 1


def test_a_memory_is_shared_and_closed_again(url: str, memory: Memory, workspace: Workspace) -> None:
    memory.create_entity(ENTITY)
    memory.create_entity("agent.reader")
    say(memory, WORDS)
    say(memory, "I like tea.", entity="agent.reader")
    with losing_replies(url, "/shares") as server, Memory(server.url, _key(memory)) as through:
        share = through.share(ENTITY, reader="agent.reader", reason="They work together.")
    assert (share.entity, share.reader, share.reason) == (ENTITY, "agent.reader", "They work together.")
    assert list(memory.shares(ENTITY)) == list(memory.shares("agent.reader", direction="received")) == [share]
    reader = create_key(
        workspace=workspace, label="reader", entities=[Entity.objects.get(name="agent.reader")]
    ).token
    with Memory(url, reader) as theirs:
        assert [message.text for message in theirs.messages(entity=ENTITY)] == [WORDS]
        recalled = theirs.recall("deploy", entity="agent.reader", shared="all")
        assert [(group.entity, group.hits[0].text) for group in recalled.shared] == [(ENTITY, WORDS)]
        context = theirs.context("May I deploy?", entity="agent.reader", shared=[ENTITY])
        assert [part["name"] for part in context.manifest["shared"]] == [ENTITY]
        assert f"### From {ENTITY}\n" in context.text
        answer = theirs.answer("When must we not deploy?", entity="agent.reader", shared=[ENTITY])
        assert [(one.entity, one.citations[0].text) for one in answer.shared] == [(ENTITY, WORDS)]
        with pytest.raises(NotFoundError):
            say(theirs, "Mine now.")
        with pytest.raises(UnauthorisedError):
            theirs.share("agent.reader", reader=ENTITY)
        assert [memory.unshare(ENTITY, reader="agent.reader") for _ in range(2)] == [True, False]
        with pytest.raises(NotFoundError):
            next(theirs.messages(entity=ENTITY))


def _key(memory: Memory) -> str:
    return memory._site.key


def test_both_clients_do_the_same(url: str, key: str) -> None:
    async def main() -> list[str]:
        async with AsyncMemory(url, key) as memory:
            await memory.create_entity(ENTITY)
            await memory.create_entity("agent.reader")
            await memory.share(ENTITY, reader="agent.reader")
            status = await memory.settle(ENTITY)
            assert status.is_settled
            return [share.reader async for share in memory.shares(ENTITY)]

    assert asyncio.run(main()) == ["agent.reader"]
