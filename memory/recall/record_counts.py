"""How many messages and atoms entities have, from what was counted as they came and went."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from memory import queries
from memory.models import Layer


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """Of one entity."""

    messages: int = 0
    atoms_live: int = 0
    atoms_all: int = 0


NOTHING = RecordCounts()


def record_counts(workspace_id: UUID, entity_ids: Collection[UUID]) -> Mapping[UUID, RecordCounts]:
    """Of each entity that has records; one statement, as long for large memories as for small ones."""
    owners = {"workspace": workspace_id, "entities": queries.array(entity_ids)}
    [rows] = queries.kept_rows(("record_counts", owners))
    counts: dict[UUID, RecordCounts] = {}
    for entity, layer, heads, versions in rows:
        found = counts.get(entity, NOTHING)
        counts[entity] = (
            replace(found, messages=versions)
            if layer == Layer.MESSAGE
            else replace(found, atoms_live=heads, atoms_all=versions)
        )
    return counts
