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
NEVER_YET = 500_000_000
"""A minute that no clock has reached."""
numbers = count()


@dataclass(frozen=True)
class Said:
    """One observation: no two are said at the same minute."""

    minute: int
    value: int
    authority: int
    begins: int | None = None

    @property
    def since(self) -> int:
        """From which minute on it counts."""
        return max(self.minute, self.begins or 0)

    @property
    def is_plan(self) -> bool:
        return self.since > self.minute

    def moves(self, plan: "Said") -> bool:
        """Whether it gives a plan another time before that begins."""
        is_same = (self.value, self.authority, self.is_plan) == (plan.value, plan.authority, plan.is_plan)
        return is_same and plan.minute < self.minute < plan.since


@dataclass(frozen=True)
class Standing:
    """What stands, whatever rows say it."""

    live: tuple[str, int] | None
    contested: frozenset[tuple[str, int]]
    history: frozenset[str]


said_lists = st.lists(
    st.builds(
        Said,
        minute=st.integers(0, 30),
        value=st.integers(0, len(VALUES) - 1),
        authority=st.sampled_from(Authority.values),
        begins=st.none() | st.integers(0, 60) | st.just(NEVER_YET),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda said: said.minute,
)


def expected(said: list[Said]) -> Standing:
    """The rules, over all that was said: authority first, then time; what agrees contests nothing."""
    kept = [one for one in said if not (one.is_plan and any(other.moves(one) for other in said))]
    begun = [one for one in kept if one.since < NEVER_YET]
    head = max(begun, key=lambda one: (one.authority, one.since, one.minute), default=None)
    contested = {(text(one.value), one.authority) for one in kept if one.since == NEVER_YET}
    if head is not None:
        contested |= {
            (text(one.value), one.authority)
            for one in begun
            if one.authority < head.authority
            and (one.since, one.minute) > (head.since, head.minute)
            and one.value != head.value
        }
    live = None if head is None else (text(head.value), head.authority)
    shown = {value for value, _ in contested} | ({live[0]} if live else set())
    return Standing(live, frozenset(contested), frozenset({text(one.value) for one in said} - shown))


def text(value: int) -> str:
    return str(VALUES[value])


def found(entity: Entity) -> Standing:
    rows = list(Atom.objects.for_entity(entity))
    live = next(((str(row.value), row.authority) for row in rows if row.status == Atom.Status.LIVE), None)
    contested = {(str(row.value), row.authority) for row in rows if row.status == Atom.Status.CONTESTED}
    shown = {value for value, _ in contested} | ({live[0]} if live else set())
    return Standing(live, frozenset(contested), frozenset({str(row.value) for row in rows} - shown))


def entity_that_heard(said: list[Said]) -> Entity:
    workspace = Workspace.objects.get_or_create(name="any order")[0]
    entity = ensure_entity(workspace=workspace, name=f"agent-{next(numbers)}")
    for one in said:
        say(
            entity,
            VALUES[one.value],
            minute=one.minute,
            authority=Authority(one.authority),
            valid_from=None if one.begins is None else at(one.begins),
            evidence=(event(f"e{one.minute}"),),
        )
    return entity


@pytest.mark.django_db
@given(said=said_lists, data=st.data())
@example(said=[Said(1, 0, 4), Said(3, 1, 4), Said(5, 0, 1)], data=None)
@example(said=[Said(5, 0, 4, 40), Said(10, 0, 4, 20), Said(12, 1, 4, 30)], data=None)
@example(said=[Said(1, 1, 4), Said(2, 0, 4, NEVER_YET), Said(3, 1, 4)], data=None)
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
    entity = entity_that_heard([*said, Said(61, 0, Authority.APPLICATION)])
    say(entity, VALUES[1], minute=90, authority=Authority.INFERENCE, evidence=(event("late"),))
    live = Atom.objects.for_entity(entity).live().get()
    assert (live.value, live.authority, live.last_seen_at) == (VALUES[0], Authority.APPLICATION, at(61))
