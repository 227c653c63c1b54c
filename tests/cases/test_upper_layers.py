"""Cases 11 to 14: the upper layers come, come again, and are never left half-written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from celery import Task
from django.utils import timezone

from memory import tasks
from memory.cascade.engine import Outcome
from memory.measuring.idle import idle_steps
from memory.models import Atom, Step, Work
from memseek_site.celery import application
from tests.cascade.failing_commits import failing_commits
from tests.cascade.story import answer, create, store
from tests.cases.agents import START, Agent
from tests.cases.answers import atom_handle, by_step, line_handle, to_read
from tests.stub_provider import StubProvider
from tests.stub_provider.configured import as_the_model, well

BIKE, SOFA, CAT = "My bike is blue.", "The office has a green sofa.", "Our cat is called Mina."
FACTS = (BIKE, SOFA, CAT)


def run_task(name: str, arguments: list[Any]) -> None:
    """What a worker does with a task of this name."""
    assert name in {task.name for task in vars(tasks).values() if isinstance(task, Task)}
    application.tasks[name](*arguments)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[Any]]]:
    """The tasks that were handed to the broker and that no worker has taken."""
    tasks: list[tuple[str, list[Any]]] = []
    monkeypatch.setattr(
        application,
        "send_task",
        lambda name, args=(), **_: tasks.append((name, list(args))),
    )
    return tasks


@pytest.mark.django_db(transaction=True)
def test_case_11_the_tasks_that_are_sent_fill_every_layer_and_an_idle_step_is_told(
    settings: Any, sent: list[tuple[str, list[Any]]]
) -> None:
    with as_the_model(settings):
        agent, other = Agent(), Agent("agent.bob")
        agent.say("I prefer small steps.", *FACTS)
        while sent:
            name, arguments = sent.pop(0)
            run_task(name, arguments)
        layers = agent.layers()
        assert set(layers) == {"messages", "memories", "scenes", "persona"}
        assert all(heads > 0 for heads, _ in layers.values()), layers
        for step in (Step.L1_EXTRACT, Step.SCENE_SYNTHESIS, Step.PERSONA):
            assert [run["status"] for run in agent.runs(step)] == ["succeeded"]
        assert idle_steps() == []

        other.say(*FACTS)
        assert other.step(Step.L1_EXTRACT) == [Outcome.DONE]
        before = timezone.now() - timedelta(minutes=3)
        Atom.objects.for_entity(other.entity).update(created_at=before)
        Work.objects.for_entity(other.entity).update(due_at=None)
        told = [(idle.entity, idle.step) for idle in idle_steps()]
    assert told == [("agent.bob", Step.SCENE_SYNTHESIS)]


def test_case_12_a_second_persona_comes_with_an_agents_own_new_memories(
    agent: Agent, stub: StubProvider
) -> None:
    words = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty")
    habits = [f"I polish the {first} of the {second}." for first in words for second in words[:7]]

    def portray(prompt: str) -> dict[str, Any]:
        newest = next(habit for habit in reversed(habits) if habit in prompt)
        line = line_handle(prompt, newest)
        return answer({"action": "set", "slot": "decision_pattern", "text": newest, "lines": [line]})

    stub.respond = lambda body: by_step(persona=portray)(body) if is_persona(body) else well(body)
    other = Agent("agent.bob")
    for one in (agent, other):
        one.say("I polish the amber of the amber.")
        one.work()
    first = {"decision_pattern": ("I polish the amber of the amber.", 1)}
    assert (agent.persona(), other.persona()) == (first, first)
    agent.tell(*habits[1:], session="habits")
    agent.work()
    text, number = agent.persona()["decision_pattern"]
    assert (text, number > 1, len(agent.claims())) == (habits[-1], True, 70)
    assert other.persona() == first


def is_persona(body: dict[str, Any]) -> bool:
    """Whether the step asks that draws the persona."""
    return "\nTraits now:" in body["messages"][-1]["content"]


@pytest.fixture
def failing() -> Iterator[list[Exception]]:
    with failing_commits() as waiting:
        yield waiting


def test_case_14_a_scene_step_that_fails_half_way_leaves_every_scene_as_it_was(
    agent: Agent, stub: StubProvider, failing: list[Exception], settings: Any
) -> None:
    waking = replace(settings.MEMSEEK.waking, retry_seconds=(60.0,))
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)

    def first(prompt: str) -> dict[str, Any]:
        bike, sofa = (atom_handle(prompt, text) for text in (BIKE, SOFA))
        return answer(
            create("Bike", ("work_context", BIKE, [bike])),
            create("Office", ("work_context", SOFA, [sofa])),
        )

    def second(prompt: str) -> dict[str, Any]:
        cat = atom_handle(prompt, CAT)
        return answer(
            create("Cat", ("work_context", CAT, [cat])),
            {"action": "merge", "scene": "s1", "merged": ["s2"], "title": "Bike and office"},
        )

    def extract(prompt: str) -> dict[str, Any]:
        said = [text for text in FACTS if text in to_read(prompt)]
        return answer(*(store(text, f"m{place}") for place, text in enumerate(said, start=1)))

    stub.respond = by_step(l1_extract=extract, scene_synthesis=first)
    agent.say(BIKE, SOFA)
    agent.work()
    before = {"Bike": [BIKE], "Office": [SOFA]}
    assert agent.scenes() == before

    stub.respond = by_step(l1_extract=extract, scene_synthesis=second)
    agent.say(CAT, at=START + timedelta(hours=1))
    agent.step(Step.L1_EXTRACT)
    failing.append(RuntimeError("the disk is full"))
    assert agent.step(Step.SCENE_SYNTHESIS) == [Outcome.FAILED]
    assert agent.scenes() == before
    failed = agent.runs(Step.SCENE_SYNTHESIS)[1]
    assert (failed["status"], failed["outputs"], failed["error_text"]) == (
        "failed",
        {},
        "RuntimeError: the disk is full",
    )
    agent.overdue()
    assert agent.step(Step.SCENE_SYNTHESIS) == [Outcome.DONE]
    assert agent.scenes() == {"Bike and office": [BIKE, SOFA], "Cat": [CAT]}
