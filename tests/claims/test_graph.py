"""Walking the graph: what is near, what holds at a time, and that a walk is bounded."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory.claims.graph import Fact, Receipt, Seeds, facts_about, seed_of, seeds_of
from memory.claims.projection import Thing, edge_id, node_id
from memory.models import Atom, Entity, GraphEdge, GraphNode
from tests.claims.histories import a_claim, an_entity, day, promoted, replaced
from tests.factories import SAID_AT, make_entity, make_message, make_workspace, repeat

NOW = SAID_AT + timedelta(days=300)


def thing(kind: str, identifier: str) -> dict[str, str]:
    return {"kind": kind, "identifier": identifier}


@pytest.fixture
def chained(db: None) -> Entity:
    """A customer, its plan, the plan's product, the product's team, and back to the customer."""
    entity = an_entity()
    a_claim(entity, "billing.plan", thing("plan", "annual"))
    a_claim(
        entity, "sold_as", thing("product", "Atlas"), subject_kind="plan", identifier="annual", text="sold"
    )
    a_claim(entity, "made_by", thing("team", "Core"), subject_kind="product", identifier="Atlas", text="made")
    a_claim(
        entity,
        "works_for",
        thing("customer", "customer-123"),
        subject_kind="team",
        identifier="Core",
        text="works",
    )
    a_claim(entity, "colour", "green", subject_kind="team", identifier="Core", text="green")
    promoted(entity)
    return entity


def customer(entity: Entity) -> Seeds:
    return seed_of(entity, kind="customer", identifier="customer-123")


def shown(facts: tuple[Fact, ...]) -> set[tuple[str, str, Any, int]]:
    return {
        (
            fact.subject.identifier,
            fact.predicate,
            fact.object.identifier if fact.object else fact.value,
            fact.distance,
        )
        for fact in facts
    }


def test_the_depth_says_how_far_the_walk_goes_and_a_cycle_ends(chained: Entity) -> None:
    nearest = {
        ("customer-123", "billing.plan", "annual", 0),
        ("Core", "works_for", "customer-123", 0),
    }
    further = {
        ("annual", "sold_as", "Atlas", 1),
        ("Atlas", "made_by", "Core", 1),
        ("Core", "colour", "green", 1),
    }
    for depth, expected in {
        0: nearest,
        1: nearest | further,
        2: nearest | further,
        3: nearest | further,
    }.items():
        assert shown(facts_about(chained, seeds=customer(chained), depth=depth)) == expected


@pytest.mark.parametrize("depth", [-1, 4])
def test_a_depth_beyond_the_bounds_is_refused(chained: Entity, depth: int) -> None:
    with pytest.raises(ValueError, match="depth has to be 0 to 3"):
        facts_about(chained, seeds=customer(chained), depth=depth)


def test_a_thing_that_nobody_spoke_of_has_no_facts(chained: Entity) -> None:
    assert facts_about(chained, seeds=seed_of(chained, kind="customer", identifier="none")) == ()
    assert facts_about(chained, seeds=Seeds()) == ()


@pytest.mark.django_db
def test_a_fact_is_told_whole_with_its_evidence() -> None:
    entity = an_entity()
    said = make_message(entity, "The annual plan, please.")
    atom = a_claim(entity, "billing.plan", {"cycle": "annual", "price": 1_200}, valid_until=NOW)
    repeat(atom, said)
    promoted(entity)
    [fact] = facts_about(entity, seeds=customer(entity), as_of=day(1))
    assert (fact.subject.kind, fact.subject.identifier, fact.object) == ("customer", "customer-123", None)
    assert (fact.id, fact.value) == (edge_id(entity.pk, atom.pk), {"cycle": "annual", "price": 1_200})
    assert (fact.atom, fact.text, fact.authority, fact.status) == (
        atom.pk,
        atom.text,
        "application",
        "live",
    )
    assert (fact.valid_from, fact.valid_until, fact.distance) == (SAID_AT, NOW, 0)
    assert fact.evidence == (
        Receipt("tool_event", "billing.plan.observed", "application"),
        Receipt("message", str(said.pk)),
    )


@pytest.mark.django_db
def test_what_held_at_a_time_is_told_for_that_time() -> None:
    entity = an_entity()
    replaced(a_claim(entity, "billing.plan", "monthly"), "annual", on=10)
    a_claim(entity, "billing.next", "weekly", on=0, valid_from=day(20))
    promoted(entity)
    told = {
        number: {
            (fact.value, fact.status)
            for fact in facts_about(entity, seeds=customer(entity), as_of=day(number))
        }
        for number in (-1, 0, 9, 10, 20)
    }
    assert told == {
        -1: set(),
        0: {("monthly", "superseded")},
        9: {("monthly", "superseded")},
        10: {("annual", "live")},
        20: {("annual", "live"), ("weekly", "live")},
    }


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["superseded", "contested", "retracted"])
def test_an_edge_that_promotion_has_not_taken_yet_is_not_told_once_its_atom_is_dead(status: str) -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", thing("plan", "annual"), valid_until=NOW)
    a_claim(entity, "price", 12, subject_kind="plan", identifier="annual", text="price")
    promoted(entity)
    Atom.objects.filter(pk=atom.pk).update(status=status)
    assert GraphEdge.objects.count() == 2
    assert "billing.plan" not in {
        fact.predicate for fact in facts_about(entity, seeds=customer(entity), as_of=day(1), depth=2)
    }


@pytest.mark.django_db
def test_the_limit_keeps_the_nearest_then_the_highest_authority_then_the_newest() -> None:
    entity = an_entity()
    a_claim(entity, "a.old", 1)
    a_claim(entity, "a.new", 2, on=2)
    a_claim(entity, "a.inferred", 3, on=5, authority=1)
    a_claim(entity, "a.plan", thing("plan", "annual"), on=1)
    a_claim(entity, "a.far", 5, on=9, subject_kind="plan", identifier="annual", text="far")
    promoted(entity)
    facts = facts_about(entity, seeds=customer(entity), as_of=NOW)
    order = ["a.new", "a.plan", "a.old", "a.inferred", "a.far"]
    assert [fact.predicate for fact in facts] == order
    assert [
        fact.predicate for fact in facts_about(entity, seeds=customer(entity), limit=2, as_of=NOW)
    ] == order[:2]
    assert facts_about(entity, seeds=customer(entity), limit=0) == ()


@pytest.mark.django_db
def test_another_entitys_graph_is_never_reached() -> None:
    entity, other = an_entity(), an_entity("agent.other")
    bob = make_entity("agent.alice-test", workspace=make_workspace("elsewhere"))
    for owner in (entity, other, bob):
        a_claim(owner, "billing.plan", owner.pk.hex)
        promoted(owner)
    foreign = Seeds(
        nodes=tuple(GraphNode.objects.values_list("pk", flat=True)),
        atoms=tuple(Atom.objects.values_list("pk", flat=True)),
        predicates=("billing.plan",),
    )
    assert {fact.value for fact in facts_about(entity, seeds=foreign)} == {entity.pk.hex}
    assert seeds_of(entity, "billing customer-123").nodes == (
        node_id(entity.pk, Thing("customer", "customer-123")),
    )
