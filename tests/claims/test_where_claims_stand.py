"""Claims stand where every atom stands: in recall, scenes, trace, timeline and lists, with their evidence."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.cascade.engine import settle_entity
from memory.claims.reading import ClaimFilter, list_claims
from memory.models import Atom, Entity, Line, Workspace
from memory.recall.ladder import memories
from memory.recall.listing import AtomFilter, list_atoms
from memory.recall.records import Assertion, OutsideReceipt
from memory.recall.search import Request, search
from memory.recall.timeline import TimelineRequest, read_timeline
from memory.recall.trace import trace, uses
from memory.stewardship.verify import verify
from tests.claims.observing import ANNUAL, FAR, MONTHLY, NOON, decide, event, say

TEXT = "customer customer-123 billing.plan: cycle annual, price 1200"


@pytest.mark.parametrize(
    "query", ["which plan", "billing", "annual", "1200", "customer-123", "what does the customer pay: price"]
)
def test_a_claim_is_found_by_words_of_its_parts(alice: Entity, query: str) -> None:
    say(alice, "blue", predicate="theme.colour")
    say(alice, ANNUAL)
    say(alice, "Lund", predicate="office.city")
    hit = search(alice, Request(query, uses_meaning=False)).hits[0]
    assert (hit.text, hit.authority, hit.assertion, hit.outside) == (
        TEXT,
        "application",
        Assertion("customer", "customer-123", "billing.plan", ANNUAL, "", None, None),
        (OutsideReceipt("tool_event", "billing.plan_selected", "application"),),
    )


def test_a_replaced_claim_is_not_recalled(alice: Entity) -> None:
    for minute, value in enumerate((ANNUAL, MONTHLY)):
        say(alice, value, minute=minute)
    settle_entity(alice)
    texts = [hit.text for hit in search(alice, Request("billing plan", uses_meaning=False)).hits]
    assert TEXT not in texts
    assert any("cycle monthly" in text for text in texts)


def test_a_scene_rests_on_a_claim_and_follows_it(alice: Entity) -> None:
    say(alice, ANNUAL)
    settle_entity(alice)
    [line] = Line.objects.for_entity(alice).filter(evidence__atom__text=TEXT)
    assert "annual" in line.text
    assert "1200" in line.text
    say(alice, MONTHLY, minute=5)
    settle_entity(alice)
    standing = Line.objects.for_entity(alice).filter(
        places__version__is_head=True, evidence__atom__status=Atom.Status.LIVE
    )
    assert [("monthly" in line.text) for line in standing.distinct() if line.section != "evolution_record"]
    assert verify(alice, is_settled=True) == []


def test_a_trace_ends_outside(alice: Entity) -> None:
    atom = say(alice, ANNUAL, valid_until=FAR).atom
    assert atom is not None
    root = trace(alice, str(atom.pk)).root
    assert (root.text, dict(root.facts)) == (
        TEXT,
        {
            "kind": "episodic",
            "priority": "50",
            "status": "live",
            "subject": "customer customer-123",
            "predicate": "billing.plan",
            "authority": "application",
            "valid until": "2099-06-02 22:00 UTC",
        },
    )
    [outside] = root.children
    assert (outside.kind, outside.text, dict(outside.facts)) == (
        "outside",
        "billing.plan_selected",
        {"kind": "tool_event", "authority": "application"},
    )
    settle_entity(alice)
    [line] = uses(alice, str(atom.pk)).root.children
    assert trace(alice, str(line.id)).root.children[0].children == (outside,)


def test_the_timeline_shows_a_claim_with_what_it_cites(alice: Entity) -> None:
    say(alice, ANNUAL)
    [record] = read_timeline(alice, TimelineRequest(collections=("memories",))).records
    assert (record.text, record.citations, record.occurred_at) == (
        TEXT,
        ("tool_event:billing.plan_selected",),
        NOON,
    )
    assert record.content["assertion"] == {
        "subject_kind": "customer",
        "subject_id": "customer-123",
        "predicate": "billing.plan",
        "value": ANNUAL,
        "live_source": "",
        "valid_from": None,
        "valid_until": None,
    }


def test_a_list_of_atoms_shows_what_lies_outside(alice: Entity) -> None:
    say(alice, ANNUAL, evidence=(event(), event("invoice-7")))
    [listed] = list_atoms(alice, AtomFilter()).atoms
    assert (listed.atom.assertion, listed.citations, listed.outside) == (
        Assertion("customer", "customer-123", "billing.plan", ANNUAL, "", None, None),
        (),
        (
            OutsideReceipt("tool_event", "billing.plan_selected", "application"),
            OutsideReceipt("tool_event", "invoice-7", "application"),
        ),
    )


def test_what_has_ended_is_not_listed_as_holding(alice: Entity) -> None:
    now = timezone.now()
    for predicate, ends in (("a", now - timedelta(days=1)), ("b", now + timedelta(days=1)), ("c", None)):
        say(alice, "on", predicate=predicate, said_at=now - timedelta(days=2), valid_until=ends)
    held = ["customer customer-123 b: on", "customer customer-123 c: on"]
    assert [atom.text for atom in memories(alice)] == held
    assert [listed.atom.text for listed in list_atoms(alice, AtomFilter()).atoms] == held
    assert {hit.text for hit in search(alice, Request("customer", uses_meaning=False)).hits} == set(held)
    assert list_atoms(alice, AtomFilter(states=())).total == 3
    assert len(memories(alice, include_history=True)) == 3


def test_what_has_not_begun_is_neither_recalled_nor_placed(alice: Entity) -> None:
    planned = say(alice, ANNUAL, valid_from=FAR).atom
    settle_entity(alice)
    assert [search(alice, Request("billing plan", uses_meaning=False)).hits, memories(alice)] == [(), ()]
    assert not Line.objects.for_entity(alice).exists()
    assert list_claims(alice, ClaimFilter()).total == 0
    [listed] = list_claims(alice, ClaimFilter(states=("contested",))).claims
    assert (listed.id, listed.status, listed.valid_from) == (planned and planned.pk, "contested", FAR)
    assert verify(alice, is_settled=True) == []


def test_a_live_reference_stands_as_well(alice: Entity, workspace: Workspace) -> None:
    decide(workspace, "billing.plan", "live")
    say(alice, None)
    settle_entity(alice)
    hits: Any = search(alice, Request("billing plan of the customer", uses_meaning=False)).hits
    assert "customer customer-123 billing.plan: live, from source-billing.plan" in [hit.text for hit in hits]
    assert verify(alice, is_settled=True) == []
