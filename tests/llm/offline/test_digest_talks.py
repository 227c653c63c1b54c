"""Whole digests of small talks: what they keep first, what stays open, and what they leave out."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from memory.cascade.compaction_contract import OfferedCall, OfferedTurn
from memory.llm.offline.digest_claims import CHOSEN
from memory.llm.offline.digest_questions import DEFERRED
from tests.llm.offline.test_digests import text_of, turns_of

TALKS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "digests.toml").read_text(encoding="utf-8")
)["talk"]
ROLES = {"U": "user", "A": "assistant"}


def talk(lines: str) -> tuple[OfferedTurn, ...]:
    """Turns of `U …` and `A …`, one a line; further lines of a turn begin with a space."""
    joined = lines.strip().replace("\n ", "\x00").splitlines()
    return turns_of(*((ROLES[line[0]], line[2:].replace("\x00", "\n")) for line in joined))


@pytest.mark.parametrize("case", TALKS, ids=lambda case: str(case["name"]))
def test_a_small_talk_leaves_its_digest(case: dict[str, Any]) -> None:
    assert text_of(talk(case["said"])) == case["digest"].strip()


LONG = "\n".join(
    [
        "U I want to move our lending library from paper cards to a catalogue before 1 August.",
        "U The cards stand in a cabinet that Ingrid keeps. Her deputy is Pavel.",
        "U Our budget is 3,500 euros.",
        "U My parrot sang through the whole morning.",
        "U Alright, then we use the Reader plan, billed monthly.",
        *(
            f"U How does the part {word} work?\nA It works by pressing {word}."
            for word in "abcdefghijklmnop" * 2
        ),
        "U Opening day is 9 September.",
        "A Understood.",
    ]
)
ESSENCE = [
    "wants to move",
    "August 1, 2026",
    "Reader plan",
    "3,500 euros",
    "September 9, 2026",
]


def test_goal_choice_budget_and_days_outlast_questions_that_are_done() -> None:
    summary, brief = text_of(talk(LONG)), text_of(talk(LONG), limit=600, action="brief")
    assert [words for words in [*ESSENCE, "Ingrid keeps", "deputy is Pavel"] if words not in summary] == []
    assert [words for words in ESSENCE if words not in brief] == []
    assert ("parrot" in brief, len(summary) <= 2_400, len(brief) <= 600) == (False, True, True)


def test_what_was_worth_keeping_once_is_worth_it_in_a_later_fold() -> None:
    turns = talk(LONG)
    first, second, third = turns[:20], turns[20:40], turns[40:]
    text = text_of(third, before=text_of(second, before=text_of(first)), limit=600, action="brief")
    assert [words for words in ESSENCE if words not in text] == []


def test_results_stand_beside_the_arguments_of_their_own_call() -> None:
    calls = (
        OfferedCall("stock", '{"city": "Bergen"}', "c1"),
        OfferedCall("stock", '{"city": "Oslo"}', "c2"),
        OfferedCall("stock", "{}", "c3"),
    )
    said = turns_of(
        ("assistant", "", {"calls": calls}),
        ("tool", "1240", {"tool_name": "stock", "result_of": "c2"}),
        ("tool", "310", {"tool_name": "stock", "result_of": "c1"}),
        ("tool", "5", {"tool_name": "stock", "result_of": "c3"}),
    )
    assert text_of(said).splitlines() == [
        "Results:",
        '- stock {"city": "Oslo"}: 1240',
        '- stock {"city": "Bergen"}: 310',
        "- stock: 5",
    ]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"token": "ghp_abcdefghijklmnopqrstuvwx"}', "search: found"),
        (
            f'{{"words": "apples and pears", "limit": 12,"filter": "{"x" * 60}"}}',
            'search {"words": "apples and pears", "limit": 12,"filter"…: found',
        ),
        (f'{{"sum":"{"1,200," * 20}"}}', "search: found"),
    ],
)
def test_arguments_are_cut_between_two_of_them_and_tell_no_secret(arguments: str, shown: str) -> None:
    said = turns_of(
        ("assistant", "", {"calls": (OfferedCall("search", arguments, "c1"),)}),
        ("tool", "found", {"tool_name": "search", "result_of": "c1"}),
    )
    assert text_of(said) == f"Results:\n- {shown}"


@pytest.mark.parametrize(
    ("sentence", "is_put_off"),
    [
        ("Let me look that up for you.", True),
        ("I'll check with the warehouse.", True),
        ("One moment, please.", True),
        ("I'm not sure.", True),
        ("Einen Moment bitte.", True),
        ("Let me introduce Ingrid.", False),
        ("I'll send it on Monday.", False),
        ("Checking accounts cost nothing at this bank.", False),
        ("I see four orders.", False),
    ],
)
def test_putting_off_is_told_from_answering(sentence: str, is_put_off: bool) -> None:
    assert (DEFERRED.match(sentence) is not None) == is_put_off


@pytest.mark.parametrize(
    ("sentence", "is_chosen"),
    [
        ("Okay, then we take the small van.", True),
        ("Let's go with the second draft.", True),
        ("Alright, I'll keep the old tariff.", True),
        ("Dann nehmen wir den kleinen Wagen.", True),
        ("So we use Python at work.", False),
        ("Then I take the bus home.", False),
        ("We take notes.", False),
    ],
)
def test_choosing_is_told_from_doing(sentence: str, is_chosen: bool) -> None:
    assert (CHOSEN.match(sentence) is not None) == is_chosen
