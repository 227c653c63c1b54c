"""Writing the graph: edges as their atoms say now, the nodes they need, and no node without an edge."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memory.claims.policies import rules_of
from memory.claims.projection import AtomFacts, EdgeDraft, Thing, edge_id, node_id, project
from memory.indexing.analyser import query_terms
from memory.indexing.analyser_words import PIECE_MARK
from memory.indexing.units import hashed_terms
from memory.models import Atom, Entity, GraphEdge, GraphNode

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Projected:
    """What a batch of atoms changed in the graph."""

    written: tuple[UUID, ...]
    """Edges that are new, or say something else now."""
    removed: tuple[UUID, ...]
    unchanged: int
    left_out: int
    """Atoms that have no edge."""


def project_atoms(entity: Entity, atoms: Collection[UUID]) -> Projected:
    """Bring the edges of some atoms, and of those that they superseded, up to date.

    Within the transaction that holds the entity. A constant number of statements for each 500 atoms.
    """
    facts = read_facts(entity, atoms)
    rules = rules_of(entity.workspace_id)
    drafts = [
        draft
        for atom in facts
        if (draft := project(atom, is_projected=lambda predicate: rules.of(predicate).is_projected))
    ]
    wanted = {edge.pk: edge for edge in (_edge(entity, draft) for draft in drafts)}
    stored = {edge.pk: edge for edge in GraphEdge.objects.for_entity(entity).filter(atom__in=_ids(facts))}
    fresh = [edge for pk, edge in wanted.items() if pk not in stored or not _says_the_same(edge, stored[pk])]
    gone = [pk for pk in stored if pk not in wanted]
    # What changes is taken away and written anew: whatever node it leaves bare goes with it.
    GraphEdge.objects.for_entity(entity).filter(pk__in=[*gone, *(edge.pk for edge in fresh)]).delete()
    _write(entity, fresh, drafts)
    return Projected(
        written=tuple(edge.pk for edge in fresh),
        removed=tuple(gone),
        unchanged=len(wanted) - len(fresh),
        left_out=len(facts) - len(wanted),
    )


def read_facts(entity: Entity, atoms: Collection[UUID]) -> list[AtomFacts]:
    """The atoms, and those that they superseded, in the order of their making; one statement."""
    named = Q(pk__in=atoms) | Q(superseded_by__in=atoms)
    rows = Atom.objects.for_entity(entity).filter(named).select_related("superseded_by").order_by("seq")
    return [_facts(row, row.superseded_by) for row in rows]


def drop_orphans(entity: Entity) -> int:
    """Remove nodes that no edge touches; gives how many. Within the transaction that holds the entity.

    The database removes a node with its last edge, so after whatever went through it there are none.
    """
    touching = Q(subject=OuterRef("pk")) | Q(object=OuterRef("pk"))
    bare = GraphNode.objects.for_entity(entity).exclude(Exists(GraphEdge.objects.filter(touching)))
    return bare.delete()[0]


def _facts(row: Atom, successor: Atom | None) -> AtomFacts:
    return AtomFacts(
        id=row.pk,
        status=row.status,
        kind=row.kind,
        text=row.text,
        subject=row.subject,
        claimed=Thing(row.subject_kind, row.subject_id) if row.predicate else None,
        predicate=row.predicate,
        value=row.value,
        is_live_reference=bool(row.live_source),
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        happened_from=row.happened_from,
        said_at=row.occurred_at or row.created_at,
        successor=_facts(successor, None) if successor is not None else None,
    )


def _ids(facts: Sequence[AtomFacts]) -> list[UUID]:
    return [atom.id for atom in facts]


def _edge(entity: Entity, draft: EdgeDraft) -> GraphEdge:
    return GraphEdge(
        id=edge_id(entity.pk, draft.atom),
        workspace_id=entity.workspace_id,
        entity_id=entity.pk,
        subject_id=node_id(entity.pk, draft.subject),
        predicate=draft.predicate,
        object_id=node_id(entity.pk, draft.object) if draft.object else None,
        value=draft.value,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        atom_id=draft.atom,
    )


def _says_the_same(one: GraphEdge, other: GraphEdge) -> bool:
    return _content(one) == _content(other)


def _content(edge: GraphEdge) -> tuple[object, ...]:
    # Texts of values, since in Python true equals 1.
    return (
        *(edge.subject_id, edge.predicate, edge.object_id, repr(edge.value)),
        *(edge.valid_from, edge.valid_until, edge.atom_id),
    )


def _write(entity: Entity, fresh: Sequence[GraphEdge], drafts: Sequence[EdgeDraft]) -> None:
    written = {edge.atom_id for edge in fresh}
    things = {
        thing
        for draft in drafts
        if draft.atom in written
        for thing in (draft.subject, draft.object)
        if thing is not None
    }
    nodes = sorted((_node(entity, thing) for thing in things), key=lambda node: node.pk)
    GraphNode.objects.bulk_create(nodes, ignore_conflicts=True, batch_size=AT_ONCE)
    GraphEdge.objects.bulk_create(fresh, batch_size=AT_ONCE)


def _node(entity: Entity, thing: Thing) -> GraphNode:
    return GraphNode(
        id=node_id(entity.pk, thing),
        workspace_id=entity.workspace_id,
        entity_id=entity.pk,
        kind=thing.kind,
        identifier=thing.identifier,
        terms=node_terms(entity, thing.identifier),
    )


def node_terms(entity: Entity, identifier: str) -> list[int]:
    """The words of a name as the entity's own hashes: folded, never stemmed, as names are not inflected.

    So they do not depend on the languages that the entity is found to speak later.
    """
    words = query_terms(identifier, languages=())
    whole = {term: 1 for term in words if not term.startswith(PIECE_MARK)}
    return list(hashed_terms(entity.pk, whole))
