"""The timeline of an entity: every layer's records in one order, newest first, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory import queries
from memory.models import Atom, Entity, Message
from memory.recall.timeline_records import (
    COLLECTIONS,
    Collection,
    Place,
    TimelineRecord,
    records_of,
    statements_of,
)

MESSAGE_TYPES = tuple(Message.Role.values)
MEMORY_TYPES = tuple(Atom.Kind.values)
SCENE_TYPE = "scene"
TRAIT_TYPE = "trait"
TYPES: Mapping[Collection, tuple[str, ...]] = {
    "messages": MESSAGE_TYPES,
    "memories": MEMORY_TYPES,
    "scenes": (SCENE_TYPE,),
    "persona": (TRAIT_TYPE,),
}
LARGEST_SEQUENCE_NUMBER = 2**63 - 1
REMEMBERED_TEXTS = 128


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """What to show. Empty types mean all; `before` is the sequence number that a page ended with."""

    collections: tuple[Collection, ...] = COLLECTIONS
    types: tuple[str, ...] = ()
    is_history_shown: bool = False
    limit: int = 50
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many records of a collection hold now, and how many there are with their history."""

    heads: int
    versions: int


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Records newest first; `next_before` leads to older ones, None at the end."""

    records: tuple[TimelineRecord, ...]
    next_before: int | None
    counts: Mapping[Collection, Counts]


def read_timeline(entity: Entity, request: TimelineRequest) -> TimelinePage:
    """One page, there and back twice: where its records are; then all of them, with the counts."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    [places] = queries.kept_texts((_places_within(request.limit + 1), _wanted(entity, request)))
    shown: list[Place] = places[: request.limit]
    asked = statements_of(entity, shown)
    # The counts are last: they take longest in a large memory, while the records come in already.
    *rows, counts = queries.kept_rows(*asked.values(), ("timeline_counts", owner))
    return TimelinePage(
        records=tuple(records_of(entity, dict(zip(asked, rows, strict=True)))),
        next_before=shown[-1][0] if len(places) > len(shown) else None,
        counts=_counts(counts),
    )


def _counts(rows: Iterable[Sequence[Any]]) -> dict[Collection, Counts]:
    """In the order of the layers: the server may count the quickest first."""
    found = {collection: Counts(heads, versions) for collection, heads, versions in rows}
    return {collection: found[collection] for collection in COLLECTIONS}


@lru_cache(REMEMBERED_TEXTS)
def _places_within(most: int) -> str:
    """The query of so many places; one more than are shown tells whether older ones follow."""
    return queries.with_literals(queries.statement("timeline_places"), {"most": most})


def _wanted(entity: Entity, request: TimelineRequest) -> dict[str, object]:
    """What is to be shown, as the query takes it."""
    types = set(request.types)
    return {
        "workspace": entity.workspace_id,
        "entities": queries.array([entity.pk]),
        "collections": [name for name in request.collections if not types or types & set(TYPES[name])],
        "types": list(request.types) or None,
        "history": request.is_history_shown,
        "before": LARGEST_SEQUENCE_NUMBER if request.before is None else request.before,
    }
