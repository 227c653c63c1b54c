"""The index step: what waits in the queue becomes units, then vectors. Words first: they need no model.

An embedder that is down stops no text search: what lacks a vector stays in the queue and is tried again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from memory import queries
from memory.indexing.drafts import Draft, Key, draw_drafts
from memory.indexing.languages import languages_of
from memory.indexing.units import COLUMN, replace_units, units_of
from memory.indexing.vector_index import wants_vector_index
from memory.indexing.vectors import current_space, write_vectors
from memory.indexing.wakeups import send_vector_index
from memory.llm.choosing import may_embed
from memory.llm.embedders.protocol import Embedder, EmbeddingError
from memory.llm.embedders.registry import configured_embedder
from memory.models import Entity, Layer, SearchUnit, Unindexed

TERMS_BATCH = 256
VECTORS_BATCH = 64
SECONDS = 60.0
COUNT_CHANGES_KEPT = 100
"""So many changes of an entity's counts are added up whenever somebody reads; more of them become one."""

logger = logging.getLogger(__name__)


def index_entity(
    *,
    entity_id: UUID,
    seconds: float = SECONDS,
    embedder: Embedder | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Index what waits of an entity until nothing does or the time is up; gives the rows worked on.

    The settings choose the embedder unless one is given; without any, units are found by words alone.
    """
    entity = Entity.objects.visible().filter(pk=entity_id).first()
    if entity is None:
        return 0
    embedder = embedder or _embedder_of(entity)
    ends = time.monotonic() + seconds
    done = 0
    while time.monotonic() < ends and (count := index_terms(entity, wants_vectors=embedder is not None)):
        done += count
        progress(count)
    while embedder and time.monotonic() < ends and (count := index_vectors(entity, embedder)):
        done += count
        progress(count)
    if embedder and done:
        _ask_for_vector_index(entity, embedder)
    return done


def _embedder_of(entity: Entity) -> Embedder | None:
    """The embedder of the settings; none for words that it may not see."""
    return configured_embedder() if may_embed(entity.workspace_id) else None


def _ask_for_vector_index(entity: Entity, embedder: Embedder) -> None:
    """Have one built for an entity that has grown large; a worker does it while others read and write."""
    try:
        space = current_space(embedder)
    except EmbeddingError:
        return
    if wants_vector_index(entity, space):
        send_vector_index(workspace_id=entity.workspace_id, entity_id=entity.pk, space_id=space.pk)


def index_terms(entity: Entity, *, wants_vectors: bool) -> int:
    """One batch of the queue becomes units; what wants a vector stays in line for it."""
    with transaction.atomic(durable=True):
        if not queries.one("lock_indexing", entity=entity.pk)[0]:
            return 0
        waiting = list(
            Unindexed.objects.for_entity(entity).filter(has_terms=False).order_by("id")[:TERMS_BATCH]
        )
        if not waiting:
            return 0
        keys = dict.fromkeys((Layer(row.layer), row.row) for row in waiting)
        drafts = draw_drafts(entity, _by_layer(keys))
        replace_units(entity, keys, drafts, languages_of(entity, drafts))
        _leave_queue(waiting, drafts if wants_vectors else ())
        owner = {"workspace": entity.workspace_id, "entity": entity.pk}
        queries.run("sum_record_counts", **owner, most=COUNT_CHANGES_KEPT)
    return len(waiting)


def _by_layer(keys: Sequence[Key] | dict[Key, None]) -> dict[Layer, list[UUID]]:
    rows: dict[Layer, list[UUID]] = {}
    for layer, row in keys:
        rows.setdefault(layer, []).append(row)
    return rows


def _leave_queue(waiting: Sequence[Unindexed], wanting: Sequence[Draft]) -> None:
    """Take the batch out of the queue; one place a row stays for what wants a vector."""
    drawn = {(draft.layer, draft.row) for draft in wanting}
    last = {(Layer(row.layer), row.row): row.pk for row in waiting}
    staying = {pk for key, pk in last.items() if key in drawn}
    Unindexed.objects.filter(pk__in=staying).update(has_terms=True)
    Unindexed.objects.filter(pk__in={row.pk for row in waiting} - staying).delete()


def index_vectors(entity: Entity, embedder: Embedder) -> int:
    """One batch of units gets its vectors; 0 when none waits or the embedder does not answer."""
    waiting = list(Unindexed.objects.for_entity(entity).filter(has_terms=True).order_by("id")[:VECTORS_BATCH])
    if not waiting:
        return 0
    keys = dict.fromkeys((Layer(row.layer), row.row) for row in waiting)
    epoch = _epoch_of(entity)
    drafts = draw_drafts(entity, _by_layer(keys))
    try:
        vectors: Iterable[Any] = embedder.embed([draft.meaning for draft in drafts]) if drafts else []
        space = current_space(embedder)
    except EmbeddingError as error:
        # They stay in line and are found by words; the sweep comes again.
        logger.warning("no vectors for %s: %s", entity.pk, error.kind)
        return 0
    with transaction.atomic(durable=True):
        # Else another indexer could replace the units between their reading and the commit.
        queries.one("wait_for_indexing", entity=entity.pk)
        if _epoch_of(entity) != epoch:
            # Some of the words were erased meanwhile: what they mean is not kept; the rest waits on.
            return len(waiting)
        meant = {
            (draft.layer, draft.row, draft.section): vector
            for draft, vector in zip(drafts, vectors, strict=True)
        }
        found = [
            (unit, meant[_identity(unit)]) for unit in units_of(entity, keys) if _identity(unit) in meant
        ]
        write_vectors(entity, space, found)
        Unindexed.objects.filter(pk__in=[row.pk for row in waiting]).delete()
    return len(waiting)


def _epoch_of(entity: Entity) -> int | None:
    """The erase epoch as it stands, None once the entity is gone."""
    return Entity.objects.filter(pk=entity.pk).values_list("erase_epoch", flat=True).first()


def _identity(unit: SearchUnit) -> tuple[Layer, UUID, str]:
    layer = Layer(unit.layer)
    return (layer, getattr(unit, COLUMN[layer]), unit.section)


def queue_missing_vectors(entity: Entity, embedder: Embedder) -> int:
    """Put units that have no vector in the embedder's space in line; gives how many wait then."""
    queries.run(
        "queue_missing_vectors",
        workspace=entity.workspace_id,
        entity=entity.pk,
        space=current_space(embedder).pk,
    )
    return Unindexed.objects.for_entity(entity).count()
