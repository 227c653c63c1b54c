"""Claims that hold from a later time on: until then they stand beside, then they hold by themselves."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding.lifecycle import apply_rebuild
from memory.claims.ending import begin_claims, end_claims
from memory.models import Atom, Entity, GraphEdge, Line, Step, Work
from memory.recall.search import Request, search
from memory.stewardship.verify import verify
from tests.cascade.rebuilding.remaking import a_model, proposed, told
from tests.cascade.story import an_entity, answer, merge, settle
from tests.cascade.story import say as tell
from tests.claims.observing import (
    ANNUAL,
    APPLICATION,
    FAR,
    INFERENCE,
    MONTHLY,
    USER,
    at,
    event,
    say,
    standing,
)

NOW = timezone.now()
SECOND = timedelta(seconds=1)


def time_comes(entity: Entity) -> None:
    """Claims that wait for their time have begun since a second ago."""
    Atom.objects.for_entity(entity).filter(valid_from=FAR).update(valid_from=NOW - SECOND)


def hits(entity: Entity) -> list[str]:
    found = search(entity, Request("billing plan", uses_meaning=False)).hits
    return sorted({hit.assertion.value["cycle"] for hit in found if hit.assertion is not None})


def test_a_claim_does_not_hold_before_its_time(alice: Entity) -> None:
    monthly = say(alice, MONTHLY)
    planned = say(alice, ANNUAL, minute=5, valid_from=FAR)
    assert (planned.outcome, planned.reason, planned.is_new, planned.holds) == (
        "contested",
        "It holds from 2099-06-02 22:00 UTC on.",
        True,
        monthly.atom,
    )
    again = say(alice, ANNUAL, minute=5, valid_from=FAR)
    assert (again.outcome, again.reason) == ("repeated", planned.reason)
    assert standing(alice) == [(MONTHLY, APPLICATION, "live"), (ANNUAL, APPLICATION, "contested")]
    assert hits(alice) == ["monthly"]


def test_with_nothing_before_it_nothing_holds(alice: Entity) -> None:
    planned = say(alice, ANNUAL, valid_from=FAR)
    assert (planned.outcome, planned.holds) == ("contested", None)
    assert (standing(alice), hits(alice)) == ([(ANNUAL, APPLICATION, "contested")], [])


def test_the_time_is_told_in_the_zone_of_the_entity(alice: Entity) -> None:
    Entity.objects.filter(pk=alice.pk).update(time_zone="Asia/Tokyo")
    alice.refresh_from_db()
    assert say(alice, ANNUAL, valid_from=FAR).reason == "It holds from 2099-06-03 07:00 JST on."


def test_when_its_time_comes_it_holds_everywhere(alice: Entity, bob: Entity) -> None:
    for entity in (alice, bob):
        say(entity, MONTHLY)
        say(entity, ANNUAL, minute=5, valid_from=FAR)
    settle_entity(alice)
    assert begin_claims() == 0
    time_comes(alice)
    assert (begin_claims(), begin_claims()) == (2, 0)
    assert standing(alice) == [(MONTHLY, APPLICATION, "superseded"), (ANNUAL, APPLICATION, "live")]
    assert [row[2] for row in standing(bob)] == ["live", "contested"]
    due = Work.objects.filter(entity=alice, due_at__isnull=False).values_list("step", flat=True)
    assert set(due) >= {Step.SCENE_SYNTHESIS, Step.PROMOTION}
    settle_entity(alice)
    assert hits(alice) == ["annual"]
    heads = Line.objects.for_entity(alice).filter(places__version__is_head=True)
    current = [line.text for line in heads if line.section != "evolution_record"]
    assert [text for text in current if "monthly" in text] == []
    assert [text for text in current if "annual" in text] != []
    edges = (
        GraphEdge.objects.filter(entity=alice).order_by("valid_from").values_list("valid_from", "valid_until")
    )
    assert list(edges) == [(at(0), NOW - SECOND), (NOW - SECOND, None)]
    assert verify(alice, is_settled=True) == []


def test_repeats_of_what_holds_do_not_keep_a_planned_change_out(alice: Entity) -> None:
    say(alice, MONTHLY)
    say(alice, ANNUAL, minute=5, valid_from=FAR)
    assert say(alice, MONTHLY, minute=9, evidence=(event("nightly"),)).outcome == "repeated"
    assert len(standing(alice)) == 2
    time_comes(alice)
    begin_claims()
    assert standing(alice) == [(MONTHLY, APPLICATION, "superseded"), (ANNUAL, APPLICATION, "live")]


def test_what_holds_goes_on_holding_when_it_is_announced_once_more(alice: Entity) -> None:
    say(alice, ANNUAL)
    say(alice, ANNUAL, minute=5, valid_from=FAR)
    assert standing(alice) == [(ANNUAL, APPLICATION, "live"), (ANNUAL, APPLICATION, "contested")]
    time_comes(alice)
    begin_claims()
    assert standing(alice) == [(ANNUAL, APPLICATION, "superseded"), (ANNUAL, APPLICATION, "live")]


def test_a_plan_can_be_put_off_and_given_up(alice: Entity) -> None:
    say(alice, MONTHLY)
    say(alice, ANNUAL, minute=1, valid_from=at(20))
    say(alice, ANNUAL, minute=2, valid_from=FAR)
    assert [row[2] for row in standing(alice)] == ["live", "superseded", "contested"]
    say(alice, MONTHLY, minute=3, valid_from=FAR)
    time_comes(alice)
    begin_claims()
    assert [row[2] for row in standing(alice)] == ["superseded", "superseded", "superseded", "live"]
    assert Atom.objects.for_entity(alice).live().get().value == MONTHLY


@pytest.mark.parametrize("value", [ANNUAL, MONTHLY])
def test_a_plan_of_less_authority_never_holds_and_is_looked_at_once(alice: Entity, value: Any) -> None:
    say(alice, MONTHLY)
    say(alice, value, minute=5, authority=INFERENCE, valid_from=FAR)
    time_comes(alice)
    begin_claims()
    assert begin_claims() == 0
    assert standing(alice)[0] == (MONTHLY, APPLICATION, "live")


def test_what_was_contested_by_what_is_over_holds(alice: Entity) -> None:
    say(alice, MONTHLY, valid_until=FAR)
    say(alice, ANNUAL, minute=5, authority=USER)
    assert [row[2] for row in standing(alice)] == ["live", "contested"]
    Atom.objects.for_entity(alice).filter(valid_until=FAR).update(valid_until=NOW - SECOND)
    assert (end_claims(), end_claims()) == (2, 0)
    assert [row[2] for row in standing(alice)] == ["superseded", "live"]


def test_a_contested_claim_ends_as_well(alice: Entity) -> None:
    say(alice, MONTHLY)
    say(alice, ANNUAL, minute=5, authority=USER, valid_until=FAR)
    Atom.objects.for_entity(alice).filter(valid_until=FAR).update(valid_until=NOW - SECOND)
    assert (end_claims(), end_claims()) == (1, 0)
    assert [row[2] for row in standing(alice)] == ["live", "superseded"]


def test_what_begins_joins_the_same_words_from_a_conversation(alice: Entity) -> None:
    from memory.ingest.outside_claims import OutsideClaim, record_outside_claims

    planned = say(alice, "annual", valid_from=FAR).atom
    assert planned is not None
    record_outside_claims(entity=alice, claims=[OutsideClaim("mem0", "1", planned.text, said_at=at(9))])
    time_comes(alice)
    assert begin_claims() == 2
    rows = Atom.objects.for_entity(alice).order_by("seq")
    assert [(row.text, row.status, row.chain_id) for row in rows] == [
        (planned.text, "live", planned.chain_id),
        (planned.text, "superseded", planned.chain_id),
    ]
    assert verify(alice) == []


def test_words_that_are_extracted_meanwhile_obey_the_same_order(db: None) -> None:
    entity = an_entity()
    say(entity, MONTHLY, minute=-100_000)
    say(entity, ANNUAL, minute=-90_000, valid_from=FAR)
    tell(entity, "I am on the weekly plan now.")
    settle(entity, answer(merge("Alice is on the weekly plan.", ["a1"])))
    assert list(Atom.objects.for_entity(entity).order_by("seq").values_list("status", flat=True)) == [
        "live",
        "contested",
        "contested",
    ]


@pytest.mark.parametrize("layer", ["L1", "L2", "L3"])
def test_a_rebuild_leaves_plans_and_what_is_over_as_they_are(db: None, layer: str) -> None:
    entity = told()
    say(entity, MONTHLY)
    say(entity, ANNUAL, minute=5, valid_from=FAR)
    say(entity, "Lund", predicate="office.city", valid_from=FAR)
    say(entity, "trial", predicate="offer.kind", valid_until=at(10))
    end_claims()
    settle(entity)
    before = standing(entity)
    assert [row[2] for row in before] == ["live", "contested", "contested", "superseded"]
    apply_rebuild(proposed(entity, a_model(priority=66), layer).rebuild)
    assert standing(entity) == before
