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

    @property
    def time(self) -> tuple[datetime, datetime, int]:
        """What orders a chain: since when its words count, and of two at once which was said later."""
        return (max(self.said_at, self.begins or self.said_at), self.said_at, self.order)


@dataclass(frozen=True, slots=True)
class Place:
    """What an atom is in its chain, and what took its place."""

    state: State
    superseded_by: UUID | None


def settle_chain(links: Sequence[Link], *, present: datetime) -> dict[UUID, Place]:
    """Place every atom of a chain as things stand at `present`; at most one is live.

    Of those that have begun and are not over the highest authority wins, the latest among equals. Later words
    of a lower authority are contested: they stand beside, and win nothing; where they agree with what holds
    there is nothing to contest. What has not begun stands beside as well. What was replaced does not come
    back when its successor is over. The result does not depend on the order of `links`.
    """
    begun = [link for link in links if link.begins is None or link.begins <= present]
    places = {link.id: Place("contested", None) for link in links}
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


def _standing(begun: Sequence[Link], present: datetime) -> dict[UUID, Link]:
    """What may hold: neither over, nor replaced by something that is over by now."""
    over = {link.id: link for link in begun if link.until is not None and link.until <= present}
    # A report of what had been over before it was said replaces nothing.
    held = [link for link in over.values() if link.until is not None and link.until > link.time[0]]
    replaced_until: dict[int, tuple[datetime, datetime, int]] = {}
    for link in held:
        replaced_until[link.authority] = max(link.time, replaced_until.get(link.authority, link.time))

    def is_replaced(link: Link) -> bool:
        return any(rank >= link.authority and link.time < time for rank, time in replaced_until.items())

    return {link.id: link for link in begun if link.id not in over and not is_replaced(link)}


def _agree(one: Link, other: Link) -> bool:
    return bool(one.says) and one.says == other.says
