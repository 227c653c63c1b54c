"""Entities and shares as JSON values."""

from __future__ import annotations

from typing_extensions import TypedDict

from memory.api.cursors import id_cursor, name_cursor
from memory.models import Entity
from memory.recall.entities import EntitiesPage, EntityRecord
from memory.stewardship.sharing import Direction, ShareRecord, SharesPage

ENTITIES, SHARES = "entities", "shares"


class EntitiesBody(TypedDict):
    """A page of entities, by name."""

    entities: tuple[EntityRecord, ...]
    next_after: str | None


class SharesBody(TypedDict):
    """A page of shares, in the order in which they were made."""

    entity: str
    direction: Direction
    shares: tuple[ShareRecord, ...]
    next_after: str | None


def entities_body(page: EntitiesPage) -> EntitiesBody:
    """The body of `/entities`."""
    return {"entities": page.entities, "next_after": name_cursor(ENTITIES, page.next_after)}


def shares_body(entity: Entity, direction: Direction, page: SharesPage) -> SharesBody:
    """The body of `/entities/{name}/shares`."""
    return {
        "entity": entity.name,
        "direction": direction,
        "shares": page.shares,
        "next_after": id_cursor(SHARES, page.next_after),
    }
