"""The outbox, read in threads: each call takes a connection from the pool and gives it back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection

from memory import queries
from memory.events.frames import Event
from memory.events.places import Place
from memory.models import Outbox

ROWS_AT_ONCE = 500

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Opened:
    """What a key opens now."""

    is_everything: bool
    entities: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The oldest transaction that is open, and the next one."""

    oldest_open: int
    next: int


def with_connection(read: Callable[[], Result]) -> Result:
    """Read, and let the connection go: the thread is one of many, and may not be asked again."""
    try:
        return read()
    finally:
        connection.close()


def bounds() -> Bounds:
    """Below which everything has been seen, and above which nothing has been written."""
    return Bounds(*map(int, queries.one("events_floor")))


def next_events(after: Place, *, rows: int = ROWS_AT_ONCE) -> list[Event]:
    """Events of everybody after a place, in order."""
    found = queries.rows("events_next", transaction=str(after.transaction), id=after.id, rows=rows)
    return [_event(row) for row in found]


def events_of(
    workspace_id: UUID, entities: Collection[UUID] | None, after: Place, *, rows: int = ROWS_AT_ONCE
) -> list[Event]:
    """The same of some entities, or of all that a workspace has and had."""
    found = queries.rows(
        "events_of_entities",
        workspace=workspace_id,
        entities=None if entities is None else list(entities),
        transaction=str(after.transaction),
        id=after.id,
        rows=rows,
    )
    return [_event(row) for row in found]


def open_keys(keys: Collection[UUID]) -> dict[UUID, Opened]:
    """Of some keys those that open anything still, and what."""
    found = queries.rows("events_open_keys", keys=list(keys))
    return {key: Opened(is_everything, frozenset(entities)) for key, is_everything, entities in found}


def _event(row: Sequence[Any]) -> Event:
    transaction, number, workspace_id, entity_id, name, kind, ids, at = row
    ids = queries.json_value(ids)
    is_last = entity_id is None
    owner = UUID(ids.pop("entity")) if is_last else entity_id
    return Event(Place(int(transaction), number), workspace_id, owner, name, is_last, kind, ids, at)


KINDS = frozenset(Outbox.Event.values)
