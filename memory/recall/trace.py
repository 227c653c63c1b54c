"""Receipts, followed: from any record down to the words it rests on, or up to what rests on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from uuid import UUID

from memory.models import Entity
from memory.recall.finding import find
from memory.recall.records import Candidate, TraceNode, TraceTree
from memory.recall.short_ids import read_id
from memory.recall.trace_down import DOWN
from memory.recall.trace_up import UP


class NoRecordError(LookupError):
    """The entity has no record with such an id."""


class AmbiguousIdError(LookupError):
    """Several records have such an id; `candidates` are all of them, or the first ones."""

    def __init__(self, candidates: tuple[Candidate, ...]) -> None:
        super().__init__(f"{len(candidates)} records have such an id.")
        self.candidates = candidates


Walk = Callable[[Entity, UUID], TraceNode]


def trace(entity: Entity, id_part: str) -> TraceTree:
    """Everything that a message, atom, line, scene or trait rests on, down to the words.

    `id_part` is a whole id or at least four digits from its beginning or its end (see `short_ids`). An id of
    a version leads to that version. NoIdError, NoRecordError or AmbiguousIdError when it leads to nothing.
    """
    return TraceTree("down", _walk(entity, id_part, DOWN))


def uses(entity: Entity, id_part: str) -> TraceTree:
    """Everything that rests on a record, up to the persona; the same ids and errors as `trace`."""
    return TraceTree("up", _walk(entity, id_part, UP))


def _walk(entity: Entity, id_part: str, walks: Mapping[str, Walk]) -> TraceNode:
    found = find(entity, read_id(id_part))
    if not found:
        raise NoRecordError(f"No record of {entity.name} has the id {id_part}.")
    if len(found) > 1:
        raise AmbiguousIdError(found)
    return walks[found[0].kind](entity, found[0].id)
