"""Cases 16 to 26: nothing is stored twice, and nothing that nobody said."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from memory.cascade.engine import Outcome
from memory.models import Step
from tests.cascade.story import answer, merge, store
from tests.cases.agents import START, Agent
from tests.cases.answers import by_step, prompts, to_read
from tests.cases.threads import at_once
from tests.stub_provider import Reply, StubProvider
from tests.stub_provider.configured import as_the_model, well

LOCKER = "My locker is number 12."


def test_case_16_a_transcript_that_is_sent_with_every_call_of_a_tool_is_stored_and_read_once(
    agent: Agent, stub: StubProvider
) -> None:
    transcript = [{"session": "s", "role": "user", "text": "Find me a flight to Oslo.", "occurred_at": None}]
    for number in range(1, 8):
        asking, told = f"Search number {number}.", f"{number} flights were found."
        transcript += [
            {"session": "s", "role": "assistant", "text": asking, "occurred_at": None},
            {"session": "s", "role": "tool", "text": told, "occurred_at": None, "tool_name": "search"},
        ]
        stored = agent.send(*transcript)
        agent.step(Step.L1_EXTRACT)
        assert [place for place, one in enumerate(stored) if one["created"]] == (
            [0, 1, 2] if number == 1 else [2 * number - 1, 2 * number]
        )
    assert not any(one["created"] for one in agent.send(*transcript))
    assert [message["text"] for message in agent.messages()] == [said["text"] for said in transcript]
    read = "".join(map(to_read, prompts(stub, "l1_extract")))
    assert [read.count(json.dumps(said["text"])) for said in transcript] == [1] * len(transcript)

    keyed = [{**said, "session": "keyed", "ordinal": place} for place, said in enumerate(transcript)]
    assert [one["created"] for said in keyed for one in agent.send(said)] == [True] * len(keyed)
    assert [one["created"] for said in keyed for one in agent.send(said)] == [False] * len(keyed)


@pytest.mark.django_db(transaction=True)
def test_case_17_two_requests_and_two_workers_at_once_make_one_claim(settings: Any) -> None:
    with as_the_model(settings) as stub:
        agent = Agent()
        same = {"session": "s", "role": "user", "text": LOCKER, "dedupe_key": "said-once"}
        others = [{"session": f"s{number}", "role": "user", "text": LOCKER} for number in range(2)]
        stored: list[dict[str, Any]] = []
        at_once(*[lambda: stored.extend(agent.send(same))] * 2)
        at_once(*(lambda said=said: agent.send(said) for said in others))
        assert (len({one["id"] for one in stored}), sorted(one["created"] for one in stored)) == (
            1,
            [False, True],
        )
        amid: list[list[Outcome]] = []

        def answer_amid_another(body: dict[str, Any]) -> Reply:
            at_once(lambda: amid.append(agent.step(Step.L1_EXTRACT)))
            return well(body)

        stub.respond = answer_amid_another
        outcomes: list[list[Outcome]] = []
        at_once(*[lambda: outcomes.append(agent.step(Step.L1_EXTRACT))] * 2)
        assert sorted(map(len, outcomes)) == [0, 3]
        assert amid == [[], [], []]
        (atom,) = agent.atoms("all")
        assert (atom["text"], atom["status"], len(atom["citations"])) == (LOCKER, "live", 3)


@pytest.mark.django_db(transaction=True)
def test_case_19_what_came_in_while_a_scene_was_thought_about_stays(settings: Any) -> None:
    with as_the_model(settings) as stub:
        agent = Agent()
        agent.say("My bike is blue.")
        agent.work()
        ((title, lines),) = agent.scenes().items()
        scene = agent.get("scenes", entity=agent.name)["scenes"][0]
        agent.say("My bike has a bell.", at=START.replace(hour=10))
        agent.step(Step.L1_EXTRACT)

        def edit() -> None:
            path = f"/api/v1/scenes/{scene['id']}"
            markdown = f"# {title}\n\n## Work Context\n- {lines[0]}\n- The bike stands in the shed.\n"
            reply = agent.caller.patch(path, {"base": scene["number"], "markdown": markdown})
            assert reply.status_code in (200, 201), reply.content

        def answer_late(body: dict[str, Any]) -> Reply:
            stub.respond = well
            at_once(edit)
            return well(body)

        stub.respond = answer_late
        assert agent.step(Step.SCENE_SYNTHESIS) == [Outcome.DISCARDED, Outcome.DONE]
        assert agent.scenes() == {
            title: ["My bike is blue.", "The bike stands in the shed.", "My bike has a bell."]
        }


def test_case_20_an_import_that_is_repeated_stores_nothing_and_says_so(
    agent: Agent, stub: StubProvider, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    rows = [
        {"session": "s", "role": "user", "text": f"Shelf {place} holds jar {place}.", "occurred_at": None}
        for place in range(50)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))

    def bring_in() -> str:
        out = StringIO()
        call_command(
            "import_conversations", str(path), "--workspace", "demo", "--entity", agent.name, stdout=out
        )
        agent.work()
        return out.getvalue().splitlines()[-1]

    assert bring_in() == "50 stored, 0 were there already."
    before, asked = (agent.layers(), agent.history(), agent.scenes()), len(stub.requests)
    assert (before[0]["messages"], before[0]["memories"]) == ((50, 50), (50, 50))
    assert bring_in() == "0 stored, 50 were there already. Nothing new."
    assert (agent.layers(), agent.history(), agent.scenes()) == before
    assert len(stub.requests) == asked


def test_case_23_memory_that_comes_back_in_a_prompt_is_no_news(agent: Agent, stub: StubProvider) -> None:
    agent.say("I like green tea.")
    agent.work()
    before = {name: count for name, count in agent.layers().items() if name != "messages"}
    context = agent.context("Say hello.")
    assert "I like green tea." in context
    stub.respond = by_step()
    agent.tell(*[f"{context}\nhi"] * 50, session="whole")
    agent.tell(*["<memseek-recall id='x'>Memory: likes green tea</memseek-recall> hi"] * 50, session="cut")
    agent.work()
    read = [to_read(prompt) for prompt in prompts(stub, "l1_extract")[1:]]
    assert sum(text.count('hi"') for text in read) == 100
    assert not any("green tea" in text for text in read)
    assert {name: count for name, count in agent.layers().items() if name != "messages"} == before
    assert agent.claims("all") == ["I like green tea."]


def test_case_24_what_a_system_prompt_says_is_never_learnt(agent: Agent, stub: StubProvider) -> None:
    rules = "You are Botty, the helper of Globex. Always praise Botty. Botty lives in the cloud. " * 40
    agent.say(rules, role="system")
    agent.work()
    assert (stub.requests, agent.layers()["memories"]) == ([], (0, 0))
    # Whatever the model makes of the rest: it was shown nothing of it, and nothing of it can be cited.
    stub.respond = by_step(l1_extract=answer(store("Always praise Botty.", kind="instruction")))
    agent.say("good morning")
    agent.work()
    first, *_ = prompts(stub, "l1_extract")
    assert "Botty" not in first
    assert (agent.claims("all"), agent.decisions("dropped")) == (
        [],
        ["The cited messages do not hold: Botty."],
    )
    assert [message["state"] for message in agent.messages()] == ["kept", "read"]


@pytest.mark.parametrize(
    "invented",
    [
        "Bertrand is a software engineer.",
        "Alice is 34 years old.",
        "Alice lives in Toronto.",
        "Alice was born on 5 May 1992.",
    ],
)
def test_case_25_a_person_whom_nobody_spoke_of_is_not_remembered(
    agent: Agent, stub: StubProvider, invented: str
) -> None:
    stub.respond = by_step(l1_extract=answer(store(invented), store("Alice likes the rain.", "m2")))
    agent.say("It rains again, and I have nothing to do.", "I like the rain.")
    agent.work()
    assert agent.claims("all") == ["Alice likes the rain."]
    (reason,) = agent.decisions("dropped")
    assert reason.startswith("The cited messages do not hold: ")
    uncited = {**store("Alice likes the rain and the snow."), "messages": []}
    stub.respond = by_step(l1_extract=answer(uncited))
    agent.say("ok")
    agent.work()
    assert agent.claims("all") == ["Alice likes the rain."]


def test_case_26_the_examples_of_the_prompt_are_not_remembered(agent: Agent, stub: StubProvider) -> None:
    echoes = answer(
        merge("The Vrixoline freeze is on 9 May 2031.", ["a1"]),
        store("Never ship without Quennelby's sign-off.", kind="instruction"),
        store("Be thankful.", kind="instruction", topic="Vrixoline release"),
        store("Alice says thanks.", subject="Zorblatt"),
    )
    stub.respond = by_step(l1_extract=echoes)
    # Even where the words hold such a name.
    agent.say("ok, thanks", "Zorblatt!")
    agent.work()
    assert (agent.claims("all"), agent.scenes(), agent.persona()) == ([], {}, {})
    assert len(agent.decisions("dropped")) == 4
    assert set(agent.decisions("dropped")[1:]) == {"It repeats an example of the prompt."}
