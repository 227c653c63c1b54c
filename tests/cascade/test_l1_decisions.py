"""l1_extract: store, merge and skip; own items; what may be cited; priority; many topics in one answer."""

from typing import Any

import pytest

from memory.models import Atom, Chain, Entity, Evidence, Message, Step
from tests.cascade.story import START, an_entity, answer, merge, runs, say, settle, skip, store

pytestmark = pytest.mark.django_db


def states(entity: Entity) -> list[tuple[str, str]]:
    return [(atom.text, atom.status) for atom in Atom.objects.for_entity(entity).order_by("seq")]


def receipts(atom: Atom) -> set[tuple[str, str]]:
    return set(atom.evidence.values_list("message__text", "role"))


def dropped(entity: Entity) -> list[str]:
    return [
        entry["reason"] for run in runs(entity) for entry in run.decisions if entry["outcome"] == "dropped"
    ]


def refusal(entity: Entity, item: dict[str, object]) -> list[str]:
    """Answer with one item, and again with the same when it is sent back."""
    settle(entity, l1_extract=answer(item))
    return dropped(entity)


def test_several_topics_of_one_batch_become_several_claims() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.", "Releases happen on Mondays.", "Call me Al.")
    settle(
        entity,
        answer(
            store("Alice lives in Oslo.", "m1", topic="home", subject="Alice"),
            store("Releases happen on Mondays.", "m2", topic="release", priority=70),
            store("Call Alice Al.", "m3", kind="instruction", topic="address"),
        ),
    )
    found = Atom.objects.for_entity(entity).order_by("seq").values_list("text", "kind", "topic", "priority")
    assert list(found) == [
        ("Alice lives in Oslo.", "episodic", "home", 50),
        ("Releases happen on Mondays.", "episodic", "release", 70),
        ("Call Alice Al.", "instruction", "address", 50),
    ]
    assert Chain.objects.for_entity(entity).count() == 3


def test_a_merge_replaces_within_the_chain_and_names_what_replaced_it() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    say(entity, "I live in Bergen now.")
    settle(entity, answer(merge("Alice lives in Bergen.", ["a1"])))
    old, new = Atom.objects.for_entity(entity).order_by("seq")
    assert states(entity) == [("Alice lives in Oslo.", "superseded"), ("Alice lives in Bergen.", "live")]
    assert (old.superseded_by, old.chain, new.decision, new.merge_reason) == (
        new,
        new.chain,
        "merge",
        "value",
    )
    assert receipts(new) == {("I live in Bergen now.", "source")}


def test_a_merge_of_several_chains_gathers_them_in_one() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.", "My flat is in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.", "m1"), store("Alice's flat is in Oslo.", "m2")))
    say(entity, "I gave up the flat in Oslo and live in Bergen.")
    settle(entity, answer(merge("Alice lives in Bergen.", ["a1", "a2"])))
    assert [status for _, status in states(entity)] == ["superseded", "superseded", "live"]
    assert Chain.objects.for_entity(entity).count() == 1


def test_n1_names_the_first_claim_of_the_same_answer() -> None:
    entity = an_entity()
    say(entity, "We meet on Monday.", "No, on Tuesday.", "On Tuesday, as I said.")
    settle(
        entity,
        answer(
            store("The meeting is on Monday.", "m1"),
            merge("The meeting is on Tuesday.", ["n1"], "m2"),
            skip(["n2"], "m3"),
        ),
    )
    assert states(entity) == [
        ("The meeting is on Monday.", "superseded"),
        ("The meeting is on Tuesday.", "live"),
    ]
    assert receipts(Atom.objects.live().get()) == {
        ("No, on Tuesday.", "source"),
        ("On Tuesday, as I said.", "repeat"),
    }


@pytest.mark.parametrize("own", ["n0", "n1", "n2", "n9"])
def test_an_own_item_must_be_an_earlier_claim(own: str) -> None:
    entity = an_entity()
    say(entity, "We meet on Monday.")
    assert refusal(entity, merge("The meeting is on Monday.", [own])) == [
        f"{own} is not an earlier claim of this answer."
    ]


def test_an_own_item_that_was_corrected_is_named_by_its_old_place() -> None:
    entity = an_entity()
    say(entity, "I like tea.", "We meet on Monday.", "No, on Tuesday.")
    settle(
        entity,
        answer(
            store("Alice likes tea.", "m1"),
            store("The meeting with Bertrand is on Monday.", "m2"),
            merge("The meeting is on Tuesday.", ["n2"], "m3"),
        ),
        answer(store("The meeting is on Monday.", "m2"), merge("The meeting is on Tuesday.", ["n2"], "m3")),
    )
    assert states(entity) == [
        ("Alice likes tea.", "live"),
        ("The meeting is on Monday.", "superseded"),
        ("The meeting is on Tuesday.", "live"),
    ]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (store("Alice lives in Oslo.", "m7"), "“m7” was not offered; offered were m1."),
        (store("Alice lives in Oslo.", "a1"), "“a1” was not offered; offered were m1."),
        (store(""), "The text is empty."),
        (merge("Alice lives in Oslo.", []), "A merge names in targets what it replaces."),
        (merge("Alice lives in Oslo.", ["a4"]), "“a4” was not offered; offered were m1."),
        (skip(["a4"]), "“a4” was not offered; offered were m1."),
        (store("Alice lives in Oslo.", scope="at work"), "Only an instruction has a scope."),
        (
            store("Alice lives in Oslo.", happened_from="2026-06-02", happened_until="2026-06-01"),
            "happened_until lies before happened_from.",
        ),
    ],
)
def test_an_item_that_does_not_stand_is_dropped_with_its_reason(item: dict[str, object], reason: str) -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    assert refusal(entity, item) == [reason]
    assert states(entity) == []


