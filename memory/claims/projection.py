"""What an atom becomes in the graph: pure rules, so that the graph follows from atoms and policies alone."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from memory.claims.relations import read_relation

KIND_LIMIT = 64
IDENTIFIER_LIMIT = 256
NAMED = "name"
"""The kind of what is known by its name in somebody's words alone; claims say what a thing is."""
INSTRUCTION = "instruction"


@dataclass(frozen=True, slots=True)
class Thing:
    """What a node stands for."""

    kind: str
    identifier: str


@dataclass(frozen=True, slots=True)
class AtomFacts:
    """An atom, as far as its edge depends on it."""

    id: UUID
    status: str
    kind: str
    text: str
    subject: str
    claimed: Thing | None
    """The subject of a claim; None for any other atom."""
    predicate: str
    value: Any
    is_live_reference: bool
    """Its value is fetched when it is needed: nothing of it is kept."""
    valid_from: datetime | None
    valid_until: datetime | None
    happened_from: date | None
    said_at: datetime
    """When its words were said first, or else when it was stored."""
    successor: AtomFacts | None = None
    """What took its place."""


@dataclass(frozen=True, slots=True)
class EdgeDraft:
    """An edge as it should stand: to another thing, or to a value."""

    atom: UUID
    subject: Thing
    predicate: str
    object: Thing | None
    value: Any
    valid_from: datetime | None
    """None where it is not known; the same for the end of what holds."""
    valid_until: datetime | None


def node_id(entity: UUID, thing: Thing) -> UUID:
    """The same for the same thing of an entity, whenever and by whomever it is written."""
    return uuid.uuid5(entity, f"node:{len(thing.kind)}:{thing.kind}:{thing.identifier}")


def edge_id(entity: UUID, atom: UUID) -> UUID:
    """An atom has at most one edge, so the atom names it."""
    return uuid.uuid5(entity, f"edge:{atom}")


def project(atom: AtomFacts, *, is_projected: Callable[[str], bool]) -> EdgeDraft | None:
    """The edge of an atom, or None; `is_projected` says of a predicate whether its claims become edges.

    Live and superseded atoms have one, contested and retracted ones do not. What was superseded ends when its
    successor began; where nobody knows when that was, or it never held at all, there is no edge.
    """
    statement = _statement(atom, is_projected)
    period = _period(atom)
    if statement is None or period is None:
        return None
    subject, predicate, target = statement
    thing = target if isinstance(target, Thing) else None
    value = None if thing else target
    return EdgeDraft(atom.id, subject, predicate, thing, value, *period)


def _statement(atom: AtomFacts, is_projected: Callable[[str], bool]) -> tuple[Thing, str, Any] | None:
    """Subject, predicate, and a thing or a value."""
    if atom.claimed is not None:
        if atom.is_live_reference or atom.value is None or not is_projected(atom.predicate):
            return None
        return atom.claimed, atom.predicate, named_thing(atom.value) or atom.value
    if atom.kind == INSTRUCTION:
        return None
    relation = read_relation(atom.text, subject=atom.subject)
    if relation is None:
        return None
    return Thing(NAMED, relation.subject), relation.predicate, Thing(NAMED, relation.object)


def named_thing(value: Any) -> Thing | None:
    """The thing that a value names by `kind` and `identifier` (or `id`), else None; more may stand beside."""
    if not isinstance(value, Mapping):
        return None
    kind, identifier = value.get("kind"), value.get("identifier", value.get("id"))
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    if not isinstance(kind, str) or not isinstance(identifier, str):
        return None
    thing = Thing(kind.strip(), identifier.strip())
    is_whole = 0 < len(thing.kind) <= KIND_LIMIT and 0 < len(thing.identifier) <= IDENTIFIER_LIMIT
    return thing if is_whole else None


def _period(atom: AtomFacts) -> tuple[datetime | None, datetime | None] | None:
    """From when until when it holds; None when it does not stand, or never held."""
    began: datetime | None = began_at(atom)
    if atom.valid_from is None and atom.valid_until is not None and atom.valid_until <= atom.said_at:
        # It was over before anybody spoke of it: since when it held is not known.
        began = None
    if atom.status == "live":
        return began, atom.valid_until
    if atom.status != "superseded":
        return None
    # A claim whose time was over has no successor.
    ends = [began_at(atom.successor)] if atom.successor is not None else []
    ends += [atom.valid_until] if atom.valid_until is not None else []
    ended = min(ends, default=None)
    return (began, ended) if ended is not None and (began is None or began < ended) else None


def began_at(atom: AtomFacts) -> datetime:
    """Since when it holds: as it says itself, else since it was said."""
    if atom.valid_from is not None:
        return atom.valid_from
    if atom.claimed is None and atom.happened_from is not None:
        return min(datetime.combine(atom.happened_from, time(), UTC), atom.said_at)
    return atom.said_at
