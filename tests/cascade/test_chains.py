"""Which atom of a chain holds: authority, then time, then order; never arrival."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.chains import Link, Place, settle_chain

NOON = datetime(2026, 6, 2, 12, 0, tzinfo=UTC)
INFERENCE, USER, TOOL = 1, 2, 3
LATE = 100
"""A minute after all that is told here."""


def link(
    number: int,
    *,
    authority: int = USER,
    minute: int | None = None,
    order: int | None = None,
    says: str = "",
    begins: int | None = None,
    until: int | None = None,
) -> Link:
    return Link(
        UUID(int=number),
        authority,
        at(number if minute is None else minute),
        number if order is None else order,
        says=says,
        begins=None if begins is None else at(begins),
        until=None if until is None else at(until),
    )


def at(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def settled(*links: Link, now: int = LATE) -> list[tuple[int, str, int | None]]:
    """Number, state and successor of each."""
    places = settle_chain(links, present=at(now))
    return [
        (row.int, place.state, place.superseded_by.int if place.superseded_by else None)
        for row, place in sorted(places.items(), key=lambda pair: pair[0].int)
    ]


def test_an_empty_chain_has_no_places() -> None:
    assert settled() == []


def test_the_latest_holds_and_each_earlier_one_names_what_took_its_place() -> None:
    assert settled(link(1), link(2), link(3)) == [
        (1, "superseded", 2),
        (2, "superseded", 3),
        (3, "live", None),
    ]


def test_later_words_of_a_lower_authority_are_contested_and_win_nothing() -> None:
    assert settled(link(1, authority=TOOL), link(2, authority=USER), link(3, authority=INFERENCE)) == [
        (1, "live", None),
        (2, "contested", None),
        (3, "contested", None),
    ]


def test_earlier_words_of_a_lower_authority_are_history() -> None:
    assert settled(link(1, authority=INFERENCE), link(2, authority=TOOL)) == [
        (1, "superseded", 2),
        (2, "live", None),
    ]


def test_later_words_of_a_lower_authority_that_agree_are_not_contested() -> None:
    assert settled(
        link(1, authority=TOOL, says="tea"), link(2, says="tea"), link(3, says="coffee"), link(4, says="")
    ) == [(1, "live", None), (2, "superseded", 1), (3, "contested", None), (4, "contested", None)]


def test_what_is_over_stands_in_the_way_of_nothing() -> None:
    ended, during, after = link(1, authority=TOOL, until=4), link(3), link(5)
    assert settled(ended, during, now=3) == [(1, "live", None), (3, "contested", None)]
    assert settled(ended, during, now=4) == [(1, "superseded", 3), (3, "live", None)]
    assert settled(ended, during, after) == [(1, "superseded", 3), (3, "superseded", 5), (5, "live", None)]
    assert settled(ended, now=3) == [(1, "live", None)]
    assert settled(ended, now=4) == [(1, "superseded", None)]


def test_what_was_replaced_does_not_come_back_when_its_successor_is_over() -> None:
    assert settled(link(1), link(2, until=4)) == [(1, "superseded", 2), (2, "superseded", None)]
    assert settled(link(1), link(2, until=4), link(5, authority=INFERENCE)) == [
        (1, "superseded", 2),
        (2, "superseded", 5),
        (5, "live", None),
    ]


@pytest.mark.parametrize("until", [0, 5])
def test_a_report_of_what_was_over_before_it_was_said_is_history(until: int) -> None:
    assert settled(link(1), link(9, authority=TOOL, until=until)) == [(1, "live", None), (9, "superseded", 1)]


def test_what_has_not_begun_stands_beside_what_holds() -> None:
    monthly, annual = link(1), link(2, begins=9)
    assert settled(annual, now=8) == [(2, "contested", None)]
    assert settled(monthly, annual, now=8) == [(1, "live", None), (2, "contested", None)]
    assert settled(monthly, annual, now=9) == [(1, "superseded", 2), (2, "live", None)]


def test_what_is_said_before_a_plan_begins_does_not_keep_it_out() -> None:
    plan, between, after = link(2, begins=9), link(5), link(12)
    assert settled(plan, between, now=8) == [(2, "contested", None), (5, "live", None)]
    assert settled(plan, between) == [(2, "live", None), (5, "superseded", 2)]
    assert settled(plan, after) == [(2, "superseded", 12), (12, "live", None)]


def test_of_two_plans_for_one_time_the_later_said_holds() -> None:
    assert settled(link(1, begins=9), link(2, begins=9)) == [(1, "superseded", 2), (2, "live", None)]


def test_a_plan_moves_when_it_is_told_anew_before_it_begins() -> None:
    plan, moved = link(1, begins=5, says="tea"), link(3, begins=9, says="tea")
    assert settled(plan, moved, now=6) == [(1, "superseded", None), (3, "contested", None)]
    other, too_late = link(4, begins=9, says="coffee"), link(6, begins=9, says="tea")
    assert settled(plan, other, now=6) == [(1, "live", None), (4, "contested", None)]
    assert settled(plan, too_late, now=6) == [(1, "live", None), (6, "contested", None)]


def test_a_plan_of_less_authority_is_contested_when_it_begins() -> None:
    assert settled(link(1, authority=TOOL), link(2, begins=9)) == [(1, "live", None), (2, "contested", None)]


def test_words_of_one_instant_are_ordered_by_their_making() -> None:
    assert settled(link(1, minute=0, order=7), link(2, minute=0, order=9)) == [
        (1, "superseded", 2),
        (2, "live", None),
    ]


minutes = st.integers(0, 6)
links_strategy = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.integers(0, 3),
        st.sampled_from(["", "a", "b"]),
        st.none() | minutes,
        st.none() | minutes,
    ),
    min_size=1,
    max_size=5,
).map(
    lambda rows: [
        link(at + 1, authority=row[0], minute=row[1], says=row[2], begins=row[3], until=row[4])
        for at, row in enumerate(rows)
    ]
)


@given(links_strategy, minutes)
@settings(max_examples=80, deadline=None)
def test_every_order_of_arrival_gives_the_same_places(links: list[Link], now: int) -> None:
    found = {
        tuple(sorted(settle_chain(order, present=at(now)).items(), key=lambda pair: pair[0].int))
        for order in permutations(links)
    }
    [places] = [dict(one) for one in found]
    live = [entry for entry in links if places[entry.id].state == "live"]
    assert len(live) <= 1
    assert all(_holds_at(entry, at(now)) for entry in live)
    lasting = [entry for entry in links if entry.begins is None]
    if lasting and all(entry.until is None for entry in links):
        assert len(live) == 1
    assert all(_is_consistent(row, place, places, links) for row, place in places.items())


def _holds_at(entry: Link, moment: datetime) -> bool:
    has_begun = entry.begins is None or entry.begins <= moment
    return has_begun and (entry.until is None or moment < entry.until)


def _is_consistent(row: UUID, place: Place, places: dict[UUID, Place], links: list[Link]) -> bool:
    times = {entry.id: entry.time for entry in links}
    if place.state != "superseded" or place.superseded_by is None:
        return place.superseded_by is None
    successor = place.superseded_by
    if places[successor].state == "contested":
        return False
    # What agrees with the head, or had ended, may have been said after it.
    return times[successor] > times[row] or places[successor].state == "live"
