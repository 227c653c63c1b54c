"""Claims stand on what is outside: a rebuild leaves them, their past and their chains as they are."""

from __future__ import annotations

from typing import Any

import pytest

from memory.cascade.rebuilding.lifecycle import apply_rebuild
from memory.models import Atom, Entity, Evidence, GraphEdge, GraphNode, Unpromoted
from tests.cascade.rebuilding.remaking import a_model, problems_at_rest, proposed, told
from tests.cascade.story import settle
from tests.claims.histories import a_claim, dump, promoted, replaced
from tests.claims.histories import told as graph

pytestmark = pytest.mark.django_db

KEPT = ("pk", "text", "status", "superseded_by", "predicate", "subject_kind", "subject_id", "value")
TIMES = ("valid_from", "valid_until", "occurred_at", "last_seen_at", "authority")


@pytest.fixture
def claimed(db: None) -> Entity:
    """A memory of words with a plan that was replaced, one that is contested, and a reference."""
    entity = told()
    monthly = a_claim(entity, "billing.plan", {"kind": "plan", "id": "monthly"})
    annual = replaced(monthly, {"kind": "plan", "id": "annual"}, on=5)
    a_claim(entity, "billing.plan", "none", on=7, authority=1, chain=annual.chain, status="contested")
    a_claim(entity, "billing.balance", None, live_source="ledger")
    settle(entity)
    promoted(entity)
    return entity


def claims(entity: Entity) -> list[tuple[Any, ...]]:
    return list(Atom.objects.for_entity(entity).claims().order_by("seq").values_list(*KEPT, *TIMES))


def chains(entity: Entity) -> list[set[object]]:
    """Which claims share a chain."""
    grouped: dict[object, set[object]] = {}
    for pk, chain in Atom.objects.for_entity(entity).claims().values_list("pk", "chain"):
        grouped.setdefault(chain, set()).add(pk)
    return sorted(grouped.values(), key=str)


def receipts(entity: Entity) -> list[tuple[Any, ...]]:
    rows = Evidence.objects.filter(entity=entity, of_atom__isnull=False, outside_kind__isnull=False)
    return list(rows.order_by("id").values_list("of_atom", "outside_kind", "outside_reference"))


@pytest.mark.parametrize("layer", ["L1", "L2", "L3"])
def test_claims_their_past_and_their_graph_survive_a_rebuild(claimed: Entity, layer: str) -> None:
    before = (claims(claimed), chains(claimed), receipts(claimed), dump(claimed), graph(claimed))
    found = proposed(claimed, a_model(priority=66), layer)
    apply_rebuild(found.rebuild)
    assert [problem.kind for problem in problems_at_rest()] in ([], ["atom_waits"])
    assert (claims(claimed), chains(claimed), receipts(claimed), dump(claimed), graph(claimed)) == before


def test_a_shadow_has_no_graph_and_leaves_no_queue(claimed: Entity) -> None:
    found = proposed(claimed, a_model(priority=66))
    shadows = Entity.objects.filter(shadow_of=claimed)
    assert shadows.count() == 1
    assert not GraphNode.objects.filter(entity__in=shadows).exists()
    assert not GraphEdge.objects.filter(entity__in=shadows).exists()
    apply_rebuild(found.rebuild)
    assert not Unpromoted.objects.exclude(entity=claimed).exists()


def test_what_a_rebuild_makes_anew_follows_into_the_graph(db: None) -> None:
    entity = told("Caroline Smith works at Acme.")
    assert [row[:3] for row in graph(entity)] == [("Caroline Smith", "works_at", "Acme")]
    found = proposed(entity, a_model(priority=66, words="The user says: {}"))
    apply_rebuild(found.rebuild)
    assert problems_at_rest() == []
    assert graph(entity) == []