def test_a_merge_without_a_proper_reason_is_dropped() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    say(entity, "I live in Bergen.")
    assert refusal(entity, merge("Alice lives in Bergen.", ["a1"], reason="because")) == [
        "A merge's reason is value or contradiction."
    ]


def test_earlier_turns_explain_but_are_not_read_again() -> None:
    entity = an_entity()
    say(entity, "My cat is called Mia.")
    settle(entity)
    say(entity, "She is five.")
    assert refusal(entity, store("Alice's cat is called Mia.", "m2")) == [
        "It cites none of the messages to read, only earlier turns."
    ]
    say(entity, "She is grey.")
    settle(entity, answer(store("Mia is grey.", "m1", "m2", "m3")))
    assert states(entity) == [("Mia is grey.", "live")]


def test_a_message_is_never_its_own_earlier_turn() -> None:
    entity = an_entity()
    say(entity, "Second thing.")
    say(entity, "First thing.", at=START.replace(year=2020))
    [request] = settle(entity).requests
    payload: Any = request.payload
    assert [message.text for message in payload.messages] == ["First thing.", "Second thing."]
    assert payload.context == ()


def test_the_words_of_a_whole_id_count_as_a_handle() -> None:
    entity = an_entity()
    [message] = say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.", str(message.pk))))
    assert states(entity) == [("Alice lives in Oslo.", "live")]


def test_merging_does_not_raise_the_priority_of_a_rule() -> None:
    entity = an_entity()
    say(entity, "Do not sound cold.")
    settle(entity, answer(store("Do not sound cold.", kind="instruction", priority=60)))
    say(entity, "Do not sound cold or stiff.")
    settle(entity, answer(merge("Do not sound cold or stiff.", ["a1"], kind="instruction", priority=95)))
    say(entity, "Do not sound cold, stiff or dull.", "Cold, stiff, dull or rude.")
    settle(
        entity,
        answer(
            merge("Do not sound cold, stiff or dull.", ["a1"], kind="instruction", priority=95),
            merge("Do not sound cold, stiff, dull or rude.", ["n1"], "m2", kind="instruction", priority=99),
        ),
    )
    assert set(Atom.objects.for_entity(entity).values_list("priority", flat=True)) == {60}


def test_merging_may_lower_a_priority() -> None:
    entity = an_entity()
    say(entity, "Do not sound cold.")
    settle(entity, answer(store("Do not sound cold.", kind="instruction", priority=60)))
    say(entity, "Do not sound cold, but it hardly matters.")
    settle(entity, answer(merge("Better not sound cold.", ["a1"], kind="instruction", priority=20)))
    assert Atom.objects.live().get().priority == 20


@pytest.mark.parametrize("field", ["text", "topic", "subject", "scope"])
def test_the_prompts_examples_are_never_stored(field: str) -> None:
    entity = an_entity()
    say(entity, "ok, thanks", speaker="Zorblatt")
    item = {**store("Be brief.", kind="instruction"), field: "The zorblatt way"}
    assert refusal(entity, item) == ["It repeats an example of the prompt."]
    assert states(entity) == []


def test_the_same_words_twice_in_one_answer_are_one_claim_with_two_receipts() -> None:
    entity = an_entity()
    say(entity, "My locker is number 12.", "My locker is number 12!")
    same = "Alice's locker is number 12."
    settle(entity, answer(store(same, "m1"), store(same, "m2")))
    assert states(entity) == [(same, "live")]
    assert len(receipts(Atom.objects.get())) == 2
    [run] = runs(entity)
    assert [(entry["outcome"], entry["reason"]) for entry in run.decisions] == [
        ("store", ""),
        ("skip", "the same words stand already"),
    ]


def test_the_same_fact_a_week_later_is_a_second_receipt_and_seen_later() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    [second] = say(entity, "I live in Oslo.", session="later")
    settle(entity, answer(store("Alice lives in Oslo.")))
    atom = Atom.objects.for_entity(entity).get()
    assert (atom.status, atom.last_seen_at) == ("live", second.occurred_at)
    assert set(atom.evidence.values_list("role", flat=True)) == {"source", "repeat"}
    assert runs(entity)[-1].outputs == {"receipts": [str(atom.pk)]}


