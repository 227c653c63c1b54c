"""Observers of one predicate at the same time wait in line."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from memory.models import Atom, Chain, Entity, Evidence
from memory.stewardship.verify import verify
from tests.claims.observing import event, say


@pytest.mark.django_db(transaction=True)
def test_observers_at_once_leave_one_that_holds(alice: Entity) -> None:
    def observe_one(number: int) -> str:
        try:
            return say(alice, number % 4, minute=number, evidence=(event(f"e{number}"),)).outcome
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(observe_one, range(24)))
    rows = Atom.objects.for_entity(alice)
    assert rows.live().get().value == 23 % 4
    assert (Chain.objects.for_entity(alice).count(), rows.exclude(status="contested").count()) == (
        1,
        rows.count(),
    )
    assert Evidence.objects.filter(entity=alice).count() == 24
    assert len([outcome for outcome in outcomes if outcome == "stored"]) == 1
    assert verify(alice) == []


@pytest.mark.django_db(transaction=True)
def test_the_same_observation_at_once_is_one_claim(alice: Entity) -> None:
    def observe_it(_: int) -> bool:
        try:
            return say(alice, "annual").is_new
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(observe_it, range(16)))
    assert (
        sum(made),
        Atom.objects.for_entity(alice).count(),
        Evidence.objects.filter(entity=alice).count(),
    ) == (1, 1, 1)
