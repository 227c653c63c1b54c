"""Atoms that are extracted from words obey the same order when they speak of what is claimed."""

import pytest

from memory.models import Atom, Chain, Entity
from tests.cascade.story import an_entity, answer, merge, runs, settle, skip
from tests.cascade.story import say as tell
from tests.claims.observing import ANNUAL, INFERENCE, MONTHLY, USER, at, event, say

pytestmark = pytest.mark.django_db


def states(entity: Entity) -> list[tuple[str, int, str]]:
    rows = Atom.objects.for_entity(entity).order_by("seq")
    return list(rows.values_list("text", "authority", "status"))


def test_words_of_a_user_do_not_replace_what_an_application_claims() -> None:
    entity = an_entity()
    say(entity, ANNUAL, minute=-100_000)
    tell(entity, "I am on the monthly plan now.")
    settle(entity, answer(merge("Alice is on the monthly plan.", ["a1"])))
    assert [row[1:] for row in states(entity)] == [(4, "live"), (USER, "contested")]
    assert Chain.objects.for_entity(entity).count() == 1


def test_words_of_a_user_replace_what_an_agent_guessed() -> None:
    entity = an_entity()
    say(entity, ANNUAL, minute=-100_000, authority=INFERENCE)
    tell(entity, "I am on the monthly plan now.")
    settle(entity, answer(merge("Alice is on the monthly plan.", ["a1"])))
    assert [row[1:] for row in states(entity)] == [(INFERENCE, "superseded"), (USER, "live")]
    assert (
        say(entity, ANNUAL, minute=100_000, authority=INFERENCE, evidence=(event("late"),)).outcome
        == "contested"
    )


def test_a_repeat_in_words_does_not_make_a_claim_later() -> None:
    entity = an_entity()
    claimed = say(entity, ANNUAL, minute=-100_000).atom
    tell(entity, "I am on the annual plan.")
    settle(entity, answer(skip(["a1"])))
    assert claimed is not None
    claimed.refresh_from_db()
    assert (claimed.last_seen_at, claimed.evidence.count()) == (at(-100_000), 2)
    assert say(entity, MONTHLY, minute=-90_000).outcome == "replaced"


def test_claims_about_two_matters_stay_two_whatever_a_model_says() -> None:
    entity = an_entity()
    say(entity, ANNUAL, minute=-100_000)
    say(entity, "Lund", predicate="office.city", minute=-100_000)
    tell(entity, "We moved to the monthly billing plan, and the office to Oslo.")
    settle(entity, answer(merge("The billing plan is monthly, the office in Oslo.", ["a1", "a2"])))
    assert [row[2] for row in states(entity)] == ["live", "live", "contested"]
    notes = [entry for run in runs(entity) for entry in run.decisions if entry["outcome"] == "repaired"]
    assert [note["reason"] for note in notes] == [
        "it names claims about several matters: only the first is merged with"
    ]
