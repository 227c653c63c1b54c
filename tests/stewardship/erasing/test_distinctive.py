"""Which words of an erased message are still held by something that stays, and which are not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import transaction

from memory.indexing.step import index_terms
from memory.models import Atom, Entity, Session
from memory.stewardship.erasing import Scope, closing, erase, plan_erasure
from tests.factories import make_atom, make_entity, make_message
from tests.stewardship.erasing.planting import BOSS

pytestmark = pytest.mark.django_db(transaction=True)

UUID_SAID = "550e8400-e29b-41d4-a716-446655440000"
HEX_SAID = "c0ffee" * 10 + "beef"


@pytest.fixture(autouse=True, params=[0, 1_000], ids=["each term looked up", "all units read"])
def way_of_asking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closing, "UNITS_OF_A_LOOK_UP", request.param)


def left_after_erasing(
    said: str, copied: str, *, title: str = "", spoken_on: datetime | None = None
) -> Entity:
    """An entity whose erased message said something that an atom copies without citing it."""
    with transaction.atomic():
        entity = make_entity("agent.nora")
        gone = make_message(entity, said, session="first")
        other = make_message(entity, "Tea at four.", session="second", occurred_at=spoken_on)
        make_atom(entity, copied, [other])
    Session.objects.filter(pk=other.session_id).update(title=title)
    index_terms(entity, wants_vectors=False)
    plan = plan_erasure(entity=entity, scope=Scope("messages", messages=(gone.pk,)), actor=BOSS)
    erase(erasure=plan, actor=BOSS)
    return entity


def texts(entity: Entity) -> list[str]:
    return list(Atom.objects.for_entity(entity).values_list("text", flat=True))


@pytest.mark.parametrize("said", [UUID_SAID, HEX_SAID], ids=["uuid", "hexadecimal"])
def test_what_was_said_in_the_shape_of_an_id_is_a_word(said: str) -> None:
    assert texts(left_after_erasing(f"The order is {said}.", f"The order is {said}, for tea.")) == []


def test_the_title_of_another_session_does_not_keep_a_word(db: None) -> None:
    entity = left_after_erasing("Kwokkalotl came.", "Kwokkalotl drinks tea.", title="tea with kwokkalotl")
    assert texts(entity) == []
    assert not Session.objects.filter(title__icontains="kwokkalotl").exists()


def test_the_day_on_which_another_was_said_does_not_keep_a_word() -> None:
    day = datetime(2026, 4, 3, tzinfo=UTC)
    entity = left_after_erasing("My daughter is called April.", "April likes tea.", spoken_on=day)
    assert texts(entity) == []


def test_a_word_that_another_message_says_too_takes_nothing() -> None:
    assert texts(left_after_erasing("Tea is at five.", "Tea is drunk at four.")) == ["Tea is drunk at four."]
