"""The timeline of an entity: every layer's records in one order, newest first, page by page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Model, Q, QuerySet, Value

from memory import queries
from memory.models import Atom, Entity, Message, Scene, SceneVersion, Trait, TraitVersion
from memory.recall.timeline_records import COLLECTIONS, READERS, Collection, TimelineRecord

Place = tuple[int, Collection, UUID]
"""A record's number in the one sequence, its layer and its id."""

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

HEADS: Mapping[Collection, Q] = {
    "messages": Q(),
    "memories": Q(status=Atom.Status.LIVE),
    "scenes": Q(is_head=True, scene__status=Scene.Status.LIVE),
    "persona": Q(is_head=True, trait__status=Trait.Status.LIVE),
}


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
    """One page in a number of statements that depends on neither its length nor the size of the memory."""
    places = _places(entity, request)
    shown = places[: request.limit]
    records = _records(entity, shown)
    return TimelinePage(
        records=tuple(sorted(records, key=lambda record: -record.seq)),
        next_before=shown[-1][0] if len(places) > len(shown) else None,
        counts=_counts(entity),
    )


def _rows(entity: Entity, collection: Collection) -> QuerySet[Model]:
    tables: Mapping[Collection, QuerySet[Model]] = {
        "messages": Message.objects.for_entity(entity),
        "memories": Atom.objects.for_entity(entity),
        "scenes": SceneVersion.objects.for_entity(entity),
        "persona": TraitVersion.objects.for_entity(entity),
    }
    return tables[collection]


def _places(entity: Entity, request: TimelineRequest) -> list[Place]:
    """Where the page's records are, and one more when older ones follow: one statement over four indexes."""
    arms = [
        _arm(entity, request, collection)
        for collection in request.collections
        if not request.types or set(request.types) & set(TYPES[collection])
    ]
    if not arms:
        return []
    first, *others = arms
    union = first.union(*others, all=True).order_by("-seq") if others else first
    return list(union[: request.limit + 1])


def _arm(entity: Entity, request: TimelineRequest, collection: Collection) -> QuerySet[Model, Place]:
    rows = _rows(entity, collection).filter(_of_types(collection, request.types))
    if not request.is_history_shown:
        rows = rows.filter(HEADS[collection])
    if request.before is not None:
        rows = rows.filter(seq__lt=request.before)
    named = rows.annotate(collection=Value(collection)).order_by("-seq")
    places: QuerySet[Model, Place] = named.values_list("seq", "collection", "pk")
    return places[: request.limit + 1]


def _of_types(collection: Collection, types: Sequence[str]) -> Q:
    if types and collection == "messages":
        return Q(role__in=types)
    if types and collection == "memories":
        return Q(kind__in=types)
    return Q()


def _records(entity: Entity, places: Sequence[Place]) -> list[TimelineRecord]:
    ids: dict[Collection, list[UUID]] = defaultdict(list)
    for _, collection, id in places:
        ids[collection].append(id)
    return [record for collection, wanted in ids.items() for record in READERS[collection](entity, wanted)]


def _counts(entity: Entity) -> dict[Collection, Counts]:
    """Heads and versions of each collection, in one statement."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    [found] = queries.kept_rows(("timeline_counts", owner))
    return {collection: Counts(heads, versions) for collection, heads, versions in found}
