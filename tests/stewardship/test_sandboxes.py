"""Visitors' memories end: when they say so, and after their day."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session as BrowserSession

from memory.cascade.engine import settle_entity
from memory.ingest.sandbox import open_sandbox, sandboxes, say
from memory.models import Atom, Entity, Erasure, Message, Run
from memory.stewardship.retention import apply_retention
from memory.stewardship.sandboxes import throw_away
from tests.cascade.story import an_entity

pytestmark = pytest.mark.django_db(transaction=True)


def made(hours_ago: float) -> Entity:
    entity = open_sandbox()
    say(entity=entity, text="Never ship on a Friday.")
    settle_entity(entity)
    Entity.objects.filter(pk=entity.pk).update(created_at=datetime.now(UTC) - timedelta(hours=hours_ago))
    return entity


def test_a_memory_is_thrown_away_whole_and_once() -> None:
    entity, other = made(1), made(1)
    assert [throw_away(entity), throw_away(entity)] == [True, False]
    assert list(Entity.objects.all()) == [other]
    for table in (Message, Atom, Run):
        assert not table.objects.filter(entity_id=entity.pk).exists()
        assert table.objects.filter(entity_id=other.pk).exists()
    assert list(Erasure.objects.values_list("by", "status", "scope")) == [("visitor", "done", "entity")]


@pytest.mark.parametrize("is_on", [True, False])
def test_after_its_day_it_goes_and_others_stay(is_on: bool, settings: Any) -> None:
    kept, old, real = made(23), made(25), an_entity()
    Entity.objects.filter(pk=real.pk).update(created_at="2020-01-01T00:00:00Z")
    settings.MEMSEEK = replace(settings.MEMSEEK, sandbox=replace(settings.MEMSEEK.sandbox, is_on=is_on))
    assert list(sandboxes()) == [kept]
    assert apply_retention(workspace=real.workspace).removed["sandboxes"] == 0
    assert apply_retention().removed["sandboxes"] == 1
    assert set(Entity.objects.all()) == {kept, real}
    assert Erasure.objects.get().by == "sandbox"
    assert not Message.objects.filter(entity_id=old.pk).exists()


def test_sessions_of_browsers_that_are_over_go() -> None:
    for name, days in (("over", -1), ("open", 1)):
        end = datetime.now(UTC) + timedelta(days=days)
        BrowserSession.objects.create(session_key=name, session_data="", expire_date=end)
    assert apply_retention().removed["visits"] == 1
    assert list(BrowserSession.objects.values_list("session_key", flat=True)) == ["open"]
