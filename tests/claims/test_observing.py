"""Observing: what holds after an observation, what is kept beside it, and what is refused."""

from typing import Any
from uuid import uuid4

import pytest

from memory.claims.observation import MessageEvidence, Subject
from memory.ingest.problems import IngestError
from memory.models import Atom, Chain, Entity, Evidence, Step, Work, Workspace
from tests.claims.observing import (
    ANNUAL,
    APPLICATION,
    FAR,
    INFERENCE,
    MONTHLY,
    NOON,
    TOOL,
    USER,
    at,
    decide,
    event,
    say,
    standing,
)
from tests.factories import make_message


def receipts(entity: Entity) -> list[tuple[Any, ...]]:
    rows = Evidence.objects.filter(entity=entity).order_by("id")
    names = ("of_atom__text", "outside_kind", "outside_reference", "outside_authority", "role")
    return list(rows.values_list(*names))


def test_a_claim_is_an_atom_with_its_outside_evidence(alice: Entity) -> None:
    observed = say(alice, ANNUAL, valid_until=FAR)
    atom = Atom.objects.get(entity=alice)
    assert (observed.outcome, observed.atom, observed.chain, observed.is_new, observed.holds) == (
        "stored",
        atom,
        atom.chain_id,
        True,
        atom,
    )
    names = ("text", "kind", "topic", "subject", "subject_kind", "subject_id", "predicate", "value")
    assert [getattr(atom, name) for name in names] == [
        "customer customer-123 billing.plan: cycle annual, price 1200",
        "episodic",
        "billing",
        "customer-123",
        "customer",
        "customer-123",
        "billing.plan",
        ANNUAL,
    ]
    names = ("authority", "status", "decision", "occurred_at", "last_seen_at", "valid_from", "valid_until")
    assert [getattr(atom, name) for name in names] == [
        APPLICATION,
        "live",
        "store",
        NOON,
        NOON,
        None,
        FAR,
    ]
    assert receipts(alice) == [(atom.text, "tool_event", "billing.plan_selected", APPLICATION, "source")]


def test_what_follows_is_due(alice: Entity) -> None:
    say(alice, ANNUAL)
    due = Work.objects.filter(entity=alice, due_at__isnull=False).values_list("step", flat=True)
    assert sorted(due) == [Step.PROMOTION, Step.SCENE_SYNTHESIS]


def test_the_later_of_two_equals_holds(alice: Entity) -> None:
    first = say(alice, ANNUAL)
    second = say(alice, MONTHLY, minute=5)
    assert (second.outcome, second.reason) == (
        "replaced",
        "It takes the place of «customer customer-123 billing.plan: cycle annual, price 1200».",
    )
    assert second.chain == first.chain
    assert standing(alice) == [(ANNUAL, APPLICATION, "superseded"), (MONTHLY, APPLICATION, "live")]


def test_an_older_statement_that_arrives_late_is_history(alice: Entity) -> None:
    say(alice, MONTHLY, minute=5)
    late = say(alice, ANNUAL)
    assert (late.outcome, late.reason, late.is_new) == (
        "history",
        "application says «customer customer-123 billing.plan: cycle monthly, price 120», and that stands.",
        True,
    )
    assert standing(alice) == [(MONTHLY, APPLICATION, "live"), (ANNUAL, APPLICATION, "superseded")]


def test_a_lower_authority_is_contested(alice: Entity) -> None:
    held = say(alice, ANNUAL)
    guessed = say(alice, MONTHLY, minute=5, authority=INFERENCE)
    assert (guessed.outcome, guessed.reason, guessed.holds) == (
        "contested",
        "application says «customer customer-123 billing.plan: cycle annual, price 1200», "
        "which counts for more.",
        held.atom,
    )
    assert standing(alice) == [(ANNUAL, APPLICATION, "live"), (MONTHLY, INFERENCE, "contested")]


def test_a_higher_authority_replaces_what_was_guessed_later(alice: Entity) -> None:
    say(alice, MONTHLY, minute=5, authority=INFERENCE)
    assert say(alice, ANNUAL).outcome == "replaced"
    assert standing(alice) == [(MONTHLY, INFERENCE, "contested"), (ANNUAL, APPLICATION, "live")]


