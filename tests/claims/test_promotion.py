"""Promotion: what becomes an edge, what ends one, and that the graph follows from the atoms alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memory.claims.graph_writing import drop_orphans
from memory.claims.promotion import Promoted, rebuild_graph
from memory.models import (
    Atom,
    Authority,
    GraphEdge,
    GraphNode,
    LiveSource,
    Outbox,
    Policy,
    Run,
    Step,
    Unpromoted,
    Work,
)
from memory.stewardship.verify import verify
from tests.claims.histories import a_claim, an_entity, day, dump, nodes, promoted, replaced, told
from tests.claims.observing import INFERENCE, at, say
from tests.factories import make_atom, make_message, make_rule

pytestmark = pytest.mark.django_db


def test_a_claim_becomes_an_edge_from_the_time_it_was_said() -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", {"cycle": "annual", "price": 1200})
    assert promoted(entity) == Promoted(entities=1, atoms=1, edges_written=1)
    edge = GraphEdge.objects.get()
    assert (edge.atom_id, edge.predicate, edge.value) == (atom.pk, "billing.plan", atom.value)
    assert (edge.subject.kind, edge.subject.identifier) == ("customer", "customer-123")
    assert (edge.object, edge.valid_from, edge.valid_until) == (None, atom.occurred_at, None)
    assert not Unpromoted.objects.exists()
    assert verify(entity, is_settled=True) == []


@pytest.mark.parametrize(
    ("value", "thing"),
    [
        ({"kind": "plan", "identifier": "annual"}, ("plan", "annual")),
        ({"kind": "plan", "id": "annual", "price": 1200}, ("plan", "annual")),
        ({"kind": "ticket", "id": 42}, ("ticket", "42")),
        ({"kind": "plan", "id": True}, None),
        ({"kind": "", "id": "annual"}, None),
        ({"kind": "plan"}, None),
        ({"kind": "plan", "id": "x" * 257}, None),
        (["plan", "annual"], None),
        ("annual", None),
        (False, None),
        (0, None),
    ],
)
def test_a_value_that_names_a_thing_leads_to_its_node(value: object, thing: tuple[str, str] | None) -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", value)
    promoted(entity)
    edge = GraphEdge.objects.select_related("object").get()
    named = (edge.object.kind, edge.object.identifier) if edge.object else None
    assert (named, edge.value) == (thing, None if thing else value)


def test_what_is_replaced_ends_when_its_successor_began() -> None:
    entity = an_entity()
    monthly = a_claim(entity, "billing.plan", "monthly")
    promoted(entity)
    annual = replaced(monthly, "annual", on=3)
    assert promoted(entity).edges_written == 2
    assert told(entity) == [
        ("customer-123", "billing.plan", "annual", 3, None),
        ("customer-123", "billing.plan", "monthly", 0, 3),
    ]
    Atom.objects.filter(pk=annual.pk).update(valid_from=day(2))
    promoted(entity)
    assert told(entity) == [
        ("customer-123", "billing.plan", "annual", 2, None),
        ("customer-123", "billing.plan", "monthly", 0, 2),
    ]


def test_a_claim_that_says_itself_when_it_ends_does_so() -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "trial", valid_from=day(1), valid_until=day(15))
    a_claim(entity, "billing.discount", 20, on=9, valid_until=day(4))
    promoted(entity)
    assert told(entity) == [
        ("customer-123", "billing.discount", 20, None, 4),
        ("customer-123", "billing.plan", "trial", 1, 15),
    ]


def test_what_was_corrected_for_all_of_its_time_has_no_edge() -> None:
    entity = an_entity()
    wrong = a_claim(entity, "billing.plan", "monthly", valid_from=day(1))
    replaced(wrong, "annual", on=5, valid_from=day(1))
    promoted(entity)
    assert told(entity) == [("customer-123", "billing.plan", "annual", 1, None)]


@pytest.mark.parametrize("status", ["contested", "retracted"])
def test_what_does_not_hold_loses_its_edge_and_the_node_with_it(status: str) -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", {"kind": "plan", "id": "annual"})
    promoted(entity)
    assert nodes(entity) == [("customer", "customer-123"), ("plan", "annual")]
    Atom.objects.filter(pk=atom.pk).update(status=status)
    assert promoted(entity) == Promoted(entities=1, atoms=1, edges_removed=1)
    assert dump(entity) == ([], [])


def test_a_node_stays_while_another_edge_touches_it() -> None:
    entity = an_entity()
    plan = a_claim(entity, "billing.plan", {"kind": "plan", "id": "annual"})
    a_claim(entity, "billing.wish", {"kind": "plan", "id": "annual"}, identifier="customer-9")
    promoted(entity)
    Atom.objects.filter(pk=plan.pk).update(status=Atom.Status.RETRACTED)
    promoted(entity)
    assert nodes(entity) == [("customer", "customer-9"), ("plan", "annual")]


def test_an_atom_that_is_erased_takes_its_edge_and_bare_nodes_in_the_same_transaction() -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", {"kind": "plan", "id": "annual"})
    a_claim(entity, "billing.seats", 12)
    promoted(entity)
    with transaction.atomic():
        atom.evidence.all().delete()
        atom.delete()
        assert nodes(entity) == [("customer", "customer-123")]
        assert drop_orphans(entity) == 0
    assert told(entity) == [("customer-123", "billing.seats", 12, 0, None)]


def test_what_a_successor_left_behind_without_a_trace_has_no_end_and_no_edge() -> None:
    entity = an_entity()
    old = a_claim(entity, "billing.plan", "monthly")
    new = replaced(old, "annual", on=3)
    promoted(entity)
    with transaction.atomic():
        new.evidence.all().delete()
        new.delete()
    promoted(entity)
    assert dump(entity) == ([], [])


def a_policy(pattern: str, action: str, **values: object) -> Policy:
    entity = Atom.objects.select_related("workspace").first()
    assert entity is not None
    return Policy.objects.create(workspace=entity.workspace, pattern=pattern, action=action, **values)


def test_a_policy_decides_and_another_one_decides_anew() -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    a_claim(entity, "crm.note", "called twice")
    policy = a_policy("crm.*", Policy.Action.STORE)
    promoted(entity)
    assert told(entity) == [("customer-123", "billing.plan", "annual", 0, None)]
    policy.action = Policy.Action.GRAPH
    policy.save()
    promoted(entity)
    assert len(told(entity)) == 2
    a_policy("billing.*", Policy.Action.IGNORE)
    promoted(entity)
    assert told(entity) == [("customer-123", "crm.note", "called twice", 0, None)]
    Policy.objects.all().delete()
    promoted(entity)
    assert len(told(entity)) == 2


def test_a_reference_to_a_live_value_has_no_edge() -> None:
    entity = an_entity()
    LiveSource.objects.create(workspace=entity.workspace, name="ledger", kind="callable", address="ledger")
    a_claim(entity, "billing.balance", None, live_source="ledger")
    assert promoted(entity) == Promoted(entities=1, atoms=1)
    assert dump(entity) == ([], [])


def test_an_atom_that_relates_two_names_becomes_an_edge_and_rules_do_not() -> None:
    entity = an_entity()
    said = [make_message(entity, "I work at Acme Corp, by the way.")]
    make_atom(entity, "Caroline works at Acme Corp.", said, subject="Caroline")
    make_rule(entity, "The user prefers Vim.", said, subject="the user")
    make_atom(entity, "Caroline will move to Berlin.", said, subject="Caroline")
    promoted(entity)
    assert told(entity) == [("Caroline", "works_at", "Acme Corp", 0, None)]
    assert nodes(entity) == [("name", "Acme Corp"), ("name", "Caroline")]


def test_a_relation_begins_on_the_day_its_words_name() -> None:
    entity = an_entity()
    said = [make_message(entity, "Two days ago.")]
    moved = (day(0) - timedelta(days=30)).date()
    make_atom(entity, "Ann moved to Oslo in May.", said, subject="Ann", happened_from=moved)
    promoted(entity)
    assert told(entity) == [("Ann", "moved_to", "Oslo", -31, None)]


def test_the_graph_is_the_same_whatever_the_order_and_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = an_entity()
    old = a_claim(entity, "billing.plan", {"kind": "plan", "id": "monthly"})
    replaced(old, {"kind": "plan", "id": "annual"}, on=2)
    a_claim(entity, "billing.seats", [1, 2.50, "三", None])
    said = [make_message(entity, "I work at Acme.")]
    make_atom(entity, "Caroline works at Acme.", said, subject="Caroline")
    promoted(entity)
    before = dump(entity)
    assert [len(rows) for rows in before] == [5, 4]
    monkeypatch.setattr("memory.claims.promotion.BATCH_ROWS", 1)
    for order in ("seq", "-seq"):
        GraphEdge.objects.all().delete()
        assert not GraphNode.objects.exists()
        for atom in Atom.objects.order_by(order):
            Unpromoted.objects.create(workspace_id=entity.workspace_id, entity=entity, atom=atom)
        promoted(entity)
        assert dump(entity) == before


def test_dropped_and_rebuilt_it_is_the_same_graph_byte_for_byte() -> None:
    entity, other = an_entity(), an_entity("agent.other")
    for owner in (entity, other):
        old = a_claim(owner, "billing.plan", {"kind": "plan", "id": "monthly"})
        replaced(old, {"kind": "plan", "id": "annual", "price": 10.50}, on=2)
        promoted(owner)
    before, others = dump(entity), dump(other)
    assert rebuild_graph(entity) == Promoted(entities=1, atoms=2, edges_written=2)
    assert dump(entity) == before
    GraphEdge.objects.for_entity(entity).delete()
    GraphNode.objects.for_entity(entity).delete()
    rebuild_graph(entity)
    assert (dump(entity), dump(other)) == (before, others)


@pytest.mark.parametrize("before", [(), ((INFERENCE, 0),)], ids=["alone", "after an inference"])
def test_an_earlier_saying_that_comes_in_later_moves_the_beginning_of_an_edge(
    before: tuple[tuple[Authority, int], ...],
) -> None:
    entity = an_entity()
    for authority, minute in before:
        say(entity, "monthly", authority=authority, minute=minute)
    say(entity, "annual", minute=1)
    promoted(entity)
    say(entity, "annual", minute=0)
    assert Work.objects.get(entity=entity, step=Step.PROMOTION).due_at is not None
    promoted(entity)
    assert GraphEdge.objects.get(value="annual").valid_from == at(0)
    standing = dump(entity)
    rebuild_graph(entity)
    assert dump(entity) == standing


def test_promoting_again_writes_nothing() -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", "annual")
    promoted(entity)
    edge = GraphEdge.objects.values_list("created_at", flat=True).get()
    Unpromoted.objects.create(workspace_id=entity.workspace_id, entity=entity, atom=atom)
    assert promoted(entity) == Promoted(entities=1, atoms=1)
    assert GraphEdge.objects.values_list("created_at", flat=True).get() == edge


def test_the_run_tells_what_was_read_and_written_and_streams_hear_of_it() -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", "annual")
    make_atom(entity, "It rained.", [make_message(entity, "It rained.")])
    promoted(entity)
    run = Run.objects.get(step=Step.PROMOTION)
    edge = str(GraphEdge.objects.get().pk)
    assert run.inputs["atoms"][0] == str(atom.pk)
    assert run.outputs == {"graph_edges": [edge]}
    assert run.decisions == [
        {"outcome": "projected", "written": 1, "removed": 0, "unchanged": 0, "left_out": 1}
    ]
    assert (run.status, run.calls, run.error_kind) == (Run.Status.SUCCEEDED, 0, "")
    assert Outbox.objects.get(event=Outbox.Event.STEP_DONE).ids == {
        "step": "promotion",
        "run": str(run.pk),
        "graph_edges": [edge],
    }


def test_the_statements_do_not_grow_with_the_atoms() -> None:
    counted = []
    for entity, size in ((an_entity("agent.small"), 3), (an_entity("agent.large"), 60)):
        for number in range(size):
            a_claim(entity, f"fact.n{number}", number, identifier=f"c{number}")
        with CaptureQueriesContext(connection) as seen:
            assert promoted(entity).edges_written == size
        counted.append(len(seen))
    assert counted[0] == counted[1]
