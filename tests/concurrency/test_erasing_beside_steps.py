"""Erasing while a step stands between reading and writing: what is gone does not come back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections

from memory.cascade import work
from memory.cascade.checkpoints import Checkpoint
from memory.cascade.engine import drain, settle_entity
from memory.claims.promotion import PromotionWorker
from memory.indexing import step as index_step
from memory.indexing.step import index_entity, index_terms
from memory.models import Entity, Erasure, Message, Run, Session, Step
from memory.stewardship.erasing import Scope, erase, operation, plan_erasure
from memory.stewardship.verify import verify
from tests.cascade.story import NOTHING, an_entity, answer, say
from tests.cascade.talks import digest_item, folding, open_talk, take
from tests.concurrency.standing import standing
from tests.scripted_model import ScriptedModel, by_task
from tests.skills.skilled import described, line, trace
from tests.stewardship.erasing.planting import BOSS
from tests.stewardship.erasing.scanning import places_of
from tests.stewardship.erasing.test_running_steps import TEXT, WORD, compose, portray, remember

pytestmark = pytest.mark.django_db(transaction=True)

CLAIM = "Robin Lane works at Zanzibarquux."
POINT_BY_KIND: dict[str, Checkpoint] = {
    "messages": "before_commit",
    "session": "after_read",
    "entity": "before_commit",
}


def fold(request: Any) -> Any:
    words = " ".join(turn.text for turn in request.payload.turns)
    return answer(digest_item("summary", f"They said: {words}"[:300]))


def draft(request: Any) -> Any:
    text = next(
        (step.text for shown in request.payload.traces for step in shown.steps if WORD in step.text), ""
    )
    return answer(described(text), line("procedure", text, "t1.s1")) if text else NOTHING


ANSWERS: dict[str, Any] = {
    "l1_extract": remember,
    "scene_synthesis": compose,
    "persona": portray,
    "compaction": fold,
    "skill_extract": draft,
}
BELOW: dict[Step, tuple[Step, ...]] = {
    Step.SCENE_SYNTHESIS: (Step.L1_EXTRACT,),
    Step.PERSONA: (Step.L1_EXTRACT, Step.SCENE_SYNTHESIS),
    Step.PROMOTION: (Step.L1_EXTRACT,),
}


def model() -> ScriptedModel:
    return ScriptedModel(otherwise=by_task(ANSWERS))


def run(entity: Entity, step: Step) -> None:
    """The step now, whatever time was planned."""
    work.flush(entity)
    work.pull_in(entity=entity, step=step)
    drain(entity_id=entity.pk, step=step, model=model())


def told(name: str, step: Step) -> Entity:
    """An entity that was told the word, with everything that the step reads."""
    entity = an_entity(name)
    if step is Step.COMPACTION:
        session = open_talk(entity)
        for text in (TEXT, *(f"Turn {place} is about tea." for place in range(6))):
            take(session, text, role="user")
    else:
        say(entity, CLAIM if step is Step.PROMOTION else TEXT, "I drink tea in the morning.")
    if step is Step.SKILL_EXTRACT:
        trace(
            entity,
            f"Open the door with {WORD}",
            [("instruction", f"Say {WORD} at the door."), ("action", "Opened")],
        )
    for below in BELOW.get(step, ()):
        run(entity, below)
    return entity


def scope_of(kind: str, entity: Entity) -> Scope:
    said = Message.objects.for_entity(entity).filter(text__icontains=WORD)
    if kind == "messages":
        return Scope("messages", messages=tuple(said.values_list("pk", flat=True)))
    if kind == "session":
        return Scope(
            "session", sessions=tuple(Session.objects.for_entity(entity).values_list("pk", flat=True))
        )
    return Scope("entity")


def forget(kind: str, entity: Entity) -> None:
    erase(erasure=plan_erasure(entity=entity, scope=scope_of(kind, entity), actor=BOSS), actor=BOSS)


def at_rest(entity: Entity) -> None:
    """Everything that is still to be done is done, and nothing is wrong then."""
    settle_entity(entity, model=model())
    PromotionWorker(entity).run_once()
    index_entity(entity_id=entity.pk)
    assert verify(entity, is_settled=True) == []


@pytest.mark.parametrize("kind", list(POINT_BY_KIND))
@pytest.mark.parametrize("step", list(Step))
def test_what_is_erased_while_a_step_stands_does_not_come_back(step: Step, kind: str) -> None:
    with folding():
        entity = told("agent.one", step)
        with standing(POINT_BY_KIND[kind], partial(run, entity, step)):
            [running] = Run.objects.for_entity(entity).filter(status=Run.Status.RUNNING)
            assert running.step == step
            forget(kind, entity)
        assert places_of(WORD) == []
        left = list(Run.objects.filter(pk=running.pk).values_list("status", "outputs", "raw_answer"))
        assert left == ([] if kind == "entity" else [(Run.Status.DISCARDED, {}, "")])
        if kind == "messages":
            at_rest(entity)
            assert places_of(WORD) == []


@pytest.mark.parametrize("step", list(Step))
def test_what_commits_first_is_erased_by_whoever_waited(step: Step) -> None:
    """The erase begins while the step's transaction is open, and waits for it."""
    with folding():
        entity = told("agent.one", step)
        with ThreadPoolExecutor(1) as pool:
            with standing("inside_commit", partial(run, entity, step)):
                plan = plan_erasure(entity=entity, scope=Scope("entity"), actor=BOSS)
                waiting = pool.submit(alone(lambda: erase(erasure=plan, actor=BOSS)))
                until_somebody_waits()
            waiting.result(60)
    assert places_of(WORD) == []
    assert not Entity.objects.filter(pk=entity.pk).exists()


def test_what_is_being_indexed_is_erased_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index step refers to the entity at its commit, after it has written what the erase takes.

    The erase waits for it once: it does not begin again after the database has ended one of the two.
    """
    entity = told("agent.one", Step.L1_EXTRACT)
    leave_queue, is_written = index_step._leave_queue, threading.Event()
    lock, tries = operation._lock, []

    def count_and_lock(erasure: Erasure) -> Entity:
        tries.append(erasure.pk)
        return lock(erasure)

    def leave_and_wait(*given: Any) -> None:
        leave_queue(*given)
        is_written.set()
        until_somebody_waits()

    monkeypatch.setattr(index_step, "_leave_queue", leave_and_wait)
    monkeypatch.setattr(operation, "_lock", count_and_lock)
    plan = plan_erasure(entity=entity, scope=Scope("entity"), actor=BOSS)
    with ThreadPoolExecutor(1) as pool:
        indexing = pool.submit(alone(lambda: index_terms(entity, wants_vectors=False)))
        assert is_written.wait(30)
        erase(erasure=plan, actor=BOSS)
        assert (indexing.result(60), tries) == (2, [plan.pk])
    assert places_of(WORD) == []
    assert not Entity.objects.filter(pk=entity.pk).exists()


def alone(action: Callable[[], object]) -> Callable[[], object]:
    """The action, with its connection closed after it."""

    def act() -> object:
        try:
            return action()
        finally:
            connections.close_all()

    return act


def until_somebody_waits() -> None:
    """Until a transaction waits for another one's lock."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")


def test_a_claim_word_for_word_is_what_the_promotion_reads() -> None:
    """Without it the tests above would show nothing of promotion."""
    entity = told("agent.one", Step.PROMOTION)
    run(entity, Step.PROMOTION)
    assert "memory_graphnode" in places_of(WORD)