@pytest.mark.parametrize("again", [{"price": 1_200.0, "cycle": "annual"}, ANNUAL])
def test_an_equal_value_is_one_more_receipt(alice: Entity, again: Any) -> None:
    first = say(alice, ANNUAL)
    repeat = say(alice, again, minute=5, evidence=(event("invoice-7"),))
    assert (repeat.outcome, repeat.atom, repeat.is_new) == ("repeated", first.atom, False)
    atom = Atom.objects.get(entity=alice)
    assert (atom.occurred_at, atom.last_seen_at) == (NOON, at(5))
    assert [row[2:] for row in receipts(alice)] == [
        ("billing.plan_selected", APPLICATION, "source"),
        ("invoice-7", APPLICATION, "repeat"),
    ]


def test_lists_in_another_order_are_another_value(alice: Entity) -> None:
    say(alice, ["a", "b"])
    assert say(alice, ["b", "a"], minute=1).outcome == "replaced"


def test_somebody_of_less_authority_who_agrees_repeats_it(alice: Entity) -> None:
    held = say(alice, ANNUAL)
    agreed = say(alice, ANNUAL, minute=5, authority=INFERENCE, evidence=(event("guess"),))
    assert (agreed.outcome, agreed.atom, agreed.is_new) == ("repeated", held.atom, False)
    assert Atom.objects.get(pk=held.atom.pk).last_seen_at == NOON
    assert [row[2] for row in receipts(alice) if row[0]] == ["billing.plan_selected", "guess", "guess"]
    assert say(alice, MONTHLY, minute=3).outcome == "replaced"
    assert standing(alice) == [
        (ANNUAL, APPLICATION, "superseded"),
        (ANNUAL, INFERENCE, "contested"),
        (MONTHLY, APPLICATION, "live"),
    ]


def test_somebody_of_more_authority_who_agrees_takes_it_over(alice: Entity) -> None:
    say(alice, ANNUAL, authority=INFERENCE)
    assert say(alice, ANNUAL, minute=-5).outcome == "replaced"
    assert standing(alice) == [(ANNUAL, INFERENCE, "superseded"), (ANNUAL, APPLICATION, "live")]


def test_a_value_that_comes_back_holds_again(alice: Entity) -> None:
    for minute, value in enumerate((ANNUAL, MONTHLY, ANNUAL)):
        assert say(alice, value, minute=minute).is_new
    assert [status for _, _, status in standing(alice)] == ["superseded", "superseded", "live"]


def test_the_same_observation_twice_stores_nothing(alice: Entity) -> None:
    for value, minute in ((ANNUAL, 0), (MONTHLY, 5)):
        say(alice, value, minute=minute)
    before = list(Atom.objects.for_entity(alice).order_by("seq").values())
    for value, minute in ((ANNUAL, 0), (MONTHLY, 5)):
        again = say(alice, value, minute=minute)
        assert (again.outcome, again.is_new, again.atom.value) == ("repeated", False, value)
    assert list(Atom.objects.for_entity(alice).order_by("seq").values()) == before
    assert len(receipts(alice)) == 2


def test_without_a_time_a_resent_observation_moves_nothing(alice: Entity) -> None:
    say(alice, ANNUAL, said_at=None)
    seen = Atom.objects.get(entity=alice).last_seen_at
    assert say(alice, ANNUAL, said_at=None).outcome == "repeated"
    assert (Atom.objects.get(entity=alice).last_seen_at, len(receipts(alice))) == (seen, 1)
    say(alice, MONTHLY, said_at=None)
    assert say(alice, ANNUAL, said_at=None).outcome == "replaced"


def test_a_message_is_evidence_and_says_when(alice: Entity) -> None:
    message = make_message(alice, "We take the annual plan.")
    observed = say(alice, ANNUAL, said_at=None, authority=USER, evidence=(MessageEvidence(message.pk),))
    assert observed.atom.occurred_at == message.occurred_at
    assert list(Evidence.objects.filter(of_atom=observed.atom).values_list("message", "outside_kind")) == [
        (message.pk, None)
    ]


def test_a_message_from_the_far_future_does_not_say_when(alice: Entity) -> None:
    message = make_message(alice, "We take the annual plan.", occurred_at=FAR)
    say(alice, ANNUAL, said_at=None, evidence=(MessageEvidence(message.pk),))
    assert not Atom.objects.filter(entity=alice, occurred_at=FAR).exists()
    assert say(alice, MONTHLY, said_at=None).outcome == "replaced"


def test_many_values_hold_side_by_side(alice: Entity, workspace: Workspace) -> None:
    decide(workspace, "likes", cardinality="many")
    for value in ("tea", "chess", "tea"):
        say(alice, value, predicate="likes")
    assert standing(alice) == [("tea", APPLICATION, "live"), ("chess", APPLICATION, "live")]
    assert say(alice, "tea", predicate="likes", authority=INFERENCE, minute=9).outcome == "repeated"
    assert [row[2] for row in standing(alice)] == ["live", "live", "superseded"]


