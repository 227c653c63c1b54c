"""Links over HTTP, and several messages' changes at once."""

from __future__ import annotations

import httpx
import pytest

from memory.client import Memory, NewMessage, NotFoundError, RefusedError
from memory.models import Entity
from tests.client.conftest import working

ENTITY = "agent.alice"
WORDS = ("Never deploy on a Friday.", "We deploy on Tuesdays.")


def test_a_link_shows_the_timeline_without_the_key(memory: Memory, key: str) -> None:
    memory.create_entity(ENTITY)
    memory.records([NewMessage(session="monday", role="user", content=WORDS[0])], entity=ENTITY)
    link = memory.link(ENTITY, lifetime_seconds=60)
    shown = httpx.get(link.url, headers={"Accept": "application/json"}).json()
    assert (link.target, link.entity, link.scene) == ("timeline", ENTITY, None)
    assert [record["text"] for record in shown["records"]] == [WORDS[0]]
    assert [text for text in (repr(link), str(link)) if link.url in text] == []
    assert key not in link.url


def test_what_has_no_link_is_told(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.link("nobody")
    with pytest.raises(RefusedError, match="give one of them"):
        memory.link()


def test_the_changes_of_several_messages_are_told_once(memory: Memory) -> None:
    memory.create_entity(ENTITY)
    said = [NewMessage(session="monday", role="user", speaker="Alice", content=text) for text in WORDS]
    ids = [stored.id for stored in memory.records(said, entity=ENTITY)]
    with working(Entity.objects.select_related("workspace").get(name=ENTITY)):
        assert memory.settle(ENTITY, timeout_seconds=60).is_settled
    together = memory.changes_of(ids, entity=ENTITY)
    single = [memory.changes(id) for id in ids]
    assert together.messages == len(WORDS)
    assert {atom.id for atom in together.stored} == {atom.id for one in single for atom in one.stored}
    assert len({atom.id for atom in together.stored}) == len(together.stored)
    with pytest.raises(NotFoundError):
        memory.changes_of([*ids, together.stored[0].id], entity=ENTITY)
