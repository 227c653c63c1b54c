"""Which atom of a chain holds: by authority first, then by when the words were said, never by arrival."""

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
    until: datetime | None = None
    """From then on it holds no more, and stands in the way of nothing that is said then."""


@dataclass(frozen=True, slots=True)
class Place:
    """What an atom is in its chain, and what took its place."""

    state: State
    superseded_by: UUID | None


def settle_chain(links: Sequence[Link]) -> dict[UUID, Place]:
    """Place every atom of a chain; exactly one of a non-empty chain is live.

    The highest authority wins, the latest among equals; what had ended when another was said does not count.
    Later words of a lower authority are contested: they stand beside, and win nothing; where they agree with
    what holds there is nothing to contest. The result does not depend on the order of `links`.
    """
    if not links:
        return {}
    standing = [link for link in links if not _has_ended(link, links)] or links
    head = max(standing, key=lambda link: (link.authority, link.said_at, link.order))
    places = {head.id: Place("live", None)}
    successor = head
    for link in sorted(links, key=_time, reverse=True):
        if link is head:
            successor = head
        elif _time(link) < _time(head):
            places[link.id] = Place("superseded", successor.id)
            successor = link
        elif _agree(link, head) or link not in standing:
            places[link.id] = Place("superseded", head.id)
        else:
            places[link.id] = Place("contested", None)
    return places


def _has_ended(link: Link, links: Sequence[Link]) -> bool:
    """Whether another was said when this one held no more."""
    until = link.until
    return until is not None and any(other.said_at >= until for other in links if other is not link)


def _agree(one: Link, other: Link) -> bool:
    return bool(one.says) and one.says == other.says


def _time(link: Link) -> tuple[datetime, int]:
    return (link.said_at, link.order)
