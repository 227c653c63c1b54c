"""A vector index of an entity's own, for one that has too many vectors to compare them all.

One index over all entities would starve the small ones, whose neighbours lie among those of others. A partial
one serves one entity and finds nearly all of its neighbours; a worker builds it while everybody reads and
writes. The catalogue of the database is the truth about which there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.backends.utils import CursorWrapper
from django.db.models import Sum
from psycopg import sql

from memory import queries
from memory.models import EmbeddingSpace, Entity, LayerCount

INDEXED_FROM_UNITS = 10_000
"""With fewer, comparing all takes less than 10 ms."""
NEIGHBOURS = 24
BUILD_WIDTH = 128
SEARCH_WIDTH, NARROW_SEARCH_WIDTH = 320, 240
"""Of the 100 nearest more than 95 are to be found; the defaults of pgvector (16, 64, 40) find fewer."""
NARROW_TO_UNITS = 50_000
"""Up to so many units the narrow search finds them too (97 of 20,000 vectors), in four fifths of the time."""

_PREPARE = (
    # Unless they are given to it, a build in the background takes no processors that searches need.
    "SET max_parallel_maintenance_workers = {helpers}",
    "SET maintenance_work_mem = {memory}",
    "SET statement_timeout = 0",
)
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended({index_name}, 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended({index_name}, 0))"
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass({index_name})"
_DROP = "DROP INDEX CONCURRENTLY IF EXISTS {index}"
_CREATE = """
    CREATE INDEX CONCURRENTLY {index} ON memory_unitvector
    USING hnsw ((embedding::halfvec({dimensions})) halfvec_cosine_ops)
    WITH (m = {neighbours}, ef_construction = {build_width})
    WHERE entity_id = {entity} AND space_id = {space}
"""
_ORPHANS = """
    SELECT relname FROM pg_class
    WHERE relkind = 'i' AND relname ~ '^near_[0-9a-f]{{32}}_[0-9]+$'
      AND NOT EXISTS (SELECT 1 FROM memory_entity WHERE id = substr(relname, 6, 32)::uuid)
"""


@dataclass(frozen=True, slots=True)
class NearIndex:
    """An index that can be used."""

    space_id: int
    dimensions: int
    search_width: int = SEARCH_WIDTH
    """How widely it is searched (`hnsw.ef_search`): its results are never more than this."""


def search_width(units: int) -> int:
    """How widely an index over so many units is searched."""
    return NARROW_SEARCH_WIDTH if units <= NARROW_TO_UNITS else SEARCH_WIDTH


def index_prefix(entity_id: UUID) -> str:
    """What the names of an entity's indexes begin with; the space's number follows."""
    return f"near_{entity_id.hex}_"


def wants_vector_index(entity: Entity, space: EmbeddingSpace) -> bool:
    """Whether the entity has passed the threshold and lacks a usable index in the space."""
    counts = LayerCount.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    units: int = counts.aggregate(units=Sum("units"))["units"] or 0
    if units < INDEXED_FROM_UNITS:
        return False
    counted = queries.rows(
        "search_counts",
        workspace=entity.workspace_id,
        entity=entity.pk,
        terms=[],
        index=index_prefix(entity.pk),
        layers=[],
        most_waiting=0,
    )
    return not any(sort == "near" and number == space.pk for sort, number, *_ in counted)


def build_vector_index(*, entity_id: UUID, space_id: int) -> bool:
    """Build the index of an entity in a space, without keeping anybody from reading or writing.

    Gives whether it was built: not when it is there, when somebody else is at it, or when entity or space are
    gone. What an interrupted build left is dropped first. Must not run inside a transaction. Raises
    ProgrammingError when neither the owner nor the application's role may change the table.
    """
    space = EmbeddingSpace.objects.filter(pk=space_id).first()
    if space is None or not Entity.objects.filter(pk=entity_id).exists():
        return False
    name = f"{index_prefix(entity_id)}{space_id}"
    embedding = settings.MEMSEEK.embedding
    literals = {
        "index": sql.Identifier(name),
        "index_name": name,
        "memory": f"{embedding.index_megabytes}MB",
        "helpers": embedding.index_workers,
        "neighbours": NEIGHBOURS,
        "build_width": BUILD_WIDTH,
        "dimensions": space.dimensions,
        "entity": entity_id,
        "space": space_id,
    }
    with queries.owner_cursor() as cursor:
        for statement in (*_PREPARE, _LOCK):
            cursor.execute(queries.with_literals(statement, literals))
        (is_ours,) = cursor.fetchone()
        cursor.execute(queries.with_literals(_IS_VALID, literals))
        if not is_ours or (True,) in cursor.fetchall():
            return False
        for statement in (_DROP, _CREATE):
            cursor.execute(queries.with_literals(statement, literals))
        _drop_orphans(cursor)
        # A server process outlives its closed connection for a moment, and would hold the lock as long.
        cursor.execute(queries.with_literals(_UNLOCK, literals))
    return True


def _drop_orphans(cursor: CursorWrapper) -> None:
    """Indexes of entities that are gone hold nothing, but every write would look at them."""
    cursor.execute(queries.with_literals(_ORPHANS, {}))
    for (name,) in cursor.fetchall():
        cursor.execute(queries.with_literals(_DROP, {"index": sql.Identifier(name)}))
