"""Which conversation a request belongs to, and what of it is stored."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.ingest.access import Access
from memory.ingest.workspaces import create_key
from memory.models import Entity, Message, Session
from memory.proxy.conversation import Said, read_conversation
from memory.proxy.placing import RETRY_SECONDS, Place, place_of
from memory.proxy.storing import store_turns
from tests.factories import make_entity
from tests.proxy.conftest import said

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def entity(transactional_db: None) -> Entity:
    return make_entity("agent.alice")


@pytest.fixture
def access(entity: Entity) -> Access:
    issued = create_key(workspace=entity.workspace, label="proxy")
    return Access(issued.key, entity.workspace, frozenset())


def stored(access: Access, entity: Entity, *texts: str, **how: Any) -> Place:
    """A conversation as the proxy stores it."""
    turns = read_conversation(said(*texts))
    place = place_of(entity, turns, **how)
    store_turns(access=access, entity_name=entity.name, place=place, turns=turns)
    return place


def sessions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, text in Message.objects.order_by("seq").values_list("session__external_id", "text"):
        found.setdefault(name.rpartition("-")[2], []).append(text)
    return found


def test_the_same_opening_at_once_is_a_retry_and_later_a_new_conversation(
    access: Access, entity: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(access, entity, "Hello")
    stored(access, entity, "Hello")
    assert sessions() == {"1": ["Hello"]}
    later = timezone.now() + timedelta(seconds=RETRY_SECONDS + 1)
    monkeypatch.setattr("memory.proxy.placing.timezone.now", lambda: later)
    stored(access, entity, "Hello", is_retried=True)
    assert sessions() == {"1": ["Hello"]}
    stored(access, entity, "Hello")
    stored(access, entity, "Hello", "Hi", "And now?")
    assert sessions() == {"1": ["Hello"], "2": ["Hello", "Hi", "And now?"]}


def test_a_conversation_goes_on_where_most_of_it_stands(
    access: Access, entity: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(access, entity, "Hello", "Hi", "One")
    later = timezone.now() + timedelta(seconds=RETRY_SECONDS + 1)
    monkeypatch.setattr("memory.proxy.placing.timezone.now", lambda: later)
    stored(access, entity, "Hello")
    stored(access, entity, "Hello", "Hi", "One", "Two", "Three")
    assert sessions() == {"1": ["Hello", "Hi", "One", "Two", "Three"], "2": ["Hello"]}


def test_an_edited_turn_is_a_turn_of_its_own(access: Access, entity: Entity) -> None:
    stored(access, entity, "Hello", "Hi", "One")
    stored(access, entity, "Hello", "Hi", "One, I mean two")
    assert sessions() == {"1": ["Hello", "Hi", "One", "One, I mean two"]}


def test_a_named_session_takes_the_same_words_again(
    access: Access, entity: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that sends its newest words alone."""
    stored(access, entity, "Yes", session="monday")
    later = timezone.now() + timedelta(seconds=RETRY_SECONDS + 1)
    monkeypatch.setattr("memory.proxy.placing.timezone.now", lambda: later)
    stored(access, entity, "Yes", session="monday")
    assert list(Message.objects.order_by("seq").values_list("session__external_id", "text")) == [
        ("monday", "Yes"),
        ("monday", "Yes"),
    ]


def test_one_shared_turn_is_no_reason_to_join_a_conversation(access: Access, entity: Entity) -> None:
    stored(access, entity, "Hello", "Hi", "Thanks")
    stored(access, entity, "Thanks", "You are welcome", "One more")
    assert Session.objects.count() == 2


def test_what_came_before_the_proxy_was_said_nobody_knows_when(access: Access, entity: Entity) -> None:
    stored(access, entity, "Hello", "Hi", "One")
    times = Message.objects.order_by("seq").values_list("text", "occurred_at")
    assert [(text, at is None) for text, at in times] == [("Hello", True), ("Hi", True), ("One", False)]


def test_a_long_conversation_and_long_words_are_stored_whole(access: Access, entity: Entity) -> None:
    texts = [f"turn {number}" for number in range(150)]
    stored(access, entity, *texts, "x" * 150_000)
    found = list(Message.objects.order_by("ordinal").values_list("text", flat=True))
    assert found[:150] == texts
    assert [len(text) for text in found[150:]] == [65_536, 65_536, 18_928]
    stored(access, entity, *texts, "x" * 150_000)
    assert Message.objects.count() == 153


def test_what_cannot_be_stored_is_mended_and_blanks_are_left_out(access: Access, entity: Entity) -> None:
    huge = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "y" * 100_000}}
    turns = (
        Said("user", "a\0b\ud800c"),
        Said("assistant", "", tool_calls=(huge,)),
        Said("tool", " ", tool_call_id="c1"),
        Said("user", "", attachments=("image_url",)),
    )
    place = place_of(entity, turns)
    assert store_turns(access=access, entity_name=entity.name, place=place, turns=turns) == 2
    first, second = Message.objects.order_by("ordinal")
    assert first.text == "ab?c"
    assert len(second.tool_calls[0]["function"]["arguments"]) == 1_000
