"""Promotion at work: in the engine, in workers side by side, and when it fails."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from memory.cascade import engine, sweeping
from memory.cascade.engine import settle_entity
from memory.cascade.work import claim, flush, pull_in
from memory.claims import promotion
from memory.claims.graph_writing import Projected
from memory.claims.promotion import Promoted, Promotion, PromotionWorker
from memory.llm import choosing
from memory.llm.offline.model import OfflineModel
from memory.models import (
    Atom,
    Entity,
    GraphNode,
    Run,
    Step,
    Unpromoted,
    Work,
)
from memory.stewardship.verify import verify
from tests.claims.histories import a_claim, an_entity, day, dump, promoted, told
from tests.factories import make_entity, make_message

pytestmark = pytest.mark.django_db


def test_the_engine_promotes_without_any_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (choosing, sweeping):
        monkeypatch.setattr(module, "configured_model", lambda: None)
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    make_message(entity, "Nobody reads this.", consumed_by_id=None)
    flush(entity)
    assert sweeping.sweep().unmarked == 1
    assert engine.drain(entity_id=entity.pk, step=Step.L1_EXTRACT) == []
    Unpromoted.objects.update(queued_at=day(0))
    assert engine.drain(entity_id=entity.pk, step=Step.PROMOTION) == ["done"]
    assert len(told(entity)) == 1


def test_a_flush_promotes_at_once_and_otherwise_it_waits_its_time() -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    pull_in(entity=entity, step=Step.PROMOTION)
    assert engine.drain(entity_id=entity.pk, step=Step.PROMOTION, model=OfflineModel()) == []
    due = Work.objects.annotate(now=Now()).get(step=Step.PROMOTION)
    wait = settings.MEMSEEK.waking.promotion_seconds
    assert timedelta(seconds=wait - 30) < due.due_at - due.now <= timedelta(seconds=wait)  # type: ignore[attr-defined, operator]
    flush(entity)
    settle_entity(entity, model=OfflineModel())
    assert len(told(entity)) == 1
    assert verify(entity, is_settled=True) == []


def test_the_sweep_finds_an_atom_whose_wake_up_was_lost() -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    assert sweeping.sweep().unmarked == 1
    assert Work.objects.get(step=Step.PROMOTION).due_at is not None


def test_a_paused_step_leaves_its_atoms_waiting() -> None:
    entity = an_entity()
    entity.paused_steps = [Step.PROMOTION]
    entity.save()
    a_claim(entity, "billing.plan", "annual")
    assert promoted(entity) == Promoted(waiting=1)


def test_another_workers_lease_is_respected_and_what_it_left_is_told() -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    pull_in(entity=entity, step=Step.PROMOTION)
    assert claim(entity=entity, step=Step.PROMOTION, design="memory-v1@1") is not None
    assert promoted(entity) == Promoted(waiting=1)


def test_a_batch_that_cannot_be_written_is_split_and_parked_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entity = an_entity()
    bad = a_claim(entity, "billing.bad", "x")
    a_claim(entity, "billing.plan", "annual")
    usual = promotion.project_atoms

    def failing(owner: Entity, atoms: Collection[UUID]) -> Projected:
        if bad.pk in atoms:
            raise RuntimeError("no edge for this one")
        return usual(owner, atoms)

    monkeypatch.setattr(promotion, "project_atoms", failing)
    results = [promoted(entity) for _ in range(8)]
    assert results[0].failed == 1
    assert told(entity) == [("customer-123", "billing.plan", "annual", 0, None)]
    parked = Unpromoted.objects.get()
    assert (parked.atom_id, parked.parked_at is None) == (bad.pk, False)
    assert set(Run.objects.failed().values_list("error_kind", flat=True)) == {"internal"}


def test_what_was_queued_while_a_batch_was_written_stays_in_the_queue() -> None:
    entity = an_entity()
    atom = a_claim(entity, "billing.plan", "annual")
    stage = Promotion()
    pull_in(entity=entity, step=Step.PROMOTION)
    held = claim(entity=entity, step=Step.PROMOTION, design="memory-v1@1")
    assert held is not None
    batch = stage.read(held)
    assert batch is not None
    Atom.objects.filter(pk=atom.pk).update(status=Atom.Status.RETRACTED)
    with transaction.atomic():
        stage.write(held, batch, ())
    assert dump(entity) == ([], [])
    assert list(Unpromoted.objects.values_list("atom_id", flat=True)) == [atom.pk]


def test_a_look_may_be_bounded_and_tells_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.claims.promotion.BATCH_ROWS", 2)
    entity = an_entity()
    for number in range(5):
        a_claim(entity, f"fact.n{number}", number)
    done = PromotionWorker(entity, most_batches=2).run_once()
    assert done == Promoted(entities=1, atoms=4, edges_written=4, waiting=1)


def test_one_look_promotes_all_entities_but_no_shadow() -> None:
    entities = [an_entity("agent.one"), an_entity("agent.two")]
    for entity in entities:
        a_claim(entity, "billing.plan", "annual")
    shadow = make_entity("agent.one-shadow")
    shadow.shadow_of = entities[0]
    shadow.save()
    a_claim(shadow, "billing.plan", "annual")
    assert PromotionWorker().run_once() == Promoted(entities=2, atoms=2, edges_written=2)
    assert not GraphNode.objects.for_entity(shadow).exists()


@pytest.fixture
def closing() -> Iterator[list[threading.Thread]]:
    """Threads that a test starts; they have ended when it ends."""
    threads: list[threading.Thread] = []
    yield threads
    for thread in threads:
        thread.join(timeout=60)


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_promote_everything_once(closing: list[threading.Thread]) -> None:
    entity = an_entity()
    for number in range(40):
        a_claim(entity, f"fact.n{number}", number)
    results: list[Promoted] = []

    def work() -> None:
        results.append(PromotionWorker().run_once())
        connection.close()

    closing += [threading.Thread(target=work) for _ in range(4)]
    for thread in closing:
        thread.start()
    for thread in closing:
        thread.join(timeout=60)
    promoted(entity)
    assert sum(result.edges_written for result in results) == 40
    assert len(told(entity)) == 40
    assert verify(entity) == []


@pytest.mark.django_db(transaction=True)
def test_a_worker_in_the_background_goes_on_until_it_is_told_to_stop(
    closing: list[threading.Thread],
) -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    stop, looked = threading.Event(), threading.Event()

    def work() -> None:
        worker = PromotionWorker(progress=lambda owner, done: looked.set())
        worker.run(stop, pause_seconds=0.01)
        connection.close()

    closing.append(threading.Thread(target=work))
    closing[0].start()
    assert looked.wait(30)
    looked.clear()
    a_claim(entity, "billing.seats", 12)
    assert looked.wait(30)
    stop.set()
    closing[0].join(timeout=30)
    assert not closing[0].is_alive()
    assert len(told(entity)) == 2
