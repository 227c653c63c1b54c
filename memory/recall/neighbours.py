"""A record with its evidence in both directions, one step each way; `trace` follows it all the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from memory.models import Atom, Entity, Message
from memory.recall.listing import ListedAtom, listed_atom
from memory.recall.messages import ListedMessage, listed_message
from memory.recall.records import Layer, TraceNode
from memory.recall.short_ids import short_id
from memory.recall.trace import NoRecordError
from memory.recall.trace_down import DOWN
from memory.recall.trace_up import UP

NeighbourKind = Literal["message", "atom", "line", "scene", "trait", "digest", "correction", "outside"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A row that a record rests on, or one that rests on it."""

    layer: Layer | None
    """None for what lies beside the ladder: a digest, a correction, or something outside."""
    kind: NeighbourKind
    id: UUID | None
    """None for what is not stored here."""
    short_id: str
    text: str
    facts: Mapping[str, str]
    """What else is to be said about it, in the order of telling."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a record rests on, and what rests on it."""

    rests_on: tuple[Neighbour, ...]
    used_by: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class MessageWithEvidence:
    """A message, and what was taken from it."""

    message: ListedMessage
    evidence: Neighbours


@dataclass(frozen=True, slots=True)
class AtomWithEvidence:
    """An atom, the words it was taken from, and the lines that were written from it."""

    atom: ListedAtom
    evidence: Neighbours


def read_message(entity: Entity, id: UUID) -> MessageWithEvidence:
    """A message of the entity; NoRecordError. A number of statements that does not grow with its uses."""
    row = Message.objects.for_entity(entity).select_related("session").filter(pk=id).first()
    if row is None:
        raise NoRecordError(str(id))
    return MessageWithEvidence(listed_message(entity, row), _neighbours(entity, "message", id))


def read_atom(entity: Entity, id: UUID) -> AtomWithEvidence:
    """An atom of the entity; NoRecordError. A number of statements that does not grow with its receipts."""
    row = listed_atom(entity, id)
    if row is None:
        raise NoRecordError(str(id))
    return AtomWithEvidence(row, _neighbours(entity, "atom", id))


def _neighbours(entity: Entity, kind: str, id: UUID) -> Neighbours:
    try:
        below, above = DOWN[kind](entity, id), UP[kind](entity, id)
    except (Message.DoesNotExist, Atom.DoesNotExist) as error:
        # Erased since it was read.
        raise NoRecordError(str(id)) from error
    return Neighbours(tuple(map(_neighbour, below.children)), tuple(map(_neighbour, above.children)))


def _neighbour(node: TraceNode) -> Neighbour:
    shown = short_id(node.id) if node.id is not None else ""
    return Neighbour(node.layer, node.kind, node.id, shown, node.text, node.facts)
