"""Cases 30 to 37: what changes is replaced and kept as history; rules hold where they were given for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.cascade.story import answer, merge, skip, store
from tests.cases.agents import START, Agent, texts_of
from tests.cases.answers import atom_handle, by_step

LATER = START + timedelta(days=7)
ONLY_OK = "For this check answer only OK."
NOT_COLD = "Please do not sound cold."
NOT_COLD_IN_ANSWERS = "Please do not sound cold in an answer."


@pytest.mark.parametrize("model", ["offline", "scripted"])
def test_case_30_a_contradiction_leaves_the_new_claim_standing_and_the_old_one_as_history(
    agent: Agent, model: str, request: pytest.FixtureRequest
) -> None:
    if model == "scripted":
        stub = request.getfixturevalue("stub")

        def extract(prompt: str) -> dict[str, Any]:
            if "cannot stand" not in prompt:
                return answer(store("Alice loves ramen.", kind="persona"))
            old = atom_handle(prompt, "Alice loves ramen.")
            return answer(
                merge("Alice cannot stand ramen any more.", [old], kind="persona", reason="contradiction")
            )

        stub.respond = by_step(l1_extract=extract)
    agent.say("I love ramen.")
    agent.work()
    agent.say("I cannot stand ramen any more.", session="later", at=LATER)
    agent.work()
    assert agent.history() == [
        ("Alice loves ramen.", "superseded"),
        ("Alice cannot stand ramen any more.", "live"),
    ]
    old, new = agent.atoms("all")
    assert (old["superseded_by"], old["chain"], new["merge_reason"]) == (
        new["id"],
        new["chain"],
        "contradiction",
    )


@pytest.mark.parametrize("judged", ["skipped", "stored again", "offline"])
def test_case_31_the_same_fact_a_week_later_is_one_fact_with_two_sources(
    agent: Agent, judged: str, request: pytest.FixtureRequest
) -> None:
    if judged != "offline":
        stub = request.getfixturevalue("stub")
        claim = "Alice's locker is number 12."

        def extract(prompt: str) -> dict[str, Any]:
            is_known = f'"{claim}"' in prompt
            return answer(skip(["a1"]) if is_known and judged == "skipped" else store(claim))

        stub.respond = by_step(l1_extract=extract)
    first = agent.say("My locker is number 12.")
    agent.work()
    (before,) = agent.atoms("all")
    second = agent.say("My locker is number 12.", session="later", at=LATER)
    agent.work()
    (atom,) = agent.atoms("all")
    assert (atom["id"], atom["text"], atom["status"]) == (before["id"], before["text"], "live")
    assert atom["citations"] == first + second
    assert datetime.fromisoformat(atom["last_seen_at"]) == LATER + timedelta(minutes=1)
    assert before["last_seen_at"] == START.isoformat().replace("+00:00", "Z")


def test_case_32_a_changed_number_is_an_update_whose_history_has_its_dates(agent: Agent) -> None:
    a_year_before = datetime(2025, 1, 10, 9, 0, tzinfo=UTC)
    agent.say("I have worked at the mill for five years.", at=a_year_before)
    agent.work()
    agent.say(
        "I have worked at the mill for six years.", session="later", at=a_year_before.replace(year=2026)
    )
    agent.work()
    told = [(atom["text"], atom["status"], atom["said_at"][:10]) for atom in agent.atoms("all")]
    assert told == [
        ("Alice has worked at the mill for five years.", "superseded", "2025-01-10"),
        ("Alice has worked at the mill for six years.", "live", "2026-01-10"),
    ]
    found = agent.recall("How many years have I worked at the mill?")["hits"]
    assert texts_of(found, "atom") == ["Alice has worked at the mill for six years."]
    assert_only_history_holds("five", "six", found)


@pytest.mark.parametrize("model", ["offline", "eager"])
def test_case_35_a_rule_for_one_moment_stays_with_it_and_joins_no_other_rule(
    agent: Agent, model: str, request: pytest.FixtureRequest
) -> None:
    if model == "eager":
        stub = request.getfixturevalue("stub")

        def extract(prompt: str) -> dict[str, Any]:
            if "sound cold" not in prompt:
                return answer(store("Answer only OK.", kind="instruction", priority=90))
            if "is kept as it was" in prompt:
                return answer()
            joined = "Answer only OK and do not sound cold."
            return answer(
                merge(joined, [atom_handle(prompt, "Answer only OK.")], kind="instruction", priority=100),
                store("Do not sound cold.", kind="instruction", priority=75),
            )

        stub.respond = by_step(l1_extract=extract)
    agent.say(ONLY_OK, session="testing")
    agent.work()
    # With a word of the other rule, which is therefore offered as a claim that may be the same matter.
    agent.say(NOT_COLD if model == "offline" else NOT_COLD_IN_ANSWERS, session="elsewhere", at=LATER)
    agent.work()
    bound, general = [rule for rule in agent.atoms("all") if rule["kind"] == "instruction"]
    assert ("only OK" in bound["text"], "sound cold" in general["text"]) == (True, True)
    assert (bound["status"], bound["scope"]) == ("live", "For this check")
    assert (general["status"], general["scope"], general["priority"]) == ("live", "", 75)
    assert bound["chain"] != general["chain"]
    card, check = (agent.context(task) for task in ("Write a birthday card.", "Run the check of the parser."))
    assert ["sound cold" in rules_of(told) for told in (card, check)] == [True, True]
    assert "only OK" not in rules_of(card)


def assert_only_history_holds(old: str, new: str, hits: list[dict[str, Any]]) -> None:
    """What was superseded is told by nothing but the record of changes, together with what replaced it."""
    holding = [hit for hit in hits if old in hit["text"]]
    assert {hit["section"] for hit in holding} <= {"evolution_record"}
    assert all("(before: " in hit["text"] and new in hit["text"] for hit in holding)


def rules_of(context: str) -> str:
    """The block of a context that holds whatever is asked."""
    return context.partition("## Standing rules\n")[2].partition("\n## ")[0]


def test_case_37_what_was_superseded_is_not_recalled_and_stands_in_the_history(agent: Agent) -> None:
    agent.say("My favourite colour is green.")
    agent.work()
    agent.say("My favourite colour is blue.", session="later", at=LATER)
    agent.work()
    assert agent.history() == [
        ("Alice's favourite colour is green.", "superseded"),
        ("Alice's favourite colour is blue.", "live"),
    ]
    asked = "Is green Alice's favourite colour?"
    found = agent.recall(asked)["hits"]
    assert texts_of(found, "atom") == ["Alice's favourite colour is blue."]
    assert_only_history_holds("green", "blue", found)
    told = agent.context(asked).partition("## Request")[0]
    assert ("is blue" in told, "green" in told) == (True, False)
    old, new = agent.atoms("all")
    assert (old["superseded_by"], old["chain"]) == (new["id"], new["chain"])
    read = agent.get(f"atoms/{old['id']}")
    assert [receipt["text"] for receipt in read["rests_on"]] == ["My favourite colour is green."]
