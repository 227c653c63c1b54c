"""Many callers at once, each with a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

import pytest
from django.db import connection

from memory.ingest.entities import ensure_entity
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestConflict
from memory.models import Entity, Message, Session, Step, Work, Workspace
from tests.ingest.words import said

CALLERS = 8

Result = TypeVar("Result")

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(action: Callable[[int], Result]) -> list[Result]:
    """Run the action in several threads that start together."""
    barrier = Barrier(CALLERS)

    def run(number: int) -> Result:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=30)
            return action(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(run, range(CALLERS)))


@pytest.fixture
def entity() -> Entity:
    return ensure_entity(workspace=Workspace.objects.create(name="acme"), name="agent.alice")


def test_one_key_from_many_callers_is_one_message(entity: Entity) -> None:
    """Case 17."""

    def append(_: int) -> Any:
        return append_messages(entity=entity, messages=[said("My locker is 12", dedupe_key="k")]).messages[0]

    results = at_once(append)
    assert len({result.id for result in results}) == 1
    assert sorted(result.is_new for result in results) == [False] * 7 + [True]
    assert Message.objects.for_entity(entity).count() == 1


def test_one_key_in_many_sessions_is_stored_once_and_refused_else(entity: Entity) -> None:
    def append(number: int) -> bool:
        try:
            append_messages(entity=entity, messages=[said("hi", session=f"s{number}", dedupe_key="k")])
        except IngestConflict:
            return False
        return True

    assert sorted(at_once(append)) == [False] * 7 + [True]
    assert Message.objects.for_entity(entity).count() == 1
    assert Session.objects.for_entity(entity).count() == 1


def test_ordinals_of_one_session_have_no_gap_and_no_double(entity: Entity) -> None:
    def append(number: int) -> None:
        for turn in range(5):
            append_messages(entity=entity, messages=[said(f"{number}/{turn}")])

    at_once(append)
    ordinals = Message.objects.for_entity(entity).order_by("ordinal").values_list("ordinal", flat=True)
    assert list(ordinals) == list(range(CALLERS * 5))


def test_callers_that_share_sessions_never_block_each_other_for_good(entity: Entity) -> None:
    names = [f"s{number}" for number in range(6)]

    def append(number: int) -> None:
        turned = names[number % 6 :] + names[: number % 6]
        for turn in range(4):
            messages = [said("x", session=f"{name}/{turn}") for name in turned]
            append_messages(entity=entity, messages=messages[:: 1 if number % 2 else -1])

    at_once(append)
    assert Message.objects.for_entity(entity).count() == CALLERS * 4 * 6


def test_many_keys_in_any_order_are_each_stored_once(entity: Entity) -> None:
    def append(number: int) -> None:
        keys = [f"k{index}" for index in range(10)]
        turned = keys[number:] + keys[:number]
        append_messages(entity=entity, messages=[said(key, dedupe_key=key) for key in turned])

    at_once(append)
    assert sorted(Message.objects.for_entity(entity).values_list("text", flat=True)) == [
        f"k{index}" for index in range(10)
    ]


def test_a_transcript_sent_by_many_is_stored_once(entity: Entity) -> None:
    """Case 16."""
    transcript = [said(f"turn {number}") for number in range(10)]
    at_once(lambda _: append_messages(entity=entity, messages=transcript))
    assert Message.objects.for_entity(entity).count() == 10


def test_an_entity_asked_for_by_many_is_made_once_with_its_work() -> None:
    workspace = Workspace.objects.create(name="acme")
    made = at_once(lambda _: ensure_entity(workspace=workspace, name="agent.new"))
    assert len({entity.pk for entity in made}) == 1
    assert Work.objects.for_entity(made[0]).count() == len(Step)
