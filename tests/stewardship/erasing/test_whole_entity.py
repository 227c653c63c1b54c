"""An entity goes whole, and nothing of another one."""

from __future__ import annotations

import threading

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestConflict
from memory.models import Entity, Erasure, IdempotentReply, Key, Message, Outbox, Share
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure
from tests.factories import make_entity, make_message
from tests.stewardship.erasing.planting import BOSS, WORD, plant
from tests.stewardship.erasing.scanning import everything_of, places_of

pytestmark = pytest.mark.django_db(transaction=True)


def erase_whole(entity: Entity) -> Erasure:
    plan = plan_erasure(entity=entity, scope=Scope("entity"), actor=BOSS, reason="left")
    return erase(erasure=plan, actor=BOSS)


def test_every_row_of_an_entity_goes_and_none_of_another() -> None:
    alice, bob = plant().entity, plant("agent.bob", username="other").entity
    before = everything_of(bob)
    plan = plan_erasure(entity=alice, scope=Scope("entity"), actor=BOSS)
    done = erase(erasure=plan, actor=BOSS)
    assert (done.entity_id, done.status, done.counts) == (None, "done", plan.counts)
    assert everything_of(bob) == before
    assert not Entity.objects.filter(pk=alice.pk).exists()
    assert {table: rows for table, rows in everything_of(alice).items() if rows} == {}


def test_its_words_and_its_name_are_nowhere() -> None:
    alice = plant("agent.zanzibarquux").entity
    user = User.objects.get()
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(Entity),
        object_id=str(alice.pk),
        object_repr="agent.zanzibarquux",
        action_flag=CHANGE,
    )
    erase_whole(alice)
    assert places_of(WORD) == []
    assert places_of("zanzibarquux") == []


def test_streams_are_told_which_entity_is_gone() -> None:
    alice = make_entity()
    done = erase_whole(alice)
    told = Outbox.objects.values_list("workspace", "entity", "event", "ids")
    ids = {"erasure": str(done.pk), "entity": str(alice.pk)}
    assert list(told) == [(alice.workspace_id, None, "erased", ids)]


def test_what_it_was_given_to_read_closes_and_what_a_write_was_answered_stays() -> None:
    alice, bob = make_entity(), make_entity("agent.bob")
    Share.objects.create(workspace=alice.workspace, entity=bob, reader=alice)
    key = Key.objects.create(
        workspace=alice.workspace, label="agent", prefix="msk_a", digest="0", scopes=["admin"]
    )
    answered = {"key": key, "digest": b"a" * 32, "request": b"b" * 32, "status": 200, "ids": {"n": 1}}
    IdempotentReply.objects.create(workspace=alice.workspace, entity=alice, **answered)
    erase_whole(alice)
    assert not Share.objects.exists()
    assert list(IdempotentReply.objects.values_list("entity", "status", "ids")) == [(None, 200, {"n": 1})]


def test_a_key_that_was_bound_opens_nothing() -> None:
    alice = make_entity()
    key = Key.objects.create(
        workspace=alice.workspace, label="agent", prefix="msk_a", digest="0", scopes=["read"], is_bound=True
    )
    key.entities.add(alice)
    erase_whole(alice)
    key.refresh_from_db()
    assert (key.is_bound, key.entities.count()) == (True, 0)


def test_its_shadow_goes_with_it() -> None:
    alice = make_entity()
    make_message(
        Entity.objects.create(workspace=alice.workspace, name=alice.name, shadow_of=alice), "Copied."
    )
    erase_whole(alice)
    assert not Entity.objects.exists()
    assert not apps.get_model("memory", "Message").objects.exists()


def test_words_that_came_after_the_preview_go_too() -> None:
    alice = make_entity()
    plan = plan_erasure(entity=alice, scope=Scope("entity"), actor=BOSS)
    make_message(alice, "Late.")
    assert erase(erasure=plan, actor=BOSS).counts == {"messages": 1, "sessions": 1}
    with pytest.raises(RefusedChangeError):
        erase(erasure=plan, actor=BOSS)


def test_a_whole_entity_is_erased_while_others_write_to_it() -> None:
    entity = make_entity("agent.busy")
    make_message(entity, "Tea.", session="s0")
    refused: list[str] = []
    ended = threading.Event()

    def write(number: int) -> None:
        try:
            while not ended.is_set():
                message = IncomingMessage(session=f"s{number}", role="user", text="More tea.")
                append_messages(entity=entity, messages=[message])
        except IngestConflict as error:
            refused.append(error.summary())
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(number % 3,)) for number in range(4)]
    for writer in writers:
        writer.start()
    try:
        plan = plan_erasure(entity=entity, scope=Scope("entity"), actor=BOSS, reason="Tea asked for it.")
        done = erase(erasure=plan, actor=BOSS)
    finally:
        ended.set()
        for writer in writers:
            writer.join()
    assert (done.status, done.reason, Entity.objects.filter(pk=entity.pk).exists()) == ("done", "", False)
    assert Erasure.objects.get(pk=done.pk).reason == ""
    assert set(refused) <= {"entity: was erased meanwhile: send it again"}
    assert not Message.objects.filter(entity_id=entity.pk).exists()
