"""What hangs together by evidence, as ids: for pages and pictures that show many rows at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from memory import queries
from memory.models import Entity


def connected(entity: Entity, **groups: Collection[UUID]) -> Mapping[str, frozenset[UUID]]:
    """For each group of rows: the rows themselves, all that rests on them, and all that they rest on.

    Rows are messages, atoms, lines and versions of traits. One statement for all groups.
    """
    given = [(name, id) for name, ids in groups.items() for id in ids]
    found: dict[str, set[UUID]] = {name: set() for name in groups}
    rows = queries.rows(
        "connected",
        sorts=[name for name, _ in given],
        ids=[id for _, id in given],
        workspace=entity.workspace_id,
        entity=entity.pk,
    )
    for name, id in rows:
        found[name].add(id)
    return {name: frozenset(ids) for name, ids in found.items()}
