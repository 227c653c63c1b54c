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


@dataclass(frozen=True, slots=True)
class Place:
    """What an atom is in its chain, and what took its place."""

    state: State
    superseded_by: UUID | None


def settle_chain(links: Sequence[Link]) -> dict[UUID, Place]:
    """Place every atom of a chain; exactly one of a non-empty chain is live.

    The highest authority wins, the latest among equals. Later words of a lower authority are contested: they
    stand beside, and win nothing. The result does not depend on the order of `links`.
    """
    if not links:
        return {}
    head = max(links, key=lambda link: (link.authority, link.said_at, link.order))
    places = {head.id: Place("live", None)}
    successor = head
    for link in sorted(links, key=_time, reverse=True):
        if link is head:
            successor = head
        elif _time(link) > _time(head):
            places[link.id] = Place("contested", None)
        else:
            places[link.id] = Place("superseded", successor.id)
            successor = link
    return places


def _time(link: Link) -> tuple[datetime, int]:
    return (link.said_at, link.order)
