"""Cases 1 to 10: no words are lost silently on their way into memory."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memory.cascade.engine import Outcome
from memory.models import Step
from tests.cascade.story import answer, store
from tests.cases.agents import Agent, texts_of
from tests.cases.answers import by_step, prompts, to_read
from tests.stub_provider import Reply, StubProvider, word_counts
from tests.stub_provider.configured import well

FACTS = (
    "My bike is blue.",
    "The cellar key hangs by the door.",
    "My sister lives in Lyon.",
    "The office has a green sofa.",
    "Our cat is called Mina.",
    "I play the cello.",
    "My desk stands by the window.",
    "The printer is out of paper.",
    "We meet on the third floor.",
    "My car is at the garage.",
)
ENDPOINT_TAKES_CHARACTERS = 8_000


def test_case_01_a_failed_extraction_consumes_nothing_and_shows_until_it_has_succeeded(
    agent: Agent, stub: StubProvider, settings: Any
) -> None:
    waking = replace(settings.MEMSEEK.waking, retry_seconds=(60.0,))
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)
    stub.respond = lambda _: Reply.status(429, "Too many requests.", retry_after="0")
    agent.say(*FACTS[:6])
    assert agent.step(Step.L1_EXTRACT) == [Outcome.FAILED]
    (failed,), row = agent.runs(), agent.waiting()
    assert (failed["status"], failed["error_kind"], failed["is_transient"]) == ("failed", "http_429", True)
    assert (row["pending"], row["failures"], row["last_error_kind"]) == (6, 1, "http_429")
    pause = datetime.fromisoformat(row["due_at"]) - datetime.fromisoformat(failed["finished_at"])
    assert pause.total_seconds() == pytest.approx(60, abs=5)
    assert {message["state"] for message in agent.messages()} == {"pending"}

    stub.respond = well
    assert agent.step(Step.L1_EXTRACT) == []
    agent.overdue()
    assert agent.step(Step.L1_EXTRACT) == [Outcome.DONE]
    row = agent.waiting()
    assert set(agent.claims()) == set(FACTS[:6])
    assert (row["pending"], row["failures"], row["last_error"], row["last_error_kind"]) == (0, 0, "", "")


def test_case_02_a_cut_answer_is_a_failure_and_a_smaller_batch_is_asked_next(
    agent: Agent, stub: StubProvider
) -> None:
    stub.script = [Reply.text('{"items": [{"action": "store", "text": "My bi', finish_reason="length")]
    agent.say(*FACTS)
    assert agent.step(Step.L1_EXTRACT) == [Outcome.FAILED, Outcome.DONE, Outcome.DONE]
    runs = agent.runs()
    assert (runs[0]["error_kind"], runs[0]["noop_reason"], runs[0]["outputs"]) == ("cut_off", "", {})
    assert [len(run["inputs"]["messages"]) for run in runs] == [10, 5, 5]
    assert set(agent.claims()) == set(FACTS)

    stub.respond = lambda _: Reply.json({"items": [], "nothing_reason": "small talk"})
    agent.say("Good morning!")
    asked = len(stub.requests)
    assert agent.step(Step.L1_EXTRACT) == [Outcome.DONE]
    (*_, empty) = agent.runs()
    assert (empty["status"], empty["noop_reason"], len(stub.requests) - asked) == (
        "succeeded",
        "small talk",
        1,
    )
    assert agent.waiting()["pending"] == 0


@pytest.mark.parametrize("has_answer", [True, False])
def test_case_04_braces_in_the_prose_around_an_answer_are_no_answer(
    agent: Agent, stub: StubProvider, has_answer: bool
) -> None:
    found = json.dumps(answer(store("Alice prefers window seats.")))
    noted = found if has_answer else "{nothing}"
    said = f"{{{{the train}}}} and {{the flight}} in mind, I note: {noted} Done {{so}}."
    stub.script = [Reply.text(said)]
    stub.respond = by_step(l1_extract=answer(store("Alice prefers window seats.")))
    agent.say("On trains and planes I prefer window seats.")
    wanted = [Outcome.DONE] if has_answer else [Outcome.FAILED, Outcome.DONE]
    assert agent.step(Step.L1_EXTRACT) == wanted
    assert agent.claims() == ["Alice prefers window seats."]
    first = agent.runs()[0]
    assert (first["status"], first["error_kind"] != "", said in first["raw_answer"]) == (
        ("succeeded", False, False) if has_answer else ("failed", True, True)
    )


def test_case_05_thinking_is_no_answer_and_nothing_but_thinking_ends_in_sight(
    agent: Agent, stub: StubProvider
) -> None:
    thinking = '<think>The user {"items": "?"} lives in Oslo.</think>'
    claim = json.dumps(answer(store("Alice lives in Oslo.")))
    stub.script = [Reply.text(f"{thinking}\n{claim}")]
    agent.say("I live in Oslo.")
    assert agent.step(Step.L1_EXTRACT) == [Outcome.DONE]
    assert agent.claims() == ["Alice lives in Oslo."]

    stub.respond = lambda _: Reply.text(thinking)
    (hidden,) = agent.say("My boat is called Tern.")
    assert agent.step(Step.L1_EXTRACT) == [Outcome.FAILED] * 3
    asked = prompts(stub, "l1_extract")[-3:]
    assert ["An earlier answer to this could not be read." in prompt for prompt in asked] == [
        False,
        True,
        True,
    ]
    (batch,) = agent.parked()
    assert (batch["step"], batch["inputs"], batch["error_kind"]) == ("l1_extract", [hidden], "no_answer")
    assert thinking in agent.get(f"runs/{batch['run']}")["raw_answer"]
    assert (agent.waiting()["pending"], agent.waiting()["parked"]) == (0, 1)

    stub.respond = well
    agent.post(f"parked/{batch['run']}/retry", {}, status=202)
    assert agent.step(Step.L1_EXTRACT) == [Outcome.DONE]
    assert (agent.parked(), agent.claims()) == ([], ["Alice lives in Oslo.", "My boat is called Tern."])


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (Reply.refusal("I cannot help with that."), "refusal"),
        (Reply.text("I cannot help with that.", finish_reason="content_filter"), "refusal"),
        (Reply.text("I cannot help with that."), "no_answer"),
    ],
    ids=["declined", "filtered", "a sentence"],
)
def test_case_08_a_refused_message_stands_alone_with_its_reason_and_the_rest_is_read(
    agent: Agent, stub: StubProvider, refusal: Reply, kind: str
) -> None:
    refused = FACTS[3]

    def filtered(body: dict[str, Any]) -> Reply:
        return refusal if refused in to_read(body["messages"][-1]["content"]) else well(body)

    stub.respond = filtered
    ids = agent.say(*FACTS[:6])
    agent.step(Step.L1_EXTRACT)
    assert set(agent.claims()) == set(FACTS[:6]) - {refused}
    (batch,) = agent.parked()
    assert (batch["inputs"], batch["error_kind"]) == ([ids[3]], kind)
    failed = [run for run in agent.runs() if run["status"] == "failed"]
    assert {run["error_kind"] for run in failed} == {kind}
    assert failed[0]["inputs"]["messages"] == ids
    assert all("I cannot help with that." in run["raw_answer"] for run in failed)


def test_case_09_a_very_long_message_is_stored_whole_read_to_its_end_and_found_by_meaning(
    agent: Agent, stub: StubProvider, settings: Any
) -> None:
    ending = "and I am allergic to latex"
    sentence = "We walked along the shore and talked about nothing in particular. "
    text = (sentence * 1_000)[: 60_000 - len(ending)] + ending

    def embed(body: dict[str, Any]) -> Reply:
        if any(len(given) > ENDPOINT_TAKES_CHARACTERS for given in body["input"]):
            return Reply.status(400, "This model's maximum context length is 8192 tokens.")
        return Reply.vectors([word_counts(given, 8) for given in body["input"]])

    def extract(prompt: str) -> dict[str, Any]:
        found = "allergic to latex" in to_read(prompt)
        return answer(*([store("Alice is allergic to latex.", priority=95)] if found else []))

    embedding = replace(
        settings.MEMSEEK.embedding, provider="openai_compatible", model="stub", base_url=stub.base_url
    )
    settings.MEMSEEK = replace(settings.MEMSEEK, embedding=embedding)
    stub.embed, stub.respond = embed, by_step(l1_extract=extract)
    (said,) = agent.say(text)
    agent.work()
    assert [message["text"] for message in agent.messages()] == [text]
    (atom,) = agent.atoms()
    assert (atom["text"], atom["priority"], atom["citations"]) == ("Alice is allergic to latex.", 95, [said])
    assert len(prompts(stub, "l1_extract")) > 1
    found = agent.recall("Which gloves must I not buy?", words=False)
    assert found["arms"]["meaning"] == "answered"
    assert "Alice is allergic to latex." in texts_of(found["hits"], "atom")
    found = agent.recall("latex")
    assert (found["unindexed"], "Alice is allergic to latex." in texts_of(found["hits"], "atom")) == (0, True)


def test_case_10_what_no_batch_has_read_yet_is_recalled_and_marked_as_raw(
    agent: Agent, stub: StubProvider
) -> None:
    agent.say(*FACTS)
    agent.work()
    (said,) = agent.say("My flight was moved to Thursday.")
    first, *_ = agent.recall("When do I fly?")["hits"]
    assert (first["layer"], first["id"], first["is_raw"], first["text"]) == (
        "message",
        said,
        True,
        "My flight was moved to Thursday.",
    )
    assert "My flight was moved to Thursday." in agent.context("When do I fly?")
    agent.work()
    first, *_ = agent.recall("When was my flight moved to?")["hits"]
    assert (first["layer"], first["is_raw"], [cited["id"] for cited in first["citations"]]) == (
        "atom",
        False,
        [said],
    )
