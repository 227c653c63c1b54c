"""What may stand for a session: a grounded text within its limit; else it is asked for again, then mended."""

from __future__ import annotations

from typing import Any

import pytest

from memory.cascade.compaction import ask_compaction
from memory.models import Digest, Entity, Session
from tests.cascade.story import an_entity, answer, runs, settle
from tests.cascade.talks import digest_item, folding, open_talk, take
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return an_entity(time_zone="Europe/Oslo")


@pytest.fixture
def session(entity: Entity) -> Session:
    session = open_talk(entity, title="Rollout")
    take(session, "Can we ship Pear 2 tomorrow?", role="user", speaker="Alice")
    take(session, "Bertrand has to sign off first.")
    take(session, "Fine.", role="user", speaker="Alice")
    return session


def fold(entity: Entity, session: Session, *answers: Any) -> ScriptedModel:
    left = list(answers)
    with folding(kept=1):
        ask_compaction(session)
        return settle(entity, compaction=lambda request: left.pop(0))


def summary(*texts: str) -> dict[str, Any]:
    return answer(*(digest_item("summary", text) for text in texts))


def outcomes(entity: Entity) -> list[tuple[str, str]]:
    return [(entry["outcome"], entry["reason"]) for entry in runs(entity, "compaction")[-1].decisions]


@pytest.mark.parametrize(
    "text",
    [
        "Alice wants to ship Pear 2 on 3 June 2026; Bertrand has to sign off.",
        "The user asks the assistant to ship. The Assistant says that Bertrand signs off.",
        "Rollout: open since 2026-06-02.",
    ],
)
def test_what_the_turns_hold_is_taken(entity: Entity, session: Session, text: str) -> None:
    fold(entity, session, summary(text))
    assert (Digest.objects.get().text, outcomes(entity)) == (text, [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Alice ships with Camille.", "Neither turns nor earlier summary hold: Camille."),
        ("Alice ships on 7 June 2026.", "Neither turns nor earlier summary hold: 7 June 2026."),
        ("Alice pays 400 euros.", "Neither turns nor earlier summary hold: 400."),
        ("Alice ships. " * 200, "It has 2599 characters; at most 2400 are taken."),
        ("Alice is like Zorblatt.", "It repeats an example of the prompt."),
    ],
)
def test_what_may_not_stand_is_asked_for_once_more(
    entity: Entity, session: Session, text: str, reason: str
) -> None:
    model = fold(entity, session, summary(text), summary("Alice wants to ship."))
    assert (Digest.objects.get().text, outcomes(entity)) == ("Alice wants to ship.", [("sent back", reason)])
    assert reason in [request for request in model.requests if request.task == "compaction"][1].user


def test_a_wrong_action_and_a_second_text_are_told(entity: Entity, session: Session) -> None:
    fold(
        entity,
        session,
        answer(digest_item("brief", "Alice ships.")),
        summary("Alice wants to ship."),
    )
    assert outcomes(entity) == [("sent back", "A summary is wanted.")]
    take(session, "Then go.", role="user")
    fold(entity, session, summary("Alice ships.", "Alice waits."), summary())
    assert Digest.objects.heads().get().text == "Alice ships."


def test_what_nobody_said_is_left_out_where_the_model_insists(entity: Entity, session: Session) -> None:
    bad = summary("Alice wants to ship. Then Camille pays. Bertrand has to sign off.")
    fold(entity, session, bad, bad)
    assert Digest.objects.get().text == "Alice wants to ship. Bertrand has to sign off."
    assert [outcome for outcome, _ in outcomes(entity)] == ["sent back", "repaired"]


def test_a_text_that_stays_too_long_is_cut_at_the_end_of_a_sentence(entity: Entity, session: Session) -> None:
    long = summary("Bertrand has to sign off first, says the assistant. " * 60)
    fold(entity, session, long, "no JSON")
    text = Digest.objects.get().text
    assert 2_300 < len(text) <= 2_400
    assert text.endswith("says the assistant.")


def test_nothing_that_could_be_mended_is_a_failure(entity: Entity, session: Session) -> None:
    bad = summary("Camille pays 400 euros.")
    fold(entity, session, bad, bad, bad, bad)
    [run] = [run for run in runs(entity, "compaction") if run.status == "failed"][:1]
    assert (run.error_kind, run.error_text, "Camille pays" in run.raw_answer) == (
        "no_digest",
        "No text of the answer may stand.",
        True,
    )
