"""SIGKILL at every named point of a step: nothing that was accepted is lost, nothing is doubled."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from django.conf import LazySettings

from benchmarks.answers import answer_to, task_of
from memory.cascade.checkpoints import Checkpoint
from memory.cascade.engine import settle_entity
from memory.llm.openai_wire import close_clients
from memory.models import Entity
from tests.faults.killing import (
    Ground,
    left_of,
    lost_runs,
    make_entities,
    parts,
    say_to_all,
    show_to_all,
)
from tests.faults.processes import worker_environment
from tests.stub_provider import Reply, StubProvider

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ENTITIES = 3
# With three entities, the first, a middle and a late arrival at the point lie in different steps.
DEATHS = (1, 4, 7)
KEY = "sk-for-the-stub"


@pytest.fixture
def stub(settings: LazySettings) -> Iterator[StubProvider]:
    """A model over HTTP that answers at once; this process is configured to ask it too."""
    with StubProvider(respond=lambda body: Reply.json(answer_to(body))) as provider:
        model = replace(
            settings.MEMSEEK.model, base_url=provider.base_url, api_key=KEY, strong="stub", cheap="stub"
        )
        settings.MEMSEEK = replace(settings.MEMSEEK, model=model)
        yield provider
        close_clients()


def asking(stub: StubProvider) -> dict[str, str]:
    """What makes a worker ask the stub."""
    return {
        "MEMSEEK_MODEL_STRONG": "stub",
        "MEMSEEK_MODEL_BASE_URL": stub.base_url,
        "OPENAI_API_KEY": KEY,
    }


def undisturbed() -> Entity:
    """The same words, read part by part in this process with nobody killed."""
    entity = make_entities("undisturbed", 1)[0]
    for part in parts():
        say_to_all([entity], part)
        settle_entity(entity)
    return entity


def expect_nothing_lost_or_doubled(entities: list[Entity]) -> None:
    """Every entity holds just what one holds whose workers lived."""
    expected = left_of(undisturbed())
    assert expected.problems == []
    assert Counter(message.text for part in parts() for message in part).total() == expected.words.total()
    for found in map(left_of, entities):
        assert (found.words, found.problems, found.parked) == (
            expected.words,
            expected.problems,
            expected.parked,
        )
        assert found.memory.atoms == expected.memory.atoms
        assert found.memory.scenes == expected.memory.scenes
        assert found.memory.traits == expected.memory.traits


def report(told: str, record_property: Callable[[str, object], None]) -> None:
    """Counts, for whoever reads the output (`-s`) or the report (`--junit-xml`)."""
    print(told)
    record_property("killed_workers", told)


def kill_thrice(
    ground: Ground, point: str, record_property: Callable[[str, object], None]
) -> Mapping[str, int]:
    """How often a worker died at each point; what is lost or doubled afterwards is refused here."""
    entities = make_entities("disturbed", ENTITIES)
    for part, nth in zip(parts(), DEATHS, strict=True):
        ground.start(point, nth)
        say_to_all(entities, part)
        ground.see_die()
    ground.settle()
    lost = ", ".join(f"{count} of {step}" for step, count in sorted(lost_runs().items()))
    report(
        f"killed {ground.deaths[point]} times at {point}; runs cut short: {lost or 'none'}", record_property
    )
    expect_nothing_lost_or_doubled(entities)
    return ground.deaths


@pytest.mark.parametrize("point", [name for name in get_args(Checkpoint) if name != "during_call"])
def test_with_the_offline_model(point: str, broker: str, tmp_path: Path, record_property: Any) -> None:
    with Ground(worker_environment(tmp_path, broker), tmp_path) as ground:
        assert kill_thrice(ground, point, record_property) == {point: len(DEATHS)}


def test_during_a_call_over_http(
    broker: str, tmp_path: Path, stub: StubProvider, record_property: Any
) -> None:
    with Ground(worker_environment(tmp_path, broker, **asking(stub)), tmp_path) as ground:
        deaths = kill_thrice(ground, "during_call", record_property)
    assert deaths == {"during_call": len(DEATHS)}


def test_while_the_model_is_thinking(
    broker: str, tmp_path: Path, stub: StubProvider, record_property: Any
) -> None:
    """The provider sees to it: the request has arrived, the answer finds nobody."""
    entities = make_entities("disturbed", ENTITIES)
    with Ground(worker_environment(tmp_path, broker, **asking(stub)), tmp_path) as ground:
        killer = Killer(ground)
        stub.respond = killer
        for part, nth in zip(parts(), DEATHS, strict=True):
            killer.left = nth
            ground.start()
            say_to_all(entities, part)
            ground.see_die()
        ground.settle()
    report(
        f"killed {len(killer.asked)} times while thinking about {', '.join(killer.asked)}", record_property
    )
    assert len(killer.asked) == len(DEATHS)
    expect_nothing_lost_or_doubled(entities)


def test_drafts_from_traces(broker: str, tmp_path: Path) -> None:
    """A trace before each death, at another point every time; the drafts are those of one undisturbed run."""
    points = ("after_read", "before_commit", "inside_commit")
    entities, undisturbed = make_entities("disturbed", 1), make_entities("undisturbed", 1)
    for number in range(len(points)):
        show_to_all(undisturbed, number)
    settle_entity(undisturbed[0])
    with Ground(worker_environment(tmp_path, broker), tmp_path) as ground:
        for number, point in enumerate(points):
            ground.start(point, 1)
            show_to_all(entities, number)
            ground.see_die()
        ground.settle()
        assert ground.deaths == dict.fromkeys(points, 1)
    assert lost_runs() == {"skill_extract": len(points)}
    found, expected = left_of(entities[0]), left_of(undisturbed[0])
    assert (found.drafts, found.problems, found.parked) == (expected.drafts, [], 0)
    assert ("procedure", "Deploy the canary.") in found.drafts


class Killer:
    """A model that kills who asks it the n-th time, and otherwise answers."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.left = 0
        self.asked: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        # The stub holds its lock around this: one request at a time.
        self.left -= 1
        if self.left == 0:
            self.asked.append(task_of(body))
            os.kill(self.ground.worker, signal.SIGKILL)
        return Reply.json(answer_to(body))
