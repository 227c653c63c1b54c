"""Claims superseded by corrected ones, taken back and restored by a person."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memory.claims.observation import Observation, OutsideEvidence, Subject
from memory.claims.observing import observe
from memory.models import Atom, Authority, Chain, Correction, Entity, Evidence, GraphEdge, Work
from memory.models.runs import Step
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.stewardship.correcting_atoms import restore_atom, retract_atom, supersede_atom
from tests.cascade.story import an_entity, answer, merge, say, settle, store
from tests.factories import make_atom, make_claim, make_message, make_rule
from tests.stewardship.people import by, holding, kinds, problems_at_rest, states

pytestmark = pytest.mark.django_db

WRONG = "The API freeze is on 2 May 2026."
RIGHT = "The API freeze is on 3 May 2026."


def a_claim(entity: Entity, text: str = WRONG, **values: Any) -> Atom:
    return make_atom(entity, text, [make_message(entity, text)], **values)


def due(entity: Entity) -> set[str]:
    return set(Work.objects.for_entity(entity).filter(due_at__isnull=False).values_list("step", flat=True))


def test_a_corrected_claim_takes_the_place_of_the_wrong_one() -> None:
    entity = an_entity()
    old = a_claim(entity, kind="instruction", priority=80, topic="api", scope="in May", subject="Alice")
    made = supersede_atom(atom=old, text=f"  {RIGHT}\n", **by(reason="the calendar says so"))
    old.refresh_from_db()
    assert (old.status, old.superseded_by) == ("superseded", made)
    assert (made.status, made.text, made.chain_id) == ("live", RIGHT, old.chain_id)
    assert (made.kind, made.priority, made.topic) == ("instruction", 80, "api")
    assert (made.scope, made.subject, made.authority) == ("in May", "Alice", Authority.USER)
    assert (made.decision, made.merge_reason, made.consumed_by_id, made.run_id) == (
        "merge",
        "value",
        None,
        None,
    )
    [receipt] = Evidence.objects.filter(of_atom=made)
    correction = receipt.correction
    assert correction is not None
    assert (str(correction.user), correction.reason) == ("dana", "the calendar says so")
    assert (correction.before["atom"], correction.before["text"]) == (str(old.pk), WRONG)
    assert (correction.after["atom"], correction.after["text"]) == (str(made.pk), RIGHT)
    assert due(entity) >= {Step.SCENE_SYNTHESIS, Step.PROMOTION}


def test_what_is_given_beside_the_text_is_corrected_too() -> None:
    entity = an_entity()
    old = a_claim(entity)
    made = supersede_atom(
        atom=old, text=old.text, kind="instruction", priority=95, topic="freezes", scope="for the API", **by()
    )
    assert (made.kind, made.priority, made.topic, made.scope) == ("instruction", 95, "freezes", "for the API")
    plain = supersede_atom(atom=made, text=made.text, kind="episodic", **by())
    assert (plain.kind, plain.scope, holding(entity)) == ("episodic", "", [old.text])


@pytest.mark.parametrize(
    ("text", "period"),
    [
        (RIGHT, (None, None)),
        ("The freeze of the API is on 2 May 2026.", (date(2026, 5, 2), None)),
    ],
)
def test_days_stay_where_the_new_words_name_them(text: str, period: tuple[Any, Any]) -> None:
    entity = an_entity()
    made = supersede_atom(atom=a_claim(entity, happened_from=date(2026, 5, 2)), text=text, **by())
    assert (made.happened_from, made.happened_until) == period


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"text": " \n "}, "The claim is empty."),
        ({"text": "x" * 501}, "The claim has 501 characters, at most 500 are stored."),
        ({"text": "a\0b"}, "The claim holds the character U+0000."),
        ({"text": WRONG}, "Nothing would change."),
        ({"text": RIGHT, "kind": "rumour"}, "The kind is one of persona, episodic, instruction."),
        ({"text": RIGHT, "priority": 101}, "The priority is a number from 0 to 100."),
        ({"text": RIGHT, "topic": "x" * 81}, "The topic is a text of at most 80 characters."),
        ({"text": RIGHT, "scope": "always"}, "Only an instruction has a scope."),
        ({"text": "Rust is used."}, "Another claim holds in exactly these words."),
        ({"text": RIGHT, "reason": "x" * 501}, "A reason is a text of at most 500 characters."),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(change: dict[str, Any], refusal: str) -> None:
    entity = an_entity()
    old = a_claim(entity)
    a_claim(entity, "Rust is used.")
    with pytest.raises(RefusedChangeError) as refused:
        supersede_atom(**{"atom": old, **by(), **change})
    assert str(refused.value) == refusal
    assert (states(entity), kinds(entity)) == ({WRONG: "live", "Rust is used.": "live"}, [])


def test_an_observed_claim_keeps_its_subject_and_value_and_the_graph_follows() -> None:
    entity = an_entity()
    old = make_claim(entity, "billing.plan", "annual")
    made = supersede_atom(atom=old, text="Customer 123 pays once a year.", **by())
    assert (made.subject_kind, made.subject_id, made.predicate) == (
        "customer",
        "customer-123",
        "billing.plan",
    )
    assert (made.value, made.authority) == ("annual", Authority.APPLICATION)
    settle(entity)
    assert problems_at_rest(entity) == []
    assert GraphEdge.objects.for_entity(entity).filter(atom=made).exists()


def test_a_claim_that_is_taken_back_holds_no_more_and_nothing_comes_up_in_its_place() -> None:
    entity = an_entity()
    old = a_claim(entity)
    new = make_atom(entity, RIGHT, [make_message(entity, RIGHT)], replaces=old)
    correction = retract_atom(atom=new, **by())
    assert states(entity) == {WRONG: "superseded", RIGHT: "retracted"}
    assert not Evidence.objects.filter(correction=correction).exists()
    assert correction.before["text"] == RIGHT
    # Whoever places the chain again leaves it so.
    subject = Subject("customer", "customer-123")
    observe(
        entity=entity,
        observation=Observation(
            subject, "billing.plan", "annual", Authority.TOOL, (OutsideEvidence("t", "r", Authority.TOOL),)
        ),
    )
    assert states(entity)[WRONG] == "superseded"


def test_what_stood_contested_beside_it_comes_to_hold() -> None:
    entity = an_entity()
    said = a_claim(entity, authority=Authority.TOOL)
    made = Atom.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        chain=said.chain,
        text=RIGHT,
        kind="episodic",
        priority=50,
        authority=Authority.USER,
        status="contested",
        occurred_at=timezone.now(),
        last_seen_at=timezone.now(),
    )
    Evidence.objects.create(
        workspace_id=entity.workspace_id, entity=entity, of_atom=made, message=make_message(entity, RIGHT)
    )
    retract_atom(atom=said, **by())
    assert states(entity) == {WRONG: "retracted", RIGHT: "live"}


def test_others_who_say_the_same_do_not_bring_it_back() -> None:
    entity = an_entity()
    subject = Subject("customer", "customer-123")
    for minute, authority in enumerate((Authority.APPLICATION, Authority.USER)):
        receipt = OutsideEvidence("event", str(minute), authority)
        said_at = datetime(2026, 6, 2, 9, minute, tzinfo=UTC)
        observe(
            entity=entity,
            observation=Observation(subject, "plan", "annual", authority, (receipt,), said_at=said_at),
        )
    retract_atom(atom=Atom.objects.live().get(), **by())
    assert set(Atom.objects.values_list("status", flat=True)) == {"retracted"}
    later = OutsideEvidence("event", "3", Authority.USER)
    told = observe(
        entity=entity, observation=Observation(subject, "plan", "annual", Authority.USER, (later,))
    )
    assert (told.outcome, told.atom and told.atom.status) == ("stored", "live")


def test_a_restored_claim_holds_and_the_present_one_goes_below_it() -> None:
    entity = an_entity()
    old = a_claim(entity)
    new = make_atom(entity, RIGHT, [make_message(entity, RIGHT)], replaces=old, authority=Authority.TOOL)
    old.refresh_from_db()
    correction = restore_atom(atom=old, **by())
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.status, new.status, new.superseded_by) == ("live", "superseded", old)
    assert old.consumed_by_id is None
    assert Evidence.objects.filter(of_atom=old, correction=correction).exists()
    assert correction.before["head"] == str(new.pk)
    assert correction.after["head"] == str(old.pk)


def test_a_claim_that_was_taken_back_is_restored() -> None:
    entity = an_entity()
    atom = a_claim(entity)
    retract_atom(atom=atom, **by())
    atom.refresh_from_db()
    restore_atom(atom=atom, **by())
    assert (states(entity), kinds(entity)) == ({WRONG: "live"}, ["atom_retracted", "atom_restored"])


@pytest.mark.parametrize("change", [retract_atom, restore_atom])
def test_what_is_so_already_is_refused(change: Any) -> None:
    entity = an_entity()
    atom = a_claim(entity)
    if change is retract_atom:
        retract_atom(atom=atom, **by())
        atom.refresh_from_db()
    with pytest.raises(RefusedChangeError, match="already"):
        change(atom=atom, **by())


def test_a_claim_is_not_restored_beside_one_in_the_same_words() -> None:
    entity = an_entity()
    atom = a_claim(entity)
    retract_atom(atom=atom, **by())
    atom.refresh_from_db()
    a_claim(entity)
    with pytest.raises(RefusedChangeError, match="exactly these words"):
        restore_atom(atom=atom, **by())


def test_a_claim_whose_time_is_over_is_not_restored() -> None:
    entity = an_entity()
    ended = timezone.now() - timedelta(days=1)
    atom = make_claim(entity, "plan", "annual", status="superseded", valid_until=ended)
    with pytest.raises(RefusedChangeError, match="at this time"):
        restore_atom(atom=atom, **by())


@pytest.mark.parametrize("change", [retract_atom, lambda **given: supersede_atom(text=RIGHT, **given)])
def test_whoever_saw_an_older_state_is_told_so(change: Any) -> None:
    entity = an_entity()
    atom = a_claim(entity)
    seen = Atom.objects.get(pk=atom.pk)
    retract_atom(atom=atom, **by())
    with pytest.raises(StaleChangeError, match="The claim is retracted by now"):
        change(atom=seen, **by())
    assert kinds(entity) == ["atom_retracted"]


def test_words_said_before_do_not_overrule_a_correction_whoever_said_them() -> None:
    entity = an_entity()
    old = a_claim(entity)
    made = supersede_atom(atom=old, text=RIGHT, **by())
    say(entity, WRONG, role="tool", speaker="", tool_name="calendar")

    def merging(request: Any) -> Any:
        handles = {atom.text: atom.handle for atom in request.payload.atoms}
        return answer(merge(WRONG, [handles[RIGHT]], "m1", reason="contradiction"))

    settle(entity, l1_extract=merging)
    made.refresh_from_db()
    assert (made.status, holding(entity)) == ("live", [RIGHT])


def test_words_said_later_replace_a_correction() -> None:
    entity = an_entity()
    supersede_atom(atom=a_claim(entity), text=RIGHT, **by())
    moved = "The API freeze is on 9 May 2026."
    say(entity, moved, at=timezone.now() + timedelta(seconds=1))

    def merging(request: Any) -> Any:
        handles = {atom.text: atom.handle for atom in request.payload.atoms}
        return answer(merge(moved, [handles[RIGHT]], "m1"))

    settle(entity, l1_extract=merging)
    assert states(entity) == {WRONG: "superseded", RIGHT: "superseded", moved: "live"}
    assert problems_at_rest(entity) == []


def test_a_rule_that_is_taken_back_is_no_rule_any_more() -> None:
    entity = an_entity()
    rule = make_rule(entity, "Never deploy on Fridays.", [make_message(entity, "Never deploy on Fridays.")])
    retract_atom(atom=rule, **by())
    assert list(Atom.objects.for_entity(entity).rules(0)) == []


def test_a_terminal_is_called_by_its_name() -> None:
    entity = an_entity()
    correction = retract_atom(atom=a_claim(entity), actor=Actor(name="dana at the terminal"), reason="")
    assert (correction.by, correction.user, correction.key) == ("dana at the terminal", None, None)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_correct_one_claim_at_once_one_is_told_to_look_again() -> None:
    entity = an_entity()
    with transaction.atomic():
        atom = a_claim(entity)
    begin = Barrier(2)

    def correct(text: str) -> str:
        seen = Atom.objects.select_related("entity").get(pk=atom.pk)
        begin.wait()
        try:
            return supersede_atom(atom=seen, text=text, actor=Actor(name=text), reason="").text
        except StaleChangeError:
            return "stale"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(correct, ("One.", "Two.")))
    assert told in (["One.", "stale"], ["Two.", "stale"])
    assert holding(entity) == [told[0]]
    assert (Correction.objects.count(), Chain.objects.count()) == (1, 1)


def test_a_claim_that_a_later_message_states_again_is_a_new_one() -> None:
    entity = an_entity()
    atom = a_claim(entity)
    retract_atom(atom=atom, **by())
    say(entity, WRONG, at=timezone.now() + timedelta(seconds=1))
    settle(entity, l1_extract=answer(store(WRONG)))
    assert list(Atom.objects.order_by("seq").values_list("text", "status")) == [
        (WRONG, "retracted"),
        (WRONG, "live"),
    ]
