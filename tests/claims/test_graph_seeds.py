"""Where a walk begins: what a query names, what found atoms say, and what recall makes of both."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory.claims.graph import Fact, Seeds, seeds_of
from memory.claims.graph_recall import recall_facts
from memory.claims.projection import Thing, node_id
from memory.models import Atom, Entity, GraphNode
from memory.recall.hits import Hit
from tests.claims.histories import a_claim, an_entity, promoted
from tests.factories import SAID_AT, make_atom, make_message

NOW = SAID_AT + timedelta(days=300)


def thing(kind: str, identifier: str) -> dict[str, str]:
    return {"kind": kind, "identifier": identifier}


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


@pytest.fixture
def named(db: None) -> Entity:
    entity = an_entity()
    for number, (kind, name) in enumerate(
        [
            ("person", "Caroline Smith"),
            ("customer", "customer-777"),
            ("place", "Łódź"),
            ("place", "東京"),
            ("organization", "New York Times"),
            ("name", "Tom"),
        ]
    ):
        a_claim(
            entity,
            f"fact.n{number}",
            number,
            subject_kind=kind,
            identifier=name,
            text=f"{kind} {name} {number}",
        )
    promoted(entity)
    return entity


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What does Caroline like?", {"Caroline Smith"}),
        ("CAROLINE SMITH'S plans", {"Caroline Smith"}),
        ("is customer-777 happy", {"customer-777"}),
        ("and customer 777?", {"customer-777"}),
        ("the customers we have", {"customer-777"}),
        ("weather in Lodz", {"Łódź"}),
        ("東京の天気", {"東京"}),
        ("what is new", set()),
        ("the New York Times article", {"New York Times"}),
        ("which organization was it", {"New York Times"}),
        ("two places", {"Łódź", "東京"}),
        ("what is its name", set()),
        ("does Tom know", {"Tom"}),
        ("%_'; DROP TABLE x; -- tom", {"Tom"}),
        ("", set()),
        ("???", set()),
    ],
)
def test_a_query_names_things_by_their_words_and_by_a_kind_of_few(
    named: Entity, query: str, names: set[str]
) -> None:
    nodes = GraphNode.objects.filter(pk__in=seeds_of(named, query).nodes)
    assert set(nodes.values_list("identifier", flat=True)) == names


@pytest.mark.django_db
def test_the_kind_of_many_things_names_none_of_them() -> None:
    entity = an_entity()
    for number in range(6):
        a_claim(entity, "tier", "gold", identifier=f"c{number}", text=f"c{number} gold")
    promoted(entity)
    assert seeds_of(entity, "what about the customers?") == Seeds()


def hit(atom: Atom) -> Hit:
    return Hit(layer="atom", id=atom.pk, text=atom.text, score=1.0, terms={})


@pytest.mark.django_db
def test_found_atoms_say_where_to_begin() -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", thing("plan", "annual"))
    seat = a_claim(entity, "seats", 12)
    promoted(entity)
    found = seeds_of(entity, "nothing of that", [hit(atom)])
    things = {Thing("customer", "customer-123"), Thing("plan", "annual")}
    assert (set(found.nodes), found.atoms) == ({node_id(entity.pk, known) for known in things}, (atom.pk,))
    facts = recall_facts(entity, "nothing of that", hits=[hit(atom)])
    assert [fact.atom for fact in facts] == [atom.pk, seat.pk]


@pytest.mark.django_db
def test_a_predicate_that_the_query_speaks_of_leads_to_its_facts_first() -> None:
    entity = an_entity()
    for number in range(40):
        a_claim(entity, f"noise.n{number}", number, on=number + 1, text=f"noise {number}")
    plan = a_claim(entity, "billing.plan", {"cycle": "annual", "price": 1_200})
    promoted(entity)
    facts = recall_facts(entity, "Where did we land on billing?", limit=3)
    assert (facts[0].atom, facts[0].value) == (plan.pk, {"cycle": "annual", "price": 1_200})
    assert recall_facts(entity, "Where did we land on billing?", limit=1, depth=0) == facts[:1]
    assert recall_facts(entity, "weather") == ()


@pytest.mark.django_db
def test_words_of_extracted_atoms_and_claims_meet_in_the_walk() -> None:
    entity = an_entity()
    said = [make_message(entity, "I work at Acme, Acme uses Redis Cloud.")]
    make_atom(entity, "Caroline works at Acme.", said, subject="Caroline")
    make_atom(entity, "Acme uses Redis Cloud.", said, subject="Acme")
    promoted(entity)
    facts = recall_facts(entity, "Which cache does Caroline depend on?", depth=1)
    assert shown(facts) == {("Caroline", "works_at", "Acme", 0), ("Acme", "uses", "Redis Cloud", 1)}
