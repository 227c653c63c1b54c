"""Whatever happens to claims, in whatever order: the graph is the projection of the atoms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.claims.graph_writing import read_facts
from memory.claims.observation import Observation, OutsideEvidence, Subject
from memory.claims.observing import observe
from memory.claims.policies import rules_of
from memory.claims.projection import EdgeDraft, Thing, project
from memory.claims.promotion import PromotionWorker, rebuild_graph
from memory.models import Atom, Authority, Entity, GraphEdge, GraphNode, Policy
from memory.stewardship.verify import verify
from tests.claims.histories import an_entity, day, dump

PREDICATES = ("billing.plan", "billing.seats", "crm.owner")
VALUES: Sequence[Any] = (
    "annual",
    12,
    12.5,
    True,
    {"kind": "plan", "id": "annual"},
    {"kind": "person", "id": "ann"},
)

observations = st.tuples(
    st.just("observe"),
    st.sampled_from(["customer-1", "customer-2"]),
    st.sampled_from(PREDICATES),
    st.sampled_from(VALUES),
    st.sampled_from(list(Authority)),
    st.integers(0, 9),
)
retractions = st.tuples(st.just("retract"), st.integers(0, 20))
erasures = st.tuples(st.just("erase"), st.integers(0, 20))
policies = st.tuples(
    st.just("policy"), st.sampled_from(["billing.*", "crm.owner", "*"]), st.sampled_from(["store", "graph"])
)
promotions = st.just(("promote",))
histories = st.lists(
    st.one_of(observations, observations, retractions, erasures, policies, promotions), max_size=14
)


@pytest.mark.django_db
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories)
def test_after_any_history_the_graph_is_the_projection_of_the_atoms(history: list[tuple[Any, ...]]) -> None:
    # Each example has rows of its own: the test's transaction ends after the last one.
    Entity.objects.all().delete()
    Policy.objects.all().delete()
    entity = an_entity()
    for event in history:
        happen(entity, *event)
    PromotionWorker(entity).run_once()
    found = dump(entity)
    assert edges(entity) == expected(entity)
    assert [problem for problem in verify(entity) if problem.kind != "atom_waits"] == []
    GraphEdge.objects.all().delete()
    assert not GraphNode.objects.exists()
    rebuild_graph(entity)
    assert dump(entity) == found


def happen(entity: Entity, event: str, *details: Any) -> None:
    {"observe": say, "retract": retract, "erase": erase, "policy": decide, "promote": promote}[event](
        entity, *details
    )


def say(entity: Entity, subject: str, predicate: str, value: Any, authority: Authority, number: int) -> None:
    observe(
        entity=entity,
        observation=Observation(
            subject=Subject("customer", subject),
            predicate=predicate,
            value=value,
            authority=authority,
            evidence=(OutsideEvidence(kind="tool_event", reference=f"event {number}", authority=authority),),
            said_at=day(number),
        ),
    )


def retract(entity: Entity, place: int) -> None:
    ids = list(Atom.objects.for_entity(entity).order_by("seq").values_list("pk", flat=True))
    chosen = Atom.objects.filter(pk__in=ids[place : place + 1])
    chosen.update(status=Atom.Status.RETRACTED, superseded_by=None)


def erase(entity: Entity, place: int) -> None:
    for atom in Atom.objects.for_entity(entity).order_by("seq")[place : place + 1]:
        chain = atom.chain
        atom.delete()
        if not chain.atoms.exists():
            chain.delete()


def decide(entity: Entity, pattern: str, action: str) -> None:
    Policy.objects.update_or_create(workspace=entity.workspace, pattern=pattern, defaults={"action": action})


def promote(entity: Entity) -> None:
    PromotionWorker(entity).run_once()


def expected(entity: Entity) -> set[tuple[Any, ...]]:
    """By the pure rules, from the atoms as they stand."""
    rules = rules_of(entity.workspace_id)
    atoms = read_facts(entity, list(Atom.objects.for_entity(entity).values_list("pk", flat=True)))
    drafts = (project(atom, is_projected=lambda name: rules.of(name).is_projected) for atom in atoms)
    return {content(draft) for draft in drafts if draft is not None}


def edges(entity: Entity) -> set[tuple[Any, ...]]:
    rows = GraphEdge.objects.for_entity(entity).select_related("subject", "object")
    return {
        content(
            EdgeDraft(
                edge.atom_id,
                Thing(edge.subject.kind, edge.subject.identifier),
                edge.predicate,
                Thing(edge.object.kind, edge.object.identifier) if edge.object else None,
                edge.value,
                edge.valid_from,
                edge.valid_until,
            )
        )
        for edge in rows
    }


def content(draft: EdgeDraft) -> tuple[Any, ...]:
    return (
        *(draft.atom, draft.subject, draft.predicate, draft.object, repr(draft.value)),
        *(draft.valid_from, draft.valid_until),
    )
