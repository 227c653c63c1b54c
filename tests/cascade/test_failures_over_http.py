"""The whole engine against a provider that misbehaves over real HTTP: nothing is lost, all is visible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections, transaction
from django.db.models import F

from benchmarks.answers import answer_to, task_of
from benchmarks.snapshot import snapshot
from memory.cascade.engine import Outcome, drain
from memory.cascade.sweeping import sweep
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import (
    Atom,
    Entity,
    Line,
    Message,
    Run,
    Scene,
    Step,
    Work,
)
from memory.stewardship.verify import verify
from tests.factories import make_workspace
from tests.scripted_model import ScriptedModel
from tests.stub_provider import Reply, StubProvider
from tests.stub_provider.configured import as_the_model, well

pytestmark = pytest.mark.django_db(transaction=True)

SAID_AT = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
FACTS = (
    "My bike is blue.",
    "The cellar key hangs by the door.",
    "My sister lives in Lyon.",
    "The office has a green sofa.",
    "Our cat is called Mina.",
    "I play the cello.",
)


@pytest.fixture
def stub(db: None, settings: LazySettings) -> Iterator[StubProvider]:
    """A provider that works unless a test scripts something else; nothing waits between tries."""
    with as_the_model(settings) as provider:
        yield provider


@pytest.fixture
def entity(db: None) -> Entity:
    return ensure_entity(workspace=make_workspace(), name="agent.alice")


def say(entity: Entity, *texts: str) -> list[Message]:
    """One message after the other, as a chat does."""
    stored = [
        append_messages(
            entity=entity,
            messages=[
                IncomingMessage(session="s", role="user", speaker="Alice", text=text, occurred_at=SAID_AT)
            ],
        ).messages[0]
        for text in texts
    ]
    return [Message.objects.get(pk=message.id) for message in stored]


def run(entity: Entity, step: Step = Step.L1_EXTRACT) -> list[Outcome]:
    return drain(entity_id=entity.pk, step=step)


def run_all(entity: Entity) -> None:
    """Every step once, from below."""
    for step in Step:
        run(entity, step)


def runs(entity: Entity, step: Step = Step.L1_EXTRACT) -> list[Run]:
    return list(Run.objects.for_entity(entity).filter(step=step).order_by("started_at"))


def claims(*sayings: str, message: str = "m1") -> dict[str, Any]:
    """An extraction's answer."""
    items = [{"action": "store", "text": text, "messages": [message], "topic": "things"} for text in sayings]
    return {"items": items, "nothing_reason": None}


def test_a_scene_step_that_fails_half_way_leaves_the_scenes_as_they_were(
    stub: StubProvider, entity: Entity
) -> None:
    """The answer breaks off amid the second edit; what the first one says is not written either."""
    say(entity, *FACTS[:2])
    run_all(entity)
    before = snapshot(entity)
    say(entity, *FACTS[2:])
    run(entity)

    def half(body: dict[str, Any]) -> Reply:
        whole = Reply.json(answer_to(body))
        return whole.cut_off(len(whole.body) // 2)

    stub.respond = half
    outcomes = drain(entity_id=entity.pk, step=Step.SCENE_SYNTHESIS, seconds=0.0)
    assert outcomes == [Outcome.FAILED]
    assert snapshot(entity).scenes == before.scenes
    assert Atom.objects.for_entity(entity).pending().count() == 4
    stub.respond = well
    run(entity, Step.SCENE_SYNTHESIS)
    assert lines_of(entity) == set(FACTS)


def lines_of(entity: Entity) -> set[str]:
    """Every line of every live scene."""
    return set(
        Line.objects.for_entity(entity)
        .filter(versions__is_head=True, versions__scene__status=Scene.Status.LIVE)
        .values_list("text", flat=True)
    )


def aside(action: Callable[[], object]) -> None:
    """Do something in a thread and connection of its own, as another process would."""

    def act() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_a_worker_that_was_overtaken_writes_nothing(stub: StubProvider, entity: Entity) -> None:
    """Its lease ran out while the model was thinking, and another one did the work."""
    say(entity, "My locker is number 12.")

    def overtake() -> None:
        past = {"lease_until": SAID_AT, "due_at": SAID_AT}
        Work.objects.for_entity(entity).filter(step=Step.L1_EXTRACT).update(**past)
        model = ScriptedModel([claims("My locker is number 12.")])
        drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model)

    def answer_late(body: dict[str, Any]) -> Reply:
        stub.respond = well
        aside(overtake)
        return well(body)

    stub.respond = answer_late
    assert run(entity) == [Outcome.DISCARDED]
    assert [found.status for found in runs(entity)] == ["abandoned", "succeeded"]
    assert Atom.objects.for_entity(entity).count() == 1


def test_an_erase_amid_a_scene_step_discards_what_it_thought(stub: StubProvider, entity: Entity) -> None:
    """The fact is erased after the step has read it: nothing of it is written, the raw answer neither."""
    say(entity, "My badge word is ORCHID-7.", FACTS[0])
    run(entity)

    def erase() -> None:
        with transaction.atomic():
            Entity.objects.filter(pk=entity.pk).update(erase_epoch=F("erase_epoch") + 1)
            Atom.objects.for_entity(entity).filter(text__contains="ORCHID").delete()
            Message.objects.for_entity(entity).filter(text__contains="ORCHID").delete()

    def answer_late(body: dict[str, Any]) -> Reply:
        stub.respond = well
        aside(erase)
        return well(body)

    stub.respond = answer_late
    assert run(entity, Step.SCENE_SYNTHESIS)[0] is Outcome.DISCARDED
    discarded = runs(entity, Step.SCENE_SYNTHESIS)[0]
    assert (
        discarded.status,
        discarded.inputs,
        discarded.outputs,
        discarded.decisions,
        discarded.raw_answer,
    ) == (
        Run.Status.DISCARDED,
        {},
        {},
        [],
        "",
    )
    # Its lease runs out, the sweep finds it, and what is left is placed.
    Work.objects.for_entity(entity).filter(lease_until__isnull=False).update(lease_until=SAID_AT)
    sweep()
    run(entity, Step.SCENE_SYNTHESIS)
    assert lines_of(entity) == {FACTS[0]}
    assert not Line.objects.filter(text__contains="ORCHID").exists()
    assert "ORCHID" not in str(list(Run.objects.values("inputs", "outputs", "decisions", "raw_answer")))


def test_a_first_message_costs_three_calls_and_the_same_words_again_one(
    stub: StubProvider, entity: Entity
) -> None:
    say(entity, "My locker is number 12.", "I prefer small steps.")
    run_all(entity)
    assert [task_of(request.body) for request in stub.requests] == [
        "l1_extract",
        "scene_synthesis",
        "persona",
    ]
    before = snapshot(entity)
    say(entity, "I prefer small steps.")
    run_all(entity)
    assert [task_of(request.body) for request in stub.requests[3:]] == ["l1_extract"]
    assert (snapshot(entity).scenes, snapshot(entity).traits) == (before.scenes, before.traits)
    assert verify(entity, is_settled=True) == []
