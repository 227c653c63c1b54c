"""Walks in a graph of ten thousand edges: by indexes, within bounds, in two statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memory import queries
from memory.claims.graph import FAN_OUT, Seeds, facts_about, seed_of
from memory.claims.graph_recall import recall_facts
from memory.claims.graph_writing import node_terms
from memory.claims.projection import Thing, edge_id, node_id
from memory.models import Atom, Chain, Entity, Evidence, GraphEdge, GraphNode, Unpromoted
from memory.models.base import new_id
from tests.claims.histories import a_claim, an_entity, promoted
from tests.factories import SAID_AT, make_entity, make_workspace

NOW = SAID_AT + timedelta(days=300)


@pytest.fixture(scope="module")
def large(django_db_setup: None, django_db_blocker: Any) -> Iterator[Entity]:
    """Ten thousand edges, two thousand of them at one node, beside some of another entity; committed."""
    with django_db_blocker.unblock():
        entity, other = (make_entity(name, workspace=make_workspace(name)) for name in ("large", "other"))
        fill(entity, 10_000)
        fill(other, 500)
        with queries.owner_cursor() as cursor:
            cursor.execute("VACUUM ANALYZE memory_graphnode, memory_graphedge, memory_atom, memory_evidence")
        yield entity
        for owner in (entity, other):
            owner.workspace.delete()


def fill(entity: Entity, count: int) -> None:
    """Edges from one of two thousand things to the next; every fifth one from the same customer."""
    owner = {"workspace_id": entity.workspace_id, "entity_id": entity.pk}
    names = ["customer-hub", *(f"thing-{number}" for number in range(2_000))]
    node: dict[str, UUID] = {name: node_id(entity.pk, Thing("thing", name)) for name in names}
    with transaction.atomic():
        chains = Chain.objects.bulk_create(Chain(**owner) for _ in range(count))
        atoms = [
            Atom(
                **owner,
                chain=chain,
                text=f"fact {number}",
                kind="episodic",
                priority=50,
                occurred_at=SAID_AT,
                consumed_by_id=new_id(),
            )
            for number, chain in enumerate(chains)
        ]
        Atom.objects.bulk_create(atoms)
        Evidence.objects.bulk_create(
            Evidence(**owner, of_atom=atom, outside_kind="x", outside_reference="y", outside_authority=4)
            for atom in atoms
        )
        GraphNode.objects.bulk_create(
            GraphNode(**owner, id=pk, kind="thing", identifier=name, terms=node_terms(entity, name))
            for name, pk in node.items()
        )
        GraphEdge.objects.bulk_create(
            GraphEdge(
                **owner,
                id=edge_id(entity.pk, atom.pk),
                subject_id=node["customer-hub"] if number % 5 == 0 else node[f"thing-{number % 2_000}"],
                predicate=f"relation.r{number % 50}",
                object_id=node[f"thing-{number * 7 % 2_000}"],
                valid_from=SAID_AT + timedelta(seconds=number),
                atom=atom,
            )
            for number, atom in enumerate(atoms)
        )
        Unpromoted.objects.for_entity(entity).delete()


def plan(name: str, parameters: dict[str, Any]) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {queries.statement(name)}", parameters)
        return json.dumps(cursor.fetchone()[0])


def tables_read_whole(found: str) -> set[str]:
    return set(re.findall(r'"Node Type": "Seq Scan".*?"Relation Name": "(\w+)"', found))


def hub(entity: Entity) -> Seeds:
    return seed_of(entity, kind="thing", identifier="customer-hub")


@pytest.mark.django_db
@pytest.mark.parametrize("depth", [0, 3])
def test_a_walk_reads_by_its_indexes_alone(large: Entity, depth: int) -> None:
    found = plan(
        "graph_facts",
        {
            "workspace": large.workspace_id,
            "entity": large.pk,
            "nodes": queries.array(hub(large).nodes),
            "atoms": queries.array(Atom.objects.for_entity(large).values_list("pk", flat=True)[:5]),
            "predicates": ["relation.r1"],
            "depth": depth,
            "as_of": NOW,
            "fan": FAN_OUT,
            "frontier": 40,
            "limit": 50,
            "receipts": 10,
        },
    )
    assert tables_read_whole(found) == set()
    for index in ("graph_edge_out", "graph_edge_in", "graph_edge_predicate"):
        assert f'"Index Name": "{index}"' in found


@pytest.mark.django_db
def test_seeds_are_looked_up_by_their_indexes_alone(large: Entity) -> None:
    found = plan(
        "graph_seeds",
        {
            "workspace": large.workspace_id,
            "entity": large.pk,
            "terms": queries.array(node_terms(large, "thing-77")),
            "atoms": "{}",
            "coverage": 0.5,
            "limit": 12,
            "names": 500,
            "sample": 6,
        },
    )
    assert tables_read_whole(found) == set()
    assert '"Index Name": "graph_node_once"' in found


@pytest.mark.django_db
def test_a_walk_is_bounded_by_the_fan_and_the_limit(large: Entity) -> None:
    near = facts_about(large, seeds=hub(large), depth=0, limit=200, as_of=NOW)
    assert len(near) == FAN_OUT
    assert [fact.valid_from for fact in near] == [
        SAID_AT + timedelta(seconds=9_995 - 5 * place) for place in range(FAN_OUT)
    ]
    things = Seeds(nodes=tuple(GraphNode.objects.for_entity(large).values_list("pk", flat=True)[:300]))
    far = facts_about(large, seeds=things, depth=3, limit=1_000, as_of=NOW)
    assert len({fact.id for fact in far}) == 200


@pytest.mark.django_db
def test_the_statements_of_recall_are_two_whatever_the_size(large: Entity) -> None:
    small = an_entity()
    a_claim(small, "relation.r1", 1)
    promoted(small)
    for entity in (small, large):
        with CaptureQueriesContext(connection) as seen:
            assert recall_facts(entity, "relation of thing-77", depth=3, limit=100)
        assert len(seen) == 2


@pytest.mark.django_db
def test_the_same_walk_gives_the_same_facts(large: Entity) -> None:
    first = recall_facts(large, "relation r1 of thing-77", depth=3, limit=100, as_of=NOW)
    assert first == recall_facts(large, "relation r1 of thing-77", depth=3, limit=100, as_of=NOW)
