"""The command `forget` over a real memory."""

from __future__ import annotations

import pytest
from django.db import transaction

from memory.indexing.step import index_entity
from memory.models import Atom, Entity, Message
from memory.recall.short_ids import short_id
from memory.walkthrough.access import MemoryProblemError
from memory.walkthrough.local import LocalMemory
from tests.cascade.story import an_entity
from tests.factories import make_atom, make_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def entity() -> Entity:
    with transaction.atomic():
        made = an_entity()
        for place, number in (("work", 12), ("the gym", 15)):
            said = make_message(made, f"My locker at {place} is {number}.")
            make_atom(made, f"Alice's locker at {place} is {number}.", [said], terms=["locker"])
    index_entity(entity_id=made.pk)
    return made


def test_forget_lists_and_confirm_erases_but_for_what_is_kept(entity: Entity) -> None:
    memory = LocalMemory(entity, timeout_seconds=0.0)
    gym = Atom.objects.get(text__contains="gym")

    page = memory.forget("my locker")

    assert [match.is_chosen for match in page.matches] == [True, True]
    assert (page.counts["messages"], Message.objects.count()) == (2, 2)
    done = memory.confirm_forget(page.token, (short_id(gym.pk),))
    assert done.counts["messages"] == 1
    assert Message.objects.get().text == "My locker at the gym is 15."


@pytest.mark.parametrize("keep", ["0000", "no id"])
def test_what_cannot_be_kept_is_told(entity: Entity, keep: str) -> None:
    memory = LocalMemory(entity, timeout_seconds=0.0)
    page = memory.forget("my locker")
    with pytest.raises(MemoryProblemError):
        memory.confirm_forget(page.token, (keep,))
    assert Message.objects.count() == 2


def test_words_that_name_nothing_are_told(entity: Entity) -> None:
    with pytest.raises(MemoryProblemError, match="Say what is to be forgotten"):
        LocalMemory(entity, timeout_seconds=0.0).forget("everything")
