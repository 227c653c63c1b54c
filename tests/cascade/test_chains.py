"""Which atom of a chain holds: authority, then time, then order; never arrival."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.chains import Link, Place, settle_chain

NOON = datetime(2026, 6, 2, 12, 0, tzinfo=UTC)
INFERENCE, USER, TOOL = 1, 2, 3


def link(
    number: int,
    *,
    authority: int = USER,
    minute: int | None = None,
    order: int | None = None,
    says: str = "",
    until: int | None = None,
) -> Link:
    return Link(
        UUID(int=number),
        authority,
        NOON + timedelta(minutes=number if minute is None else minute),
        number if order is None else order,
        says=says,
        until=None if until is None else NOON + timedelta(minutes=until),
    )


def settled(*links: Link) -> list[tuple[int, str, int | None]]:
    places = settle_chain(links)
    return [
        (row.int, place.state, place.superseded_by.int if place.superseded_by else None)
        for row, place in sorted(places.items(), key=lambda pair: pair[0].int)
    ]


def test_an_empty_chain_has_no_places() -> None:
    assert settle_chain([]) == {}


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


def test_what_had_ended_when_another_was_said_does_not_count() -> None:
    ended, during, after = link(1, authority=TOOL, until=4), link(3), link(5)
    assert settled(ended, during) == [(1, "live", None), (3, "contested", None)]
    assert settled(ended, during, after) == [(1, "superseded", 3), (3, "superseded", 5), (5, "live", None)]
    assert settled(ended) == [(1, "live", None)]


def test_a_report_of_what_had_ended_before_is_history() -> None:
    assert settled(link(1), link(9, authority=TOOL, until=0)) == [(1, "live", None), (9, "superseded", 1)]


def test_words_of_one_instant_are_ordered_by_their_making() -> None:
    assert settled(link(1, minute=0, order=7), link(2, minute=0, order=9)) == [
        (1, "superseded", 2),
        (2, "live", None),
    ]


links_strategy = st.lists(
    st.tuples(
        st.integers(1, 4), st.integers(0, 3), st.sampled_from(["", "a", "b"]), st.none() | st.integers(0, 4)
    ),
    min_size=1,
    max_size=5,
).map(
    lambda rows: [
        link(at + 1, authority=row[0], minute=row[1], says=row[2], until=row[3])
        for at, row in enumerate(rows)
    ]
)


@given(links_strategy)
@settings(max_examples=60, deadline=None)
def test_every_order_of_arrival_gives_the_same_places_and_one_live_atom(links: list[Link]) -> None:
    found = {
        tuple(sorted(settle_chain(order).items(), key=lambda pair: pair[0].int))
        for order in permutations(links)
    }
    [places] = [dict(one) for one in found]
    assert [place.state for place in places.values()].count("live") == 1
    assert all(_is_consistent(row, place, places, links) for row, place in places.items())


def _is_consistent(row: UUID, place: Place, places: dict[UUID, Place], links: list[Link]) -> bool:
    times = {entry.id: (entry.said_at, entry.order) for entry in links}
    if place.state != "superseded":
        return place.superseded_by is None
    successor = place.superseded_by
    if successor is None or places[successor].state == "contested":
        return False
    # What agrees with the head, or had ended, may have been said after it.
    return times[successor] > times[row] or places[successor].state == "live"
