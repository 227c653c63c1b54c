from datetime import timedelta

import pytest
from django.utils import timezone

from memory.cascade.work import ensure_work
from memory.measuring.settling import worker_notice
from memory.models import Entity, Process, Step, Work
from memory.walkthrough.waiting import wait_until_settled
from tests.cast import Alice
from tests.factories import SAID_AT, make_entity, make_pending_message

NEVER_SEEN = "no worker was ever seen here; start one: python manage.py serve, or make worker"


@pytest.fixture
def entity(db: None) -> Entity:
    entity = make_entity()
    ensure_work(entity)
    return entity


def test_a_settled_memory_is_not_waited_for(alice: Alice) -> None:
    end = wait_until_settled(alice.entity, timeout_seconds=60, notice=print)
    assert (end.is_settled, end.reasons) == (True, ())


def test_a_parked_message_is_not_waited_for(entity: Entity) -> None:
    make_pending_message(entity, "Unreadable.", parked_at=SAID_AT)
    assert wait_until_settled(entity, timeout_seconds=60, notice=print).is_settled


def test_the_deadline_tells_what_waits_and_why(entity: Entity) -> None:
    make_pending_message(entity, "Something.")
    entity.paused_steps = ["scene_synthesis"]
    Work.objects.for_entity(entity).filter(step=Step.L1_EXTRACT).update(
        last_error_kind="timeout", last_error="The endpoint was silent."
    )
    end = wait_until_settled(entity, timeout_seconds=0.1, notice=print)
    assert (end.is_settled, end.reasons) == (
        False,
        (
            NEVER_SEEN,
            "scene_synthesis is paused for this entity",
            "1 waiting for l1_extract",
            "last error of l1_extract: timeout The endpoint was silent.",
        ),
    )


def test_notices_come_while_nobody_works(entity: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.walkthrough.waiting.NOTICE_SECONDS", 0.0)
    monkeypatch.setattr("memory.walkthrough.progress.WORKER_START_SECONDS", 0.0)
    make_pending_message(entity, "Something.")
    told: list[str] = []
    wait_until_settled(entity, timeout_seconds=0.1, notice=told.append)
    assert set(told) == {NEVER_SEEN}


@pytest.mark.parametrize(("seconds", "beginning"), [(1, ""), (3600, "no worker seen for 36")])
def test_a_silent_worker_is_told(db: None, seconds: int, beginning: str) -> None:
    seen = timezone.now() - timedelta(seconds=seconds)
    Process.objects.create(kind="worker", name="host:1", configuration_hash="x", seen_at=seen)
    assert worker_notice()[: len("no worker seen for 36")] == beginning
