"""Cases 67 and 69: a small write costs little, and a service that hangs holds nobody up."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory import tasks
from memory.indexing.step import index_entity
from memory.models import Step, Unindexed
from memseek_site.celery import application
from tests.cascade.story import answer, create
from tests.cases.agents import START, Agent
from tests.cases.answers import atom_handle, by_step, prompt_of
from tests.stub_provider import Reply, StubProvider, word_counts
from tests.stub_provider.configured import well

MATTERS = ("bikes", "boats", "books", "bread", "birds")
WRITES = 6
CHARACTERS_PER_WRITE = 24_000
"""About six thousand tokens for three facts, whatever stands in memory."""


def test_case_67_a_small_write_rewrites_what_it_is_about_and_costs_no_more_each_time(
    agent: Agent, stub: StubProvider, settings: Any
) -> None:
    opening = [f"We keep notes about {matter}." for matter in MATTERS]

    def place(prompt: str) -> dict[str, Any]:
        return answer(
            *(
                create(matter.title(), ("work_context", text, [atom_handle(prompt, text)]))
                for matter, text in zip(MATTERS, opening, strict=True)
            )
        )

    stub.respond = lambda body: (by_step(scene_synthesis=place) if is_synthesis(body) else well)(body)
    agent.say(*opening)
    agent.work()
    assert len(agent.scenes()) == 5
    waking = replace(settings.MEMSEEK.waking, persona_interval_seconds=3_600.0)
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)
    stub.respond = well
    sent: list[int] = []
    for number in range(WRITES):
        before = len(stub.requests)
        at = START + timedelta(minutes=2 * number)
        agent.say(f"Ride {number} was long.", f"Ride {number} was wet.", f"Ride {number} was fun.", at=at)
        for step in Step:
            agent.step(step)
        asked = stub.requests[before:]
        assert len(asked) == 2
        sent.append(sum(len(message["content"]) for request in asked for message in request.body["messages"]))
    assert max(sent) < CHARACTERS_PER_WRITE
    numbers = {scene["title"]: scene["number"] for scene in agent.get("scenes", entity=agent.name)["scenes"]}
    assert sorted(numbers.values()) == [1, 1, 1, 1, 1 + WRITES]
    assert len(agent.runs(Step.PERSONA)) == 1
    # The hour is over: one drawing for all that came meanwhile.
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=replace(waking, persona_interval_seconds=0.0))
    agent.work()
    assert len(agent.runs(Step.PERSONA)) == 2


def is_synthesis(body: dict[str, Any]) -> bool:
    """Whether the step asks that writes scenes."""
    return "\nClaims (" in prompt_of(body)


@pytest.mark.parametrize("failure", [Reply.hang(), Reply.status(503, "Overloaded."), Reply.closed()])
def test_case_69_recall_answers_with_what_it_has_and_the_background_heals_by_itself(
    agent: Agent, stub: StubProvider, settings: Any, failure: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding = replace(
        settings.MEMSEEK.embedding,
        provider="openai_compatible",
        model="stub",
        base_url=stub.base_url,
        query_seconds=0.3,
        timeout_seconds=0.3,
    )
    settings.MEMSEEK = replace(settings.MEMSEEK, embedding=embedding)
    stub.embed = lambda _: failure
    agent.say("My bike is blue.", "The cellar key hangs by the door.")
    agent.work()
    for _ in range(3):
        found = agent.recall("Where is the key of the cellar?")
        assert (found["arms"]["words"], found["arms"]["meaning"]) == ("answered", "failed")
        assert found["hits"][0]["text"] == "The cellar key hangs by the door."
        assert "The cellar key hangs by the door." in agent.context("Where is the key of the cellar?")
    assert agent.waiting()["pending"] == 0
    waiting = Unindexed.objects.for_entity(agent.entity)
    assert set(waiting.values_list("has_terms", flat=True)) == {True}

    sent: list[tuple[str, list[Any]]] = []
    monkeypatch.setattr(application, "send_task", lambda name, args=(), **_: sent.append((name, list(args))))
    stub.embed = lambda body: Reply.vectors([word_counts(text, 8) for text in body["input"]])
    waiting.update(queued_at=START)
    tasks.sweep()
    for name, arguments in sent:
        application.tasks[name](*arguments)
    assert not waiting.exists()
    assert index_entity(entity_id=agent.entity.pk) == 0
