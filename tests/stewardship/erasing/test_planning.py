"""A plan shows what would go, is confirmed by its own token, and grows stale."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memory.models import Entity, Erasure, Message
from memory.models.base import new_id
from memory.stewardship.actors import RefusedChangeError, StaleChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure, planned, token_of
from tests.factories import (
    SAID_AT,
    make_atom,
    make_claim,
    make_entity,
    make_message,
    make_session,
)
from tests.stewardship.erasing.planting import BOSS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Entity:
    return make_entity()


def texts(entity: Entity) -> list[str]:
    return list(Message.objects.for_entity(entity).order_by("seq").values_list("text", flat=True))


def plan(entity: Entity, scope: Scope) -> Erasure:
    return plan_erasure(entity=entity, scope=scope, actor=BOSS, reason="asked by mail")


def test_a_session_goes_whole_with_its_row(alice: Entity) -> None:
    first = make_message(alice, "First words.")
    make_message(alice, "Other words.", session="second")
    done = erase(erasure=plan(alice, Scope("session", sessions=(first.session_id,))), actor=BOSS)
    assert (done.counts, texts(alice)) == ({"messages": 1, "sessions": 1}, ["Other words."])
    assert done.reason == "asked by mail"


def test_a_period_counts_when_it_was_said_and_else_when_it_was_recorded(alice: Entity) -> None:
    for day in range(3):
        make_message(alice, f"Day {day}.", occurred_at=SAID_AT + timedelta(days=day))
    make_message(alice, "Whenever.", occurred_at=None)
    scope = Scope("period", since=SAID_AT + timedelta(days=1), until=SAID_AT + timedelta(days=2))
    erase(erasure=plan(alice, scope), actor=BOSS)
    assert texts(alice) == ["Day 0.", "Day 2.", "Whenever."]
    erase(erasure=plan(alice, Scope("period", since=timezone.now() - timedelta(hours=1))), actor=BOSS)
    assert texts(alice) == ["Day 0.", "Day 2."]


def test_a_claim_from_outside_is_chosen_by_its_id(alice: Entity) -> None:
    with transaction.atomic():
        plan_claim = make_claim(alice, "billing.plan", "annual-quartz")
        city = make_claim(alice, "home.city", "Berlin")
    done = erase(erasure=plan(alice, Scope("messages", atoms=(plan_claim.pk,))), actor=BOSS)
    assert done.counts == {"atoms": 1}
    city.refresh_from_db()


@pytest.mark.parametrize(
    "scope",
    [
        Scope("session"),
        Scope("messages"),
        Scope("period"),
        Scope("entity", sessions=(new_id(),)),
        Scope("session", sessions=(new_id(),)),
        Scope("messages", messages=(new_id(),)),
        Scope("messages", atoms=(new_id(),)),
        Scope("period", since=SAID_AT, until=SAID_AT),
    ],
)
def test_a_scope_that_names_nothing_or_something_unknown_is_refused(alice: Entity, scope: Scope) -> None:
    with pytest.raises(RefusedChangeError):
        plan(alice, scope)
    assert not Erasure.objects.exists()


def test_what_lies_in_another_entity_is_refused_and_stays(alice: Entity) -> None:
    other = make_message(make_entity("agent.bob"), "Mine.")
    with pytest.raises(RefusedChangeError):
        plan(alice, Scope("messages", messages=(other.pk,)))
    other.refresh_from_db()


def test_a_token_confirms_its_own_plan_once(alice: Entity) -> None:
    message = make_message(alice, "Words.")
    erasure = plan(alice, Scope("messages", messages=(message.pk,)))
    token = token_of(erasure)
    assert planned(entity=alice, token=token) == erasure
    erase(erasure=planned(entity=alice, token=token), actor=BOSS)
    with pytest.raises(RefusedChangeError):
        planned(entity=alice, token=token)
    with pytest.raises(RefusedChangeError):
        erase(erasure=erasure, actor=BOSS)


def test_a_token_is_of_no_use_elsewhere_forged_or_late(alice: Entity) -> None:
    message = make_message(alice, "Words.")
    erasure = plan(alice, Scope("messages", messages=(message.pk,)))
    token = token_of(erasure)
    for entity, given in [
        (make_entity("agent.bob"), token),
        (alice, f"{token}x"),
        (alice, ""),
        (alice, "a:b:c"),
    ]:
        with pytest.raises(RefusedChangeError):
            planned(entity=entity, token=given)
    Erasure.objects.update(expires_at=F("created_at"))
    with pytest.raises(RefusedChangeError):
        planned(entity=alice, token=token)
    with pytest.raises(RefusedChangeError):
        erase(erasure=erasure, actor=BOSS)
    assert texts(alice) == ["Words."]


def test_an_old_plan_expires_when_the_next_one_is_made(alice: Entity) -> None:
    message = make_message(alice, "Words.")
    scope = Scope("messages", messages=(message.pk,))
    old = plan(alice, scope)
    Erasure.objects.update(expires_at=F("created_at"))
    plan(alice, scope)
    old.refresh_from_db()
    assert (old.status, old.selection) == (Erasure.Status.EXPIRED, {})


def test_other_rows_than_shown_are_not_taken(alice: Entity) -> None:
    message = make_message(alice, "Words.")
    erasure = plan(alice, Scope("session", sessions=(message.session_id,)))
    make_message(alice, "More words.")
    with pytest.raises(StaleChangeError):
        erase(erasure=erasure, actor=BOSS)
    assert texts(alice) == ["Words.", "More words."]
    erasure.refresh_from_db()
    assert (erasure.status, Entity.objects.get(pk=alice.pk).erase_epoch) == ("planned", 0)


def test_what_was_derived_meanwhile_makes_a_plan_stale_too(alice: Entity) -> None:
    message = make_message(alice, "Words.")
    erasure = plan(alice, Scope("messages", messages=(message.pk,)))
    with transaction.atomic():
        make_atom(alice, "A claim.", [message])
    with pytest.raises(StaleChangeError):
        erase(erasure=erasure, actor=BOSS)


def test_an_open_turn_loop_keeps_its_session(alice: Entity) -> None:
    session = make_session(alice, "talk")
    type(session).objects.filter(pk=session.pk).update(takes_turns=True)
    message = make_message(alice, "Words.", session="talk")
    erase(erasure=plan(alice, Scope("messages", messages=(message.pk,))), actor=BOSS)
    session.refresh_from_db()
    assert (session.takes_turns, session.ended_at, session.messages.count()) == (True, None, 0)


def test_a_retention_rule_spares_what_people_wrote_and_applications_claimed(alice: Entity) -> None:
    old = make_message(alice, "Zanzibarquux is my city.", occurred_at=SAID_AT - timedelta(days=900))
    with transaction.atomic():
        derived = make_atom(alice, "Alice lives in Zanzibarquux.", [old])
        claim = make_claim(alice, "home.city", "Zanzibarquux")
    done = erase(erasure=plan(alice, Scope("retention", until=SAID_AT)), actor=BOSS)
    assert done.counts == {"messages": 1, "sessions": 1, "atoms": 1}
    claim.refresh_from_db()
    assert not type(derived).objects.filter(pk=derived.pk).exists()
