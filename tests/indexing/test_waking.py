"""Who sends a worker to index, and that what waits is found although nobody did."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory import tasks
from memory.cascade.work import flush
from memory.indexing.sweeping import sweep_index, waiting_entities
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Entity, SearchUnit, Unindexed
from memseek_site.celery import application
from tests.factories import make_message, make_workspace

Sent = list[tuple[str, str, str, float | None]]


@pytest.fixture(autouse=True)
def words_only(settings: Any) -> None:
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, embedding=replace(product.embedding, provider="none"))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """What would have gone to the broker: task, queue, entity or step, countdown."""
    found: Sent = []

    def take(name: str, *, args: list[str], queue: str, countdown: float | None, **_: Any) -> None:
        found.append((name, queue, args[-1], countdown))

    monkeypatch.setattr(application, "send_task", take)
    return found


@pytest.fixture
def entity(db: None) -> Entity:
    return ensure_entity(workspace=make_workspace(), name="agent.alice-test")


def say(entity: Entity, *texts: str, role: str = "user") -> None:
    for text in texts:
        append_messages(entity=entity, messages=[IncomingMessage(session="s", role=role, text=text)])  # type: ignore[arg-type]


def grow_old() -> None:
    Unindexed.objects.update(queued_at=timezone.now() - timedelta(minutes=1))


def test_the_first_words_wake_reading_and_indexing_once(
    entity: Entity, sent: Sent, django_capture_on_commit_callbacks: Any, settings: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        say(entity, "Keep billing on Express.", "Until July 15.")
    assert sent == [
        ("memory.run_step", "cascade", "l1_extract", None),
        ("memory.index_entity", "index", str(entity.pk), settings.MEMSEEK.waking.quiet_seconds),
    ]


def test_words_that_are_never_read_wait_for_the_sweep(
    entity: Entity, sent: Sent, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        say(entity, "You are helpful.", role="system")
    assert sent == []
    grow_old()
    assert sweep_index() == 1
    assert sent == [("memory.index_entity", "index", str(entity.pk), None)]


def test_a_step_that_did_something_has_it_indexed(entity: Entity, sent: Sent) -> None:
    tasks.run_step(str(entity.pk), "l1_extract")
    assert sent == []
    say(entity, "Never deploy without my approval.")
    flush(entity)
    tasks.run_step(str(entity.pk), "l1_extract")
    assert sent[-1] == ("memory.index_entity", "index", str(entity.pk), None)


def test_the_task_indexes_what_waits_and_sends_no_other(entity: Entity, sent: Sent) -> None:
    make_message(entity, "Keep billing on Express.")
    tasks.index_entity(str(entity.pk))
    assert (SearchUnit.objects.for_entity(entity).count(), Unindexed.objects.count(), sent) == (1, 0, [])


def test_a_task_whose_time_was_over_leaves_the_rest_to_the_next(
    entity: Entity, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.indexing.step.TERMS_BATCH", 1)
    clock = iter([0.0, 0.0, 61.0])
    monkeypatch.setattr("memory.indexing.step.time.monotonic", lambda: next(clock, 61.0))
    make_message(entity, "Keep billing on Express.")
    make_message(entity, "Until July 15.")
    tasks.index_entity(str(entity.pk))
    assert Unindexed.objects.count() == 1
    assert sent == [("memory.index_entity", "index", str(entity.pk), None)]


def test_the_sweep_wakes_for_old_rows_once_an_entity(entity: Entity, sent: Sent) -> None:
    other = ensure_entity(workspace=make_workspace("elsewhere"), name="agent.bob")
    make_message(entity, "Keep billing on Express.")
    make_message(entity, "Until July 15.")
    assert sweep_index() == 0
    grow_old()
    make_message(other, "Just said.")
    tasks.sweep()
    assert sent == [("memory.index_entity", "index", str(entity.pk), None)]


def test_rows_without_a_vector_are_left_in_peace_where_nothing_embeds(entity: Entity) -> None:
    make_message(entity, "Keep billing on Express.")
    Unindexed.objects.update(has_terms=True)
    grow_old()
    assert waiting_entities(wants_vectors=False) == []
    assert waiting_entities(wants_vectors=True) == [(entity.workspace_id, entity.pk)]
