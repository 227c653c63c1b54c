"""Which atom of a chain holds: by authority first, then by when the words took effect, never by arrival."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

State = Literal["live", "superseded", "contested"]


@dataclass(frozen=True, slots=True)
class Link:
    """An atom of a chain, as far as its place matters."""

    id: UUID
    authority: int
    said_at: datetime
    order: int
    """Breaks ties between words of one instant: the later made is the later."""
    says: str = ""
    """Links that say the same agree, whoever stands behind them; empty: it agrees with no other."""
    begins: datetime | None = None
    """Before that it does not hold; None: since it was said."""
    until: datetime | None = None
    """From then on it holds no more."""
    is_ruling: bool = False
    """A person decided it: whatever was said before gives way, whoever said it."""

    @property
    def time(self) -> tuple[datetime, datetime, int]:
        """What orders a chain: since when its words count, and of two at once which was said later."""
        return (max(self.said_at, self.begins or self.said_at), self.said_at, self.order)

    @property
    def is_plan(self) -> bool:
        """Whether it did not hold yet when it was said."""
        return self.begins is not None and self.begins > self.said_at


@dataclass(frozen=True, slots=True)
class Place:
    """What an atom is in its chain, and what took its place."""

    state: State
    superseded_by: UUID | None


def settle_chain(links: Sequence[Link], *, present: datetime) -> dict[UUID, Place]:
    """Place every atom of a chain as things stand at `present`; at most one is live.

    Of those that have begun and are not over the highest authority wins, the latest among equals. Later words
    of a lower authority are contested: they stand beside, and win nothing; where they agree with what holds
    there is nothing to contest. What has not begun is contested as well, unless whoever said it named another
    time for it meanwhile. What was replaced does not come back when its successor is over. The result does
    not depend on the order of `links`.

    What a person decided counts for more than all that was said before it; later words are weighed as usual.
    """
    places = {link.id: Place("contested", None) for link in links}
    moved = _moved(links)
    places |= dict.fromkeys(moved, Place("superseded", None))
    begun = [
        link for link in links if link.id not in moved and (link.begins is None or link.begins <= present)
    ]
    standing = _standing(begun, present)
    head = max(standing.values(), key=lambda link: (link.authority, link.time), default=None)
    successor: Link | None = None
    for link in sorted(begun, key=lambda link: link.time, reverse=True):
        if link is head:
            places[link.id] = Place("live", None)
            successor = link
        elif head is None or link.time < head.time:
            places[link.id] = Place("superseded", successor.id if successor else None)
            successor = link
        elif _agree(link, head) or link.id not in standing:
            places[link.id] = Place("superseded", head.id)
    return places


def _moved(links: Sequence[Link]) -> set[UUID]:
    """Plans that were given another time while nothing had come of them."""
    plans = [link for link in links if link.is_plan]
    return {plan.id for plan in plans if any(_moves(other, plan) for other in plans)}


def _moves(other: Link, plan: Link) -> bool:
    return (
        _agree(other, plan)
        and other.authority == plan.authority
        and (plan.said_at, plan.order) < (other.said_at, other.order)
        and other.said_at < plan.time[0]
    )


def _standing(begun: Sequence[Link], present: datetime) -> dict[UUID, Link]:
    """What may hold: neither over, nor replaced by what is over by now or by what a person decided."""
    over = {link.id: link for link in begun if link.until is not None and link.until <= present}
    ruled = max((link.time for link in begun if link.is_ruling), default=None)
    # A report of what had been over before it was said replaces nothing.
    held = [link for link in over.values() if link.until is not None and link.until > link.time[0]]
    latest: dict[int, tuple[datetime, datetime, int]] = {}
    for link in held:
        latest[link.authority] = max(link.time, latest.get(link.authority, link.time))

    def is_replaced(link: Link) -> bool:
        if ruled is not None and link.time < ruled:
            return True
        return any(rank >= link.authority and link.time < time for rank, time in latest.items())

    return {link.id: link for link in begun if link.id not in over and not is_replaced(link)}


def _agree(one: Link, other: Link) -> bool:
    return bool(one.says) and one.says == other.says
