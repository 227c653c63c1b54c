"""«Forget my old address»: what is meant is listed, asked about, and only then erased."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import transaction

from memory.cascade.engine import settle_entity
from memory.indexing.step import index_entity
from memory.llm.offline import OfflineModel
from memory.models import Atom, Entity, Erasure, Message, SceneVersion
from memory.recall.search import Request, search
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.forgetting import (
    CONTESTED,
    HOLDS_NOW,
    SHARED,
    UNSORTED,
    Forgettable,
    confirm_forgetting,
    find_forgettable,
    propose_forgetting,
)
from memory.stewardship.verify import verify
from tests.cascade.story import START, an_entity, say
from tests.factories import NewLine, make_atom, make_claim, make_message, make_scene, make_trait

pytestmark = pytest.mark.django_db(transaction=True)

ALICE = Actor(name="alice")


def found(entity: Entity, words: str) -> Forgettable:
    return find_forgettable(entity=entity, words=words)


def chosen(entity: Entity, words: str) -> list[str]:
    return [match.text for match in found(entity, words).chosen]


def texts(entity: Entity) -> list[str]:
    return list(Message.objects.for_entity(entity).order_by("seq").values_list("text", flat=True))


def told(*texts: str, name: str = "agent.alice") -> Entity:
    """An entity that heard one thing after the other, each worked through; then indexed."""
    entity = an_entity(name)
    for text in texts:
        say(entity, text)
        settle_entity(entity, model=OfflineModel())
    index_entity(entity_id=entity.pk)
    return entity


def test_an_old_address_goes_and_the_current_one_stays() -> None:
    entity = told(
        "My address is 12 Oak Street.",
        "My dog is called Rex.",
        "My address is 5 Elm Road now.",
        "My address is 9 Pine Avenue now.",
        "Forget my old address.",
    )
    said = texts(entity)
    assert len(said) == 5, "a sentence in a conversation erases nothing"

    proposal = propose_forgetting(entity=entity, words="Forget my old address.", actor=ALICE)

    assert [(match.status, match.is_chosen, match.reason) for match in proposal.found.matches] == [
        ("superseded", True, ""),
        ("superseded", True, ""),
        ("live", False, HOLDS_NOW),
    ]
    assert [words.text for match in proposal.found.chosen for words in match.messages] == [said[0], said[2]]
    assert texts(entity) == said, "nothing goes before it is confirmed"

    done = confirm_forgetting(entity=entity, token=proposal.token, actor=ALICE)

    assert texts(entity) == [said[1], said[3], said[4]]
    assert (done.status, done.by, done.counts["messages"]) == ("done", "alice", 2)
    assert Erasure.objects.get(status="done").pk == done.pk
    settle_entity(entity, model=OfflineModel())
    index_entity(entity_id=entity.pk)
    live = [atom.text for atom in Atom.objects.for_entity(entity)]
    assert [text for text in live if "Pine" in text] != []
    assert [text for text in live if "Oak" in text or "Elm" in text] == []
    assert [
        hit.text for hit in search(entity, Request("Oak Street or Elm Road")).hits if "Oak" in hit.text
    ] == []
    lines = [line.text for scene in SceneVersion.objects.for_entity(entity) for line in scene.lines.all()]
    assert [line for line in lines if "Oak" in line or "Elm" in line] == []
    assert verify(entity, is_settled=True) == []


def test_without_a_word_for_old_the_current_one_is_meant_too() -> None:
    entity = told("My address is 12 Oak Street.", "My address is 5 Elm Road now.", "I like tea.")
    assert [text for text in chosen(entity, "forget my address") if "tea" in text] == []
    assert len(chosen(entity, "forget my address")) == 2


def an_indexed(*pairs: tuple[str, str], topic: str = "") -> tuple[Entity, list[Atom]]:
    """A claim for each text, resting on the words beside it."""
    with transaction.atomic():
        entity = an_entity()
        atoms = [
            make_atom(
                entity, claim, [make_message(entity, words)], topic=topic, terms=claim.casefold().split()
            )
            for words, claim in pairs
        ]
    index_entity(entity_id=entity.pk)
    return entity, atoms


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("forget my badge word", ["Alice's badge word is ORCHID-7."]),
        ("forget that my badge word is ORCHID-7", ["Alice's badge word is ORCHID-7."]),
        ("delete what I said about Rex", ["Alice's dog is called Rex."]),
        ("forget my dog", ["Alice's dog is called Rex."]),
        ("forget my passport", []),
        ("忘记我的猫", ["爱丽丝的猫叫米米。"]),
        ("انس كتاب احمد", ["كِتاب أحمد عند أليس"]),
        ("Vergiss meinen Hund Bello", ["Alices Hund heißt Bello."]),
    ],
)
def test_what_is_meant_is_found_in_any_script(words: str, expected: list[str]) -> None:
    entity, _ = an_indexed(
        ("My badge word is ORCHID-7.", "Alice's badge word is ORCHID-7."),
        ("My dog is called Rex.", "Alice's dog is called Rex."),
        ("我的猫叫米米。", "爱丽丝的猫叫米米。"),
        ("كِتاب أحمد عندي", "كِتاب أحمد عند أليس"),
        ("Mein Hund heißt Bello.", "Alices Hund heißt Bello."),
        ("Never deploy without my approval.", "Never deploy without Alice's approval."),
    )
    assert chosen(entity, words) == expected


def test_what_depends_on_it_is_told() -> None:
    with transaction.atomic():
        entity = an_entity()
        both = make_message(entity, "My locker is 12 and I like tea.")
        locker = make_atom(entity, "Alice's locker is 12.", [both])
        make_atom(entity, "Alice likes tea.", [both])
        version = make_scene(entity, "Work", [NewLine("work_context", "Her locker is 12.", [locker])])
        make_trait(entity, "role", "Has a locker.", list(version.lines.all()))
    index_entity(entity_id=entity.pk)

    (match,) = found(entity, "forget my locker").chosen

    assert match.id == locker.pk
    assert [words.text for words in match.messages] == ["My locker is 12 and I like tea."]
    assert (match.also, match.lines, match.traits) == (
        ("Alice likes tea.",),
        ("Her locker is 12.",),
        ("Has a locker.",),
    )


def test_an_old_claim_on_the_words_of_the_current_one_is_not_chosen() -> None:
    with transaction.atomic():
        entity = an_entity()
        both = make_message(entity, "My locker was 12, now it is 15.")
        old = make_atom(entity, "Alice's locker is 12.", [both])
        make_atom(entity, "Alice's locker is 15.", [both], replaces=old)
    index_entity(entity_id=entity.pk)
    reasons = [match.reason for match in found(entity, "forget my old locker").matches]
    assert reasons == [SHARED, HOLDS_NOW]


def test_words_that_nobody_has_sorted_yet_are_told_apart() -> None:
    entity = an_entity()
    say(entity, "My locker is 12.", at=START)
    asked, old = found(entity, "forget my locker"), found(entity, "forget my old locker")
    assert [(match.kind, match.status, match.reason) for match in asked.matches] == [("message", "raw", "")]
    assert [(match.is_chosen, match.reason) for match in old.matches] == [(False, UNSORTED)]


def test_a_claim_that_tells_of_something_old_is_old_and_a_contested_one_is_not() -> None:
    entity, atoms = an_indexed(
        ("My old locker was 12.", "Alice's old locker was 12."), ("It is 15.", "Alice's locker is 15.")
    )
    Atom.objects.filter(pk=atoms[1].pk).update(status="contested")
    matches = found(entity, "forget my old locker").matches
    assert [(match.is_chosen, match.reason) for match in matches] == [(True, ""), (False, CONTESTED)]


def test_a_claim_from_outside_goes_by_itself() -> None:
    with transaction.atomic():
        entity = an_entity()
        plan = make_claim(entity, "billing.plan", "annual", terms=["plan", "billing"])
        make_claim(entity, "billing.city", "Oslo", terms=["city"])
    index_entity(entity_id=entity.pk)
    proposal = propose_forgetting(entity=entity, words="forget the billing plan", actor=ALICE)
    assert [match.id for match in proposal.found.chosen] == [plan.pk]

    confirm_forgetting(entity=entity, token=proposal.token, actor=ALICE)

    assert [atom.predicate for atom in Atom.objects.for_entity(entity)] == ["billing.city"]


def two_lockers() -> tuple[Entity, list[Atom]]:
    return an_indexed(
        ("My locker at work is 12.", "Alice's locker at work is 12."),
        ("My locker at the gym is 15.", "Alice's locker at the gym is 15."),
    )


@pytest.mark.parametrize("names_words", [False, True])
def test_what_a_person_keeps_stays(names_words: bool) -> None:
    entity, (work, gym) = two_lockers()
    proposal = propose_forgetting(entity=entity, words="forget my locker", actor=ALICE)
    assert [match.id for match in proposal.found.chosen] == [work.pk, gym.pk]
    kept = proposal.found.matches[1].messages[0].id if names_words else gym.pk

    confirm_forgetting(entity=entity, token=proposal.token, actor=ALICE, keep=[kept])

    assert texts(entity) == ["My locker at the gym is 15."]
    assert sorted(Erasure.objects.values_list("status", flat=True)) == ["done", "expired"]


def test_keeping_everything_or_something_else_is_refused() -> None:
    entity, atoms = two_lockers()
    proposal = propose_forgetting(entity=entity, words="forget my locker", actor=ALICE)
    for keep, problem in (
        ([atom.pk for atom in atoms], "Nothing is left"),
        ([UUID(int=1)], "was not listed"),
    ):
        with pytest.raises(RefusedChangeError, match=problem):
            confirm_forgetting(entity=entity, token=proposal.token, actor=ALICE, keep=keep)
    assert len(texts(entity)) == 2


def test_a_token_serves_once_and_for_its_entity_alone() -> None:
    entity, _ = two_lockers()
    other = an_entity("agent.bob")
    proposal = propose_forgetting(entity=entity, words="forget my locker", actor=ALICE)
    with pytest.raises(RefusedChangeError):
        confirm_forgetting(entity=other, token=proposal.token, actor=ALICE)
    confirm_forgetting(entity=entity, token=proposal.token, actor=ALICE)
    with pytest.raises(RefusedChangeError):
        confirm_forgetting(entity=entity, token=proposal.token, actor=ALICE)


def test_nothing_found_makes_no_plan_and_nothing_asked_is_refused() -> None:
    entity, _ = two_lockers()
    proposal = propose_forgetting(entity=entity, words="forget my passport", actor=ALICE)
    assert (proposal.found.matches, proposal.erasure, proposal.token) == ((), None, "")
    with pytest.raises(RefusedChangeError, match="Say what is to be forgotten"):
        find_forgettable(entity=entity, words="forget everything")


def test_somebody_elses_words_are_never_listed() -> None:
    with transaction.atomic():
        bob = an_entity("agent.bob")
        make_atom(bob, "Bob's locker is 99.", [make_message(bob, "My locker is 99.")], terms=["locker"])
    index_entity(entity_id=bob.pk)
    entity, _ = two_lockers()
    assert [text for text in chosen(entity, "forget the locker") if "99" in text] == []


def test_the_audit_holds_none_of_the_words() -> None:
    entity, _ = two_lockers()
    proposal = propose_forgetting(entity=entity, words="forget my locker", actor=ALICE)
    assert proposal.erasure is not None
    assert proposal.erasure.reason == "asked to forget"
    assert proposal.erasure.expires_at - proposal.erasure.created_at < timedelta(minutes=16)


def test_claims_in_other_words_of_the_same_matter_are_found() -> None:
    entity, atoms = an_indexed(
        ("I live at 12 Oak Street.", "Alice lives at 12 Oak Street."),
        ("My address is 5 Elm Road.", "Alice's address is 5 Elm Road."),
        topic="Alice's home",
    )
    with transaction.atomic():
        freeze = make_message(entity, "The freeze moved to 9 May.")
        make_atom(entity, "The freeze moved to 9 May.", [freeze], topic="freeze", terms=["freeze", "moved"])
    index_entity(entity_id=entity.pk)
    Atom.objects.filter(pk=atoms[0].pk).update(terms=["alice", "lives", "oak", "home"])
    assert chosen(entity, "forget my address") == [atom.text for atom in atoms]


def test_a_part_of_a_word_is_not_the_word() -> None:
    entity, _ = an_indexed(
        *((f"Note on locker{number}.", f"Locker{number} was noted.") for number in (16, 17, 18)),
    )
    assert chosen(entity, "forget my locker17 note") == ["Locker17 was noted."]
