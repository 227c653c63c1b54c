"""Fragments that mend an earlier claim: whose words they change, and when they are left alone."""

from datetime import UTC, datetime

import pytest

from tests.llm.offline.ladder import Ladder, message

LATER = datetime(2026, 9, 1, 9, tzinfo=UTC)


def live(*texts: str) -> list[str]:
    ladder = Ladder()
    for text in texts:
        ladder.say(text)
    return [atom.text for atom in ladder.live()]


@pytest.mark.parametrize(
    ("said", "fragment", "mended"),
    [
        ("I am allergic to peanuts.", "Not peanuts but hazelnuts.", "Alice is allergic to hazelnuts."),
        ("I am allergic to peanuts.", "It's hazelnuts, not peanuts.", "Alice is allergic to hazelnuts."),
        ("My mentor is Carla.", "I meant Clara, not Carla.", "Alice's mentor is Clara."),
        ("Use metric units by default.", "Forget what I said about metric. Use imperial.",
         "Use imperial units by default."),
        ("Ich bin allergisch gegen Nüsse.", "Nicht Nüsse, sondern Milch.",
         "Alice: Ich bin allergisch gegen Milch."),
    ],
)  # fmt: skip
def test_a_fragment_mends_the_claim_that_holds_the_old_value(said: str, fragment: str, mended: str) -> None:
    assert live(said, fragment) == [mended]


def test_what_was_said_just_before_needs_no_old_value() -> None:
    ladder = Ladder()
    ladder.read(
        [message("The kickoff is on Monday.", handle="m1"), message("Sorry, I meant Tuesday.", handle="m2")],
        [1],
    )
    assert [(item.action, item.reason, item.text) for item in ladder.decisions] == [
        ("store", "", "The kickoff is on Monday."),
        ("merge", "value", "The kickoff is on Tuesday."),
    ]


def test_a_mended_deadline_moves_its_period() -> None:
    ladder = Ladder()
    ladder.say("We must finish the office move before September 10.", "I meant September 24.")
    assert [str(atom.happened_until) for atom in ladder.live()] == ["2026-09-24"]


@pytest.mark.parametrize(
    "fragment",
    [
        "I meant Tuesday.",
        "Not only peanuts, but hazelnuts.",
        "It's complicated, not easy.",
        "Not the weather but the traffic.",
        "Scratch that.",
        "I changed my mind.",
    ],
)
def test_a_fragment_that_fits_nothing_changes_nothing(fragment: str) -> None:
    assert live("I am allergic to peanuts.", fragment) == ["Alice is allergic to peanuts."]


def test_a_fragment_that_fits_two_claims_changes_neither() -> None:
    both = ["Alice is allergic to peanuts.", "Alice's sister is allergic to peanuts."]
    ladder = Ladder()
    ladder.say("I am allergic to peanuts.", "My sister is allergic to peanuts.")
    ladder.say("It's hazelnuts, not peanuts.", at=LATER)
    assert [atom.text for atom in ladder.live()] == both


def test_nobody_mends_what_another_person_said() -> None:
    ladder = Ladder()
    ladder.say("I am allergic to peanuts.", speaker="Nora")
    ladder.say("It's hazelnuts, not peanuts.", speaker="Ben", at=LATER)
    assert [atom.text for atom in ladder.live()] == ["Nora is allergic to peanuts."]
