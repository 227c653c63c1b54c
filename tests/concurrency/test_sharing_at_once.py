"""A memory opened and closed while others read it: who begins after the end of a call sees what it did."""

from __future__ import annotations

from threading import Event

import pytest
from django.db import transaction

from memory.ingest.access import UnknownEntityError
from memory.models import Share
from memory.recall.search import Request
from memory.recall.sharing import search_shared, shared_with
from memory.stewardship.actors import Actor
from memory.stewardship.sharing import NoShareError, share_memory, unshare_memory
from tests.cases.threads import at_once
from tests.factories import make_atom, make_entity, make_message
from tests.ingest.test_concurrency import at_once as many_at_once

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 25
DANA = Actor(name="dana")
REQUEST = Request("Where is the ladder?", uses_meaning=False)


def test_readers_see_all_of_a_memory_or_that_it_is_closed() -> None:
    owner, reader, third = (make_entity(f"team.{name}") for name in ("owner", "reader", "third"))
    with transaction.atomic():
        for one in (owner, third):
            make_atom(one, f"The ladder of {one.name} is green.", [make_message(one, "The ladder.")])
    share_memory(entity=third, reader=reader, actor=DANA)
    closed_for_good = Event()
    found: list[frozenset[str]] = []

    def toggle() -> None:
        for _ in range(ROUNDS):
            share_memory(entity=owner, reader=reader, actor=DANA)
            unshare_memory(entity=owner, reader=reader.name)
        closed_for_good.set()

    def read() -> None:
        for _ in range(ROUNDS):
            was_closed = closed_for_good.is_set()
            seen = search_shared(shared_with(reader, ["all"]), REQUEST)
            names = frozenset(one.entity for one in seen)
            assert all(one.found.hits for one in seen)
            assert names == {"team.third"} or (names == {"team.third", "team.owner"} and not was_closed)
            found.append(names)

    at_once(toggle, read, read)
    assert len(found) == 2 * ROUNDS
    with pytest.raises(UnknownEntityError):
        shared_with(reader, [owner.name])


def test_a_memory_that_many_open_is_opened_once_and_closed_once() -> None:
    owner, reader = make_entity("team.owner"), make_entity("team.reader")

    def close(_: int) -> bool:
        try:
            unshare_memory(entity=owner, reader=reader.name)
        except NoShareError:
            return False
        return True

    opened = many_at_once(lambda _: share_memory(entity=owner, reader=reader, actor=DANA))
    assert sorted(is_new for _, is_new in opened) == [False] * 7 + [True]
    assert len({record.id for record, _ in opened}) == 1
    assert sorted(many_at_once(close)) == [False] * 7 + [True]
    assert not Share.objects.exists()