def test_when_one_value_alone_holds_from_now_on_the_others_give_way(
    alice: Entity, workspace: Workspace
) -> None:
    policy = decide(workspace, "likes", cardinality="many")
    for minute, value in enumerate(("tea", "chess")):
        say(alice, value, predicate="likes", minute=minute)
    policy.delete()
    assert say(alice, "go", predicate="likes", minute=5).outcome == "replaced"
    assert [row[2] for row in standing(alice)] == ["superseded", "superseded", "live"]
    assert Chain.objects.for_entity(alice).count() == 1


def test_other_subjects_and_predicates_are_other_matters(alice: Entity, bob: Entity) -> None:
    say(alice, ANNUAL)
    say(alice, MONTHLY, subject=Subject("customer", "customer-124"))
    say(alice, MONTHLY, predicate="billing.plans")
    say(bob, MONTHLY)
    assert [status for _, _, status in standing(alice)] == ["live"] * 3
    assert standing(bob) == [(MONTHLY, APPLICATION, "live")]


def test_a_policy_refuses_an_authority(alice: Entity, workspace: Workspace) -> None:
    decide(workspace, "billing.*", asserted_by=[TOOL, APPLICATION])
    with pytest.raises(IngestError) as raised:
        say(alice, ANNUAL, authority=INFERENCE)
    assert str(raised.value) == (
        "authority: agent inference may not assert it: the policy billing.* takes application, tool"
    )
    assert standing(alice) == []


def test_a_policy_keeps_nothing(alice: Entity, workspace: Workspace) -> None:
    decide(workspace, "billing.*", "ignore")
    observed = say(alice, ANNUAL)
    assert (observed.outcome, observed.reason, observed.atom) == (
        "ignored",
        "The policy billing.* keeps nothing of it.",
        None,
    )
    assert not Chain.objects.for_entity(alice).exists()


def test_a_live_claim_keeps_a_reference_and_never_the_value(alice: Entity, workspace: Workspace) -> None:
    say(alice, ANNUAL)
    decide(workspace, "billing.plan", "live")
    first, again = (say(alice, MONTHLY, authority=INFERENCE, minute=5) for _ in range(2))
    assert [(one.outcome, one.is_new, one.atom) for one in (first, again)] == [
        ("referenced", True, first.atom),
        ("referenced", False, first.atom),
    ]
    assert (first.atom.text, first.atom.value, first.atom.live_source) == (
        "customer customer-123 billing.plan: live, from source-billing.plan",
        None,
        "source-billing.plan",
    )
    assert standing(alice) == [(ANNUAL, APPLICATION, "superseded"), (None, APPLICATION, "live")]


def test_where_a_value_is_kept_again_nothing_is_fetched_any_more(alice: Entity, workspace: Workspace) -> None:
    policy = decide(workspace, "billing.plan", "live")
    say(alice, None)
    policy.delete()
    observed = say(alice, MONTHLY, authority=INFERENCE, minute=5)
    assert (observed.outcome, observed.holds) == ("replaced", observed.atom)
    assert standing(alice) == [(None, APPLICATION, "superseded"), (MONTHLY, INFERENCE, "live")]
    assert Atom.objects.dead().get().valid_until == at(5)


def test_what_has_ended_stands_in_the_way_of_nothing(alice: Entity) -> None:
    ended = say(alice, "trial", valid_until=at(10))
    assert (ended.outcome, ended.reason, ended.holds) == (
        "history",
        "It held until 2026-06-02 12:10 UTC.",
        None,
    )
    assert say(alice, ANNUAL, authority=USER, minute=5).outcome == "stored"
    assert say(alice, MONTHLY, authority=USER, minute=15).outcome == "replaced"
    assert standing(alice) == [
        ("trial", APPLICATION, "superseded"),
        (ANNUAL, USER, "superseded"),
        (MONTHLY, USER, "live"),
    ]


def test_a_repeat_may_say_how_long_it_holds(alice: Entity) -> None:
    say(alice, ANNUAL, valid_until=at(10))
    say(alice, ANNUAL, minute=5, valid_until=at(20))
    assert Atom.objects.get(entity=alice).valid_until == at(20)
    say(alice, ANNUAL, minute=30)
    assert Atom.objects.get(entity=alice).valid_until is None


