"""Walking the graph: what is known about some things and what lies around them. Reads only, no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from memory import queries
from memory.claims.naming import names_word, share_named
from memory.claims.projection import NAMED, Thing, node_id
from memory.indexing.analyser import analyse, query_terms
from memory.indexing.units import hash_of
from memory.models import Authority, Entity
from memory.recall.hits import Hit

DEEPEST = 3
MOST_FACTS = 200
FAN_OUT = 25
"""Edges of a node that are followed, out and in; the newest."""
FRONTIER = 40
"""Nodes of a level from which the walk goes on."""
RECEIPTS_SHOWN = 10
MOST_NAMED = 12
"""Nodes that the words of a query may name."""
MOST_PREDICATES = 5
"""Predicates that a query may speak of."""
MOST_NAMES = 500
"""Kinds and predicates that a query is compared with."""
FEW_OF_A_KIND = 5
"""The kind of more things than these names none of them."""
WHOLE_ENOUGH = 0.5
"""So much of a name's words a query has to hold: `Caroline` names Caroline Smith, `New` no New York Inn."""
FOUND_ATOMS = 10
"""So many of the best atoms that a search found say where to begin."""


@dataclass(frozen=True, slots=True)
class Node:
    """A thing that is spoken of."""

    id: UUID
    kind: str
    identifier: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a fact rests on: a message or a correction by its id, or something outside with its authority."""

    kind: str
    reference: str
    authority: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """An edge, with the atom that says so."""

    id: UUID
    subject: Node
    predicate: str
    object: Node | None
    value: Any
    """None where there is an object."""
    valid_from: datetime | None
    valid_until: datetime | None
    atom: UUID
    text: str
    authority: str
    status: Literal["live", "superseded"]
    """`superseded` for what held at the time that was asked for and has been replaced since."""
    distance: int
    """Steps from where the walk began; 0 for what is said about that itself."""
    evidence: tuple[Receipt, ...]
    """At most ten, the first ones."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk begins: at nodes, at the edges of atoms, and at the newest edges of predicates."""

    nodes: tuple[UUID, ...] = ()
    atoms: tuple[UUID, ...] = ()
    predicates: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.atoms or self.predicates)


def seed_of(entity: Entity, *, kind: str, identifier: str) -> Seeds:
    """The thing itself, whether the graph knows it or not."""
    return Seeds(nodes=(node_id(entity.pk, Thing(kind, identifier)),))


def seeds_of(entity: Entity, query: str, hits: Iterable[Hit] = ()) -> Seeds:
    """What a query speaks of: things that it names, kinds of few things, predicates, and what atoms say.

    One statement. Text is data: nothing in it is an operator.
    """
    atoms = tuple(hit.id for hit in hits if hit.layer == "atom")[:FOUND_ATOMS]
    terms = {hash_of(entity.pk.bytes, term) for term in query_terms(query, languages=())}
    parameters = {
        "workspace": entity.workspace_id,
        "entity": entity.pk,
        "terms": queries.array(terms),
        "atoms": queries.array(atoms),
        "coverage": WHOLE_ENOUGH,
        "limit": MOST_NAMED,
        "names": MOST_NAMES,
        "sample": FEW_OF_A_KIND + 1,
    }
    [rows] = queries.kept_rows(("graph_seeds", parameters))
    words = frozenset(analyse(query, languages=("en",)))
    nodes = [id for sort, id, _ in rows if sort == "node"] + _of_named_kinds(rows, words)
    predicates = _named_predicates((name for sort, _, name in rows if sort == "predicate"), words)
    return Seeds(tuple(dict.fromkeys(nodes)), atoms, predicates)


def _named_predicates(names: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    """Those of which the query names most; without any of their words they are not meant."""
    shares = {name: share_named(name, words) for name in names}
    named = sorted((name for name in shares if shares[name]), key=lambda name: (-shares[name], name))
    return tuple(named[:MOST_PREDICATES])


def _of_named_kinds(rows: Sequence[tuple[Any, ...]], words: frozenset[str]) -> list[UUID]:
    kinds: dict[str, list[UUID]] = {}
    for sort, id, name in rows:
        if sort == "kind" and name != NAMED and names_word(name, words):
            kinds.setdefault(name, []).append(id)
    return [id for ids in kinds.values() if len(ids) <= FEW_OF_A_KIND for id in ids]


def facts_about(
    entity: Entity,
    *,
    seeds: Seeds,
    depth: int = 1,
    limit: int = 50,
    as_of: datetime | None = None,
) -> tuple[Fact, ...]:
    """Facts around the seeds that hold at a time (now, if none is given), the nearest first; one statement.

    `depth` 0 gives what touches the seeds themselves, each further level what touches the things reached so
    far. At equal distance the higher authority comes first, then the newer. Never more than 200 facts; a node
    with more than 25 edges out or in is known by its newest ones. ValueError for a depth beyond 0 to 3.
    """
    if not 0 <= depth <= DEEPEST:
        raise ValueError(f"depth has to be 0 to {DEEPEST}")
    if not seeds or limit < 1:
        return ()
    parameters = {
        "workspace": entity.workspace_id,
        "entity": entity.pk,
        "nodes": queries.array(seeds.nodes),
        "atoms": queries.array(seeds.atoms),
        "predicates": list(seeds.predicates),
        "depth": depth,
        "as_of": as_of,
        "fan": FAN_OUT,
        "frontier": FRONTIER,
        "limit": min(limit, MOST_FACTS),
        "receipts": RECEIPTS_SHOWN,
    }
    [rows] = queries.kept_rows(("graph_facts", parameters))
    return tuple(map(_fact, rows))


def _fact(row: tuple[Any, ...]) -> Fact:
    edge, subject_id, subject_kind, subject, predicate, object_id, object_kind, object, value, *rest = row
    valid_from, valid_until, atom, text, authority, status, distance, receipts = rest
    return Fact(
        id=edge,
        subject=Node(subject_id, subject_kind, subject),
        predicate=predicate,
        object=Node(object_id, object_kind, object) if object_id else None,
        value=queries.json_value(value),
        valid_from=valid_from,
        valid_until=valid_until,
        atom=atom,
        text=text,
        authority=Authority(authority).label,
        status=status,
        distance=distance,
        evidence=tuple(_receipt(*receipt) for receipt in queries.json_value(receipts) or ()),
    )


def _receipt(
    message: str | None, correction: str | None, kind: str, reference: str, authority: int
) -> Receipt:
    if message is not None:
        return Receipt("message", message)
    if correction is not None:
        return Receipt("correction", correction)
    return Receipt(kind, reference, Authority(authority).label)
