"""What a person decided in a chain counts for more than all that was said before, whoever said it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memory.cascade.rules.chains import Link, settle_chain

NOON = datetime(2026, 6, 2, 12, tzinfo=UTC)


def at(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def link(
    number: int, authority: int, minute: int, *, is_ruling: bool = False, until: int | None = None
) -> Link:
    ends = None if until is None else at(until)
    return Link(UUID(int=number), authority, at(minute), number, until=ends, is_ruling=is_ruling)


def states(*links: Link) -> list[str]:
    places = settle_chain(links, present=at(60))
    return [places[one.id].state for one in links]


def test_weightier_words_said_before_give_way() -> None:
    assert states(link(1, 4, 0), link(2, 2, 5, is_ruling=True)) == ["superseded", "live"]


def test_later_words_of_the_same_authority_replace_it() -> None:
    assert states(link(1, 4, 0), link(2, 2, 5, is_ruling=True), link(3, 2, 6)) == [
        "superseded",
        "superseded",
        "live",
    ]


def test_later_words_of_less_authority_are_contested() -> None:
    assert states(link(1, 2, 5, is_ruling=True), link(2, 1, 6)) == ["live", "contested"]


def test_what_it_replaced_does_not_come_back_when_it_is_over() -> None:
    assert states(link(1, 4, 0), link(2, 2, 5, is_ruling=True, until=30)) == ["superseded", "superseded"]


LINKS = st.lists(
    st.builds(
        link,
        st.integers(1, 10_000),
        st.integers(1, 4),
        st.integers(0, 50),
        is_ruling=st.booleans(),
        until=st.none() | st.integers(51, 70),
    ),
    max_size=8,
    unique_by=lambda one: one.id,
)


@given(links=LINKS, shuffle=st.randoms())
def test_nothing_said_before_a_decision_holds_and_order_does_not_matter(
    links: list[Link], shuffle: object
) -> None:
    places = settle_chain(links, present=at(60))
    shuffled = list(links)
    shuffle.shuffle(shuffled)  # type: ignore[attr-defined]
    assert settle_chain(shuffled, present=at(60)) == places
    live = [one for one in links if places[one.id].state == "live"]
    latest = max((one.time for one in links if one.is_ruling), default=None)
    assert len(live) <= 1
    assert all(latest is None or one.time >= latest for one in live)