def test_a_merge_into_words_that_stand_already_still_replaces_its_targets() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.", "My sister thinks I live in Bergen.")
    settle(entity, answer(store("Alice lives in Oslo.", "m1"), store("Alice lives in Bergen.", "m2")))
    say(entity, "No, I live in Bergen, not in Oslo.")

    def correct(request: Any) -> Any:
        atoms = {atom.text: atom.handle for atom in request.payload.atoms}
        return answer(
            merge("Alice lives in Bergen.", [atoms["Alice lives in Oslo."]], reason="contradiction")
        )

    settle(entity, correct)
    assert states(entity) == [("Alice lives in Oslo.", "superseded"), ("Alice lives in Bergen.", "live")]
    assert Chain.objects.for_entity(entity).count() == 1
    assert len(receipts(Atom.objects.live().get())) == 2


def test_going_back_to_what_held_before_makes_a_new_head() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    for place in ("Bergen", "Oslo"):
        say(entity, f"I live in {place} again.")
        settle(entity, answer(merge(f"Alice lives in {place}.", ["a1"])))
    assert states(entity) == [
        ("Alice lives in Oslo.", "superseded"),
        ("Alice lives in Bergen.", "superseded"),
        ("Alice lives in Oslo.", "live"),
    ]


def test_a_target_that_was_retracted_during_the_call_is_read_again() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    say(entity, "I live in Bergen.")
    settle(entity, answer(merge("Alice lives in Bergen.", ["a1"])))
    say(entity, "Bergen, as I said.")

    def retract(request: Any) -> Any:
        Atom.objects.live().update(status="retracted")
        return answer(skip(["a1"]))

    model = settle(entity, retract)
    assert model.tasks[:2] == ["l1_extract", "l1_extract"]
    assert states(entity) == [("Alice lives in Oslo.", "superseded"), ("Alice lives in Bergen.", "retracted")]
    assert [run.status for run in runs(entity)][-2:] == ["discarded", "succeeded"]


def test_a_skip_needs_no_target_and_says_why() -> None:
    entity = an_entity()
    say(entity, "Well, well.")
    settle(entity, answer(skip([], reason="small talk")))
    [run] = runs(entity)
    assert [(entry["outcome"], entry["reason"]) for entry in run.decisions] == [("skip", "small talk")]
    assert (states(entity), run.outputs) == ([], {})


def test_a_rule_for_one_situation_keeps_it_and_joins_no_other_rule() -> None:
    entity = an_entity()
    say(entity, "For this check answer only OK.")
    settle(
        entity,
        answer(store("Answer only OK.", kind="instruction", scope="this check", priority=50)),
    )
    say(entity, "Please do not sound cold.", session="elsewhere")
    settle(entity, answer(store("Do not sound cold.", kind="instruction", priority=60)))
    found = Atom.objects.live().order_by("seq").values_list("text", "scope", "priority")
    assert list(found) == [("Answer only OK.", "this check", 50), ("Do not sound cold.", "", 60)]


def test_what_was_superseded_is_offered_to_no_model_again() -> None:
    entity = an_entity()
    say(entity, "The deadline is in May.")
    settle(entity, answer(store("The deadline is in May.")))
    say(entity, "The deadline is in June.")
    settle(entity, answer(merge("The deadline is in June.", ["a1"])))
    say(entity, "When is the deadline in May?")
    request = settle(entity).requests[0]
    payload: Any = request.payload
    assert [atom.text for atom in payload.atoms] == ["The deadline is in June."]


def test_every_message_of_a_batch_is_consumed_by_the_run_that_read_it() -> None:
    entity = an_entity()
    say(entity, *(f"Thing number {number}." for number in range(45)))
    settle(entity)
    sizes = [len(run.inputs["messages"]) for run in runs(entity)]
    assert sizes == [20, 20, 5]
    assert {run.pk for run in runs(entity)} == set(Message.objects.values_list("consumed_by", flat=True))
    assert Evidence.objects.count() == 0


def test_the_number_of_statements_does_not_grow_with_the_claims(
    django_assert_max_num_queries: object,
) -> None:
    entity = an_entity()
    say(entity, *(f"Item {number} costs {number}." for number in range(20)))
    settle(
        entity,
        answer(*(store(f"Item {n} costs {n}.", f"m{n + 1}", topic=f"item {n}") for n in range(20))),
    )

    def statements(count: int) -> int:
        say(entity, *(f"Item {n} costs {n} plus {n}." for n in range(count)), session=f"again {count}")

        def update(request: Any) -> Any:
            atoms = {atom.text.split(" costs")[0]: atom.handle for atom in request.payload.atoms}
            return answer(
                *(
                    merge(f"Item {n} costs {n} plus {n}.", [atoms[f"Item {n}"]], f"m{n + 1}")
                    for n in range(count)
                )
            )

        with django_assert_max_num_queries(200) as captured:  # type: ignore[operator]
            settle(entity, update)
        return len(captured)

    few = statements(2)
    Atom.objects.filter(text__contains="plus").update(status="retracted", superseded_by=None)
    Atom.objects.exclude(text__contains="plus").update(status="live", superseded_by=None)
    assert statements(18) <= few
    assert runs(entity, Step.L1_EXTRACT)[-1].status == "succeeded"
