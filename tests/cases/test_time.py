"""Cases 40 to 44: days are those of who speaks, and a time that nobody knows stays unknown."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from memory.models import Message
from tests.cascade.story import answer, store
from tests.cases.agents import Agent
from tests.cases.answers import by_step, prompts
from tests.stub_provider import StubProvider

EVENING = datetime(2026, 4, 23, 2, 30, tzinfo=UTC)
MAY_16 = datetime(2026, 5, 16, 18, 0, tzinfo=UTC)


def days(atom: dict[str, Any]) -> tuple[str | None, str | None]:
    return atom["happened_from"], atom["happened_until"]


def bring_in(path: Path, rows: list[dict[str, Any]], *arguments: str) -> str:
    """Import rows of the project's own format; gives the last line of the report."""
    path.write_text("\n".join(map(json.dumps, rows)))
    out = StringIO()
    call_command("import_conversations", str(path), "--workspace", "demo", *arguments, stdout=out)
    return out.getvalue().splitlines()[-1]


@pytest.mark.parametrize("model", ["offline", "scripted", "in utc"])
def test_case_40_an_evening_is_that_day_where_it_was_lived_and_its_instant_is_kept_in_utc(
    db: None, model: str, request: pytest.FixtureRequest
) -> None:
    agent = Agent(time_zone="America/New_York")
    right = store(
        "Alice fixed the pump on 22 April 2026.", happened_from="2026-04-22", happened_until="2026-04-22"
    )
    wrong = store(
        "Alice fixed the pump on 23 April 2026.", happened_from="2026-04-23", happened_until="2026-04-23"
    )
    stub: StubProvider | None = None if model == "offline" else request.getfixturevalue("stub")
    if stub is not None:
        answers = [answer(wrong)] * (model == "in utc") + [answer(right)]
        stub.respond = by_step(l1_extract=lambda _: answers.pop(0))
    agent.say("I fixed the pump today.", at=EVENING)
    agent.work()
    (atom,) = agent.atoms("all")
    assert ("22" in atom["text"], "23" in atom["text"]) == (True, False)
    assert days(atom) == ("2026-04-22", "2026-04-22")
    assert atom["said_at"] == "2026-04-22T22:30:00-04:00"
    assert Message.objects.get().occurred_at == EVENING
    if stub is not None:
        assert "2026-04-22 22:30 Wednesday" in prompts(stub, "l1_extract")[0]


@pytest.mark.parametrize("model", ["offline", "scripted", "dating"])
def test_case_42_what_nobody_knows_the_time_of_gets_none(
    agent: Agent, tmp_path: Path, model: str, request: pytest.FixtureRequest
) -> None:
    claim = "The bridge was closed for repairs."
    stub: StubProvider | None = None if model == "offline" else request.getfixturevalue("stub")
    if stub is not None:
        dated = answer(store(claim, happened_from="2026-06-02", happened_until="2026-06-02"))
        answers = [dated] * (model == "dating") + [answer(store(claim))]
        stub.respond = by_step(l1_extract=lambda _: answers.pop(0))
    row = {"session": "notes", "role": "user", "speaker": "Alice", "text": claim}
    assert bring_in(tmp_path / "notes.jsonl", [row], "--entity", agent.name).startswith("1 stored")
    agent.work()
    (message,), (atom,) = agent.messages(), agent.atoms("all")
    assert (message["said_at"], message["recorded_at"] is None) == (None, False)
    assert (atom["text"], atom["said_at"], atom["last_seen_at"], *days(atom)) == (claim, *[None] * 4)
    assert atom["created_at"] is not None
    if stub is not None:
        assert "time unknown" in prompts(stub, "l1_extract")[0]


@pytest.mark.parametrize("model", ["offline", "scripted", "literal"])
def test_case_43_relative_words_become_days_by_the_time_of_the_message(
    agent: Agent, model: str, request: pytest.FixtureRequest
) -> None:
    stub: StubProvider | None = None if model == "offline" else request.getfixturevalue("stub")
    if stub is not None:
        right = store(
            "Alice met the new landlord on 16 May 2026.",
            happened_from="2026-05-16",
            happened_until="2026-05-16",
        )
        answers = [answer(store("Alice met the new landlord today."))] * (model == "literal")
        answers += [answer(right)]
        stub.respond = by_step(l1_extract=lambda _: answers.pop(0))
    agent.say("Today I met the new landlord.", at=MAY_16)
    agent.work()
    (atom,) = agent.atoms("all")
    assert ("today" in atom["text"].casefold(), "2026" in atom["text"]) == (False, True)
    assert days(atom) == ("2026-05-16", "2026-05-16")
    if stub is not None:
        assert "2026-05-16 18:00 Saturday" in prompts(stub, "l1_extract")[0]


def test_case_44_imported_history_keeps_its_times_and_their_order(agent: Agent, tmp_path: Path) -> None:
    towns = {2025: "Turku", 2023: "Oslo", 2024: "Bergen"}
    rows = [
        {
            "session": str(year),
            "role": "user",
            "speaker": "Alice",
            "text": f"I live in {town} now.",
            "occurred_at": f"{year}-03-01T12:00:00+00:00",
        }
        for year, town in towns.items()
    ]
    assert bring_in(tmp_path / "years.jsonl", rows, "--entity", agent.name).startswith("3 stored")
    agent.work()
    said = {message["session"]: message["said_at"] for message in agent.messages()}
    assert said == {str(year): f"{year}-03-01T12:00:00Z" for year in towns}
    told = [(atom["said_at"][:4], atom["text"], atom["status"]) for atom in agent.atoms("all")]
    assert sorted(told) == [
        ("2023", "Alice lives in Oslo now.", "superseded"),
        ("2024", "Alice lives in Bergen now.", "superseded"),
        ("2025", "Alice lives in Turku now.", "live"),
    ]
    # What came later is the newer history, whenever it is brought in.
    old = {**rows[0], "session": "old", "text": "I live in Riga now.", "occurred_at": "2021-03-01T12:00:00Z"}
    assert bring_in(tmp_path / "old.jsonl", [old], "--entity", agent.name).startswith("1 stored")
    agent.work()
    assert agent.claims() == ["Alice lives in Turku now."]