def test_what_a_person_took_back_is_not_brought_back_by_a_resent_observation(alice: Entity) -> None:
    say(alice, ANNUAL)
    Atom.objects.for_entity(alice).update(status=Atom.Status.RETRACTED)
    assert say(alice, ANNUAL).reason == "A person took it back."
    assert say(alice, ANNUAL, minute=5).outcome == "stored"
    assert [row[2] for row in standing(alice)] == ["retracted", "live"]


def test_the_same_words_from_elsewhere_become_part_of_the_matter(alice: Entity) -> None:
    from memory.ingest.outside_claims import OutsideClaim, record_outside_claims

    words = "customer customer-123 billing.plan: annual"
    record_outside_claims(entity=alice, claims=[OutsideClaim("mem0", "1", words, said_at=at(-5))])
    assert say(alice, "annual").outcome == "replaced"
    rows = Atom.objects.for_entity(alice).order_by("seq")
    assert [(row.text, row.status) for row in rows] == [(words, "superseded"), (words, "live")]


def test_a_long_value_is_cut_and_still_told_apart(alice: Entity) -> None:
    texts = [say(alice, "x" * 600 + end, minute=minute).atom.text for minute, end in enumerate("ab")]
    assert [len(text) for text in texts] == [500, 500]
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    ("value", "fields", "problem"),
    [
        (None, {}, "value: is null: a claim says something"),
        (float("nan"), {}, "value: holds a number that is not finite"),
        ({"a": [1e999]}, {}, "value: holds a number that is not finite"),
        ("x" * 8_200, {}, "value: is 8202 bytes of JSON, at most 8192 are stored"),
        ({1: 2}, {}, "value: holds a name that is no text"),
        (("a",), {}, "value: holds a tuple, which is no JSON"),
        ("\0", {}, "value: holds the character U+0000"),
        (1, {"subject": Subject("", "a")}, "subject.kind: has to be names of letters"),
        (1, {"subject": Subject("customer", "")}, "subject.identifier: has 0 characters, 1 to 256 are taken"),
        (1, {"subject": Subject("customer", "a\u202eb")}, "subject.identifier: begins or ends with a space"),
        (1, {"predicate": "billing..plan"}, "predicate: has to be names of letters"),
        (1, {"predicate": "a" * 129}, "predicate: has 129 characters, at most 128 are taken"),
        (1, {"authority": 7}, "authority: is none of application, tool, user and inference"),
        (1, {"evidence": ()}, "evidence: holds 0 items, 1 to 20 are taken"),
        (1, {"evidence": (event(" "),)}, "evidence[0].reference: is blank"),
        (1, {"evidence": (event(kind="k" * 65),)}, "evidence[0].kind: has 65 characters, at most 64"),
        (1, {"said_at": NOON.replace(tzinfo=None)}, "said_at: has no time zone"),
        (1, {"said_at": FAR}, "said_at: lies more than a day ahead"),
        (1, {"valid_from": NOON, "valid_until": NOON}, "valid_until: has to be later than valid_from"),
        (
            1,
            {"evidence": (event(), MessageEvidence(uuid4()))},
            "evidence[1].message: is no stored message of this entity",
        ),
    ],
)
def test_what_cannot_be_claimed_is_refused_by_its_name(
    alice: Entity, value: Any, fields: dict[str, Any], problem: str
) -> None:
    with pytest.raises(IngestError) as raised:
        say(alice, value, **fields)
    assert str(raised.value).startswith(problem)
    assert not Atom.objects.for_entity(alice).exists()


def test_a_number_of_too_many_digits_is_refused(alice: Entity) -> None:
    with pytest.raises(IngestError, match="value: holds a number of too many digits"):
        say(alice, 10**5_000)


def test_a_message_of_somebody_else_is_no_evidence(alice: Entity, bob: Entity) -> None:
    message = make_message(bob, "We take the annual plan.")
    with pytest.raises(IngestError, match="is no stored message of this entity"):
        say(alice, ANNUAL, evidence=(MessageEvidence(message.pk),))


def test_a_long_history_costs_no_more_statements(alice: Entity, django_assert_max_num_queries: Any) -> None:
    counted = []
    for minute in range(40):
        with django_assert_max_num_queries(30) as asked:
            say(alice, (ANNUAL, MONTHLY)[minute % 2], minute=minute)
        counted.append(len(asked))
    assert counted[2:] == [counted[2]] * 38
    assert [status for _, _, status in standing(alice)] == ["superseded"] * 39 + ["live"]
