"""The same again, a changed value, the opposite, or another matter."""

from datetime import UTC, datetime

import pytest

from tests.llm.offline.ladder import Ladder


def decided(*texts: str) -> list[tuple[str, str]]:
    ladder = Ladder()
    for day, text in enumerate(texts, 1):
        ladder.say(text, at=datetime(2026, 3, day, tzinfo=UTC))
    return [(item.action, item.reason) for item in ladder.decisions]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I love ramen.", "I cannot stand ramen any more."),
        ("I enjoy long meetings.", "I don't enjoy long meetings."),
        ("Deploy to staging only with approval.", "Never deploy to staging only with approval."),
    ],
)
def test_the_opposite_replaces(first: str, second: str) -> None:
    assert decided(first, second) == [("store", ""), ("merge", "contradiction")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I have worked at the mill for five years.", "I have worked at the mill for six years."),
        (
            "Keep the billing API on Express until July 15.",
            "Keep the billing API on Express until October 15.",
        ),
        ("I live in Oslo.", "I live in Bergen now."),
        ("My favorite color is blue.", "My favorite color is green."),
        ("The webhook contract is unapproved.", "The webhook contract is approved."),
        ("Our release is on May 5.", "Our release has been moved to May 12."),
        (
            "We must finish the office move before September 10.",
            "We must finish the office move before September 24.",
        ),
    ],
)
def test_a_changed_value_replaces(first: str, second: str) -> None:
    assert decided(first, second) == [("store", ""), ("merge", "value")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I work at the mill.", "I work at the mill."),
        ("Never deploy without my approval.", "As I said: never deploy without my approval!"),
        ("I prefer short answers.", "I really prefer short answers."),
    ],
)
def test_the_same_again_is_skipped(first: str, second: str) -> None:
    assert decided(first, second) == [("store", ""), ("skip", "repeats a1")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Never deploy on Fridays.", "Please do not sound cold."),
        ("For this check answer only OK.", "Please answer without jargon."),
        ("I went to the lake yesterday.", "I went to the lake today."),
        ("I love ramen.", "I hate coffee."),
        ("My brother lives in Oslo.", "My sister lives in Bergen."),
        ("I lived in Rome in 2019.", "I lived in Paris in 2021."),
    ],
)
def test_other_matters_stay_beside_each_other(first: str, second: str) -> None:
    assert decided(first, second) == [("store", ""), ("store", "")]


def test_a_later_item_of_the_same_answer_names_the_earlier_one() -> None:
    ladder = Ladder()
    items = ladder.say("I love ramen.", "I cannot stand ramen any more.")
    assert [(item.action, item.targets) for item in items] == [("store", []), ("merge", ["n1"])]
    assert [atom.text for atom in ladder.live()] == ["Alice cannot stand ramen any more."]


def test_older_words_that_arrive_late_still_find_their_matter() -> None:
    ladder = Ladder()
    ladder.say("I have worked at the mill for six years.", at=datetime(2026, 3, 1, tzinfo=UTC))
    [item] = ladder.say("I have worked at the mill for five years.", at=datetime(2025, 3, 1, tzinfo=UTC))
    assert (item.action, item.reason, item.targets) == ("merge", "value", ["a1"])


def test_a_merge_keeps_the_topic_of_what_it_replaces() -> None:
    ladder = Ladder()
    ladder.say("The billing API migration is mine. Keep the billing API on Express until July 15.")
    ladder.say("Keep the billing API on Express until October 15.")
    assert {atom.topic for atom in ladder.live()} == {"billing API migration"}
