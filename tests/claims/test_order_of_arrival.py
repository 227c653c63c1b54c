"""The rules of observing hold in any order of arrival: what stands follows from what was said."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory.ingest.entities import ensure_entity
from memory.models import Atom, Authority, Entity, Workspace
from memory.stewardship.verify import verify
from tests.claims.observing import at, event, say

VALUES = ("annual", "monthly", {"cycle": "weekly", "price": 12})
numbers = count()


@dataclass(frozen=True)
class Said:
    """One observation: no two are said at the same minute."""

    minute: int
    value: int
    authority: int


@dataclass(frozen=True)
class Standing:
    """What stands, whatever rows say it."""

    live: tuple[str, int]
    contested: frozenset[tuple[str, int]]
    history: frozenset[str]


said_lists = st.lists(
    st.builds(
        Said,
        minute=st.integers(0, 30),
        value=st.integers(0, len(VALUES) - 1),
        authority=st.sampled_from(Authority.values),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda said: said.minute,
)


def expected(said: list[Said]) -> Standing:
    """The rules, over all that was said: authority first, then time; what agrees contests nothing."""
    head = max(said, key=lambda one: (one.authority, one.minute))
    contested = {
        (text(one.value), one.authority)
        for one in said
        if one.authority < head.authority and one.minute > head.minute and one.value != head.value
    }
    others = {text(one.value) for one in said} - {text(head.value)}
    return Standing(
        (text(head.value), head.authority),
        frozenset(contested),
        frozenset(others - {t for t, _ in contested}),
    )


def text(value: int) -> str:
    return str(VALUES[value])


def found(entity: Entity) -> Standing:
    rows = list(Atom.objects.for_entity(entity))
    [live] = [row for row in rows if row.status == Atom.Status.LIVE]
    contested = {(str(row.value), row.authority) for row in rows if row.status == Atom.Status.CONTESTED}
    others = {str(row.value) for row in rows} - {str(live.value)} - {value for value, _ in contested}
    return Standing((str(live.value), live.authority), frozenset(contested), frozenset(others))


def entity_that_heard(said: list[Said]) -> Entity:
    workspace = Workspace.objects.get_or_create(name="any order")[0]
    entity = ensure_entity(workspace=workspace, name=f"agent-{next(numbers)}")
    for one in said:
        say(
            entity,
            VALUES[one.value],
            minute=one.minute,
            authority=Authority(one.authority),
            evidence=(event(f"e{one.minute}"),),
        )
    return entity


@pytest.mark.django_db
@given(said=said_lists, data=st.data())
@example(said=[Said(1, 0, 4), Said(3, 1, 4), Said(5, 0, 1)], data=None)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_stands_follows_from_what_was_said(said: list[Said], data: Any) -> None:
    orders = [said, said[::-1], [*said, *said]]
    if data is not None:
        orders.append(data.draw(st.permutations(said)))
    for order in orders:
        entity = entity_that_heard(order)
        assert found(entity) == expected(said)
    assert verify(entity) == []


@pytest.mark.django_db
@given(said=said_lists)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_inference_never_overrides_an_application(said: list[Said]) -> None:
    entity = entity_that_heard([*said, Said(31, 0, Authority.APPLICATION)])
    say(entity, VALUES[1], minute=90, authority=Authority.INFERENCE, evidence=(event("late"),))
    live = Atom.objects.for_entity(entity).live().get()
    assert (live.value, live.authority, live.last_seen_at) == (VALUES[0], Authority.APPLICATION, at(31))
