"""The checker finds a graph that does not say what its atoms say."""

from __future__ import annotations

import pytest

from memory.models import Atom, Entity, GraphEdge, GraphNode, Policy, Unpromoted
from memory.stewardship.verify import verify
from tests.claims.histories import a_claim, an_entity, promoted, replaced

pytestmark = pytest.mark.django_db


@pytest.fixture
def claimed(db: None) -> Entity:
    """A claim that was replaced, one that was not, and the graph of both."""
    entity = an_entity()
    replaced(a_claim(entity, "billing.plan", "monthly"), {"kind": "plan", "id": "annual"}, on=2)
    promoted(entity)
    return entity


def kinds(entity: Entity, *, is_settled: bool = False) -> list[str]:
    return [problem.kind for problem in verify(entity, is_settled=is_settled)]


def unnoticed(**changes: object) -> None:
    """A change of claims that no queue heard of."""
    Atom.objects.claims().update(**changes)
    Unpromoted.objects.all().delete()


def test_a_graph_that_was_promoted_has_no_problem(claimed: Entity) -> None:
    assert [problem for problem in verify(claimed) if problem.kind != "atom_waits"] == []


def test_a_node_without_edges_is_found(claimed: Entity) -> None:
    GraphNode.objects.create(workspace=claimed.workspace, entity=claimed, kind="plan", identifier="none")
    assert kinds(claimed) == ["bare_node"]


@pytest.mark.parametrize("status", ["contested", "retracted"])
def test_an_edge_whose_atom_no_longer_holds_is_found(claimed: Entity, status: str) -> None:
    unnoticed(status=status, superseded_by=None)
    assert kinds(claimed) == ["edge_of_dead_atom"] * 2


def test_what_was_superseded_and_does_not_end_is_found(claimed: Entity) -> None:
    GraphEdge.objects.update(valid_until=None)
    assert kinds(claimed) == ["edge_of_dead_atom"]


@pytest.mark.parametrize("changes", [{"predicate": "billing.cycle"}, {"value": "weekly"}])
def test_an_edge_that_says_something_else_than_its_claim_is_found(
    claimed: Entity, changes: dict[str, object]
) -> None:
    GraphEdge.objects.filter(object=None).update(**changes)
    assert kinds(claimed) == ["edge_differs"]


def test_a_live_claim_that_is_missing_is_found_at_rest_unless_its_policy_keeps_it_out(
    claimed: Entity,
) -> None:
    GraphEdge.objects.all().delete()
    assert "claim_without_edge" not in kinds(claimed)
    assert kinds(claimed, is_settled=True) == ["claim_without_edge"]
    Policy.objects.create(workspace=claimed.workspace, pattern="billing.*", action=Policy.Action.STORE)
    assert kinds(claimed, is_settled=True) == ["promotion_waits"] * 2
    Unpromoted.objects.all().delete()
    assert kinds(claimed, is_settled=True) == []


def test_what_waits_to_be_promoted_is_a_problem_only_at_rest(claimed: Entity) -> None:
    Atom.objects.live().update(status=Atom.Status.RETRACTED)
    assert kinds(claimed) == []
    assert kinds(claimed, is_settled=True) == ["promotion_waits"]
