"""A broker that does not answer costs little, once in a while, and never an error."""

import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from memory.broker import PRODUCER_OPTIONS, breaker, send_task
from memory.cascade.wakeups import send
from memory.indexing.wakeups import send_index
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Message, Step
from memory.models.base import new_id
from memseek_site.celery import application
from tests.factories import make_workspace


@pytest.fixture(autouse=True)
def closed_breaker() -> Iterator[None]:
    """No test begins with what another one found out about its broker."""
    breaker.close()
    yield
    breaker.close()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A server that takes connections and never says a word; the broker while the test runs."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        monkeypatch.setattr(application.conf, "broker_write_url", redis_at(server))
        yield server


def redis_at(server: socket.socket) -> str:
    return f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def connections(server: socket.socket) -> int:
    """How many have been made since the last look."""
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.timeout(20)
def test_a_silent_broker_is_tried_once_and_then_left_in_peace(
    silent: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    entity_id = new_id()
    send(workspace_id=new_id(), entity_id=entity_id, step=Step.L1_EXTRACT)
    assert connections(silent) >= 1
    for _ in range(50):
        send(workspace_id=new_id(), entity_id=entity_id, step=Step.L1_EXTRACT)
        send_index(workspace_id=new_id(), entity_id=entity_id)
    assert connections(silent) == 0
    assert warnings(caplog) == [f"no wake-up sent for memory.run_step of {entity_id}: OperationalError"]


@pytest.mark.timeout(20)
def test_a_broker_that_was_down_is_tried_again_later(
    silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = redis_at(gone)
    monkeypatch.setattr(application.conf, "broker_write_url", address)
    send(workspace_id=new_id(), entity_id=new_id(), step=Step.L1_EXTRACT)
    assert breaker.is_open
    monkeypatch.setattr(application.conf, "broker_write_url", redis_at(silent))
    monkeypatch.setattr("memory.broker.time.monotonic", lambda: breaker._rests_until)
    send(workspace_id=new_id(), entity_id=new_id(), step=Step.L1_EXTRACT)
    assert connections(silent) >= 1


@pytest.mark.parametrize("error", [ValueError("port"), RuntimeError("lost"), OSError("gone")])
def test_no_error_of_sending_reaches_the_caller(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(application, "send_task", fail)
    entity_id = new_id()
    send_index(workspace_id=new_id(), entity_id=entity_id)
    assert warnings(caplog) == [
        f"no wake-up sent for memory.index_entity of {entity_id}: {type(error).__name__}"
    ]


def test_a_task_reaches_the_queue_of_a_broker_that_is_well(broker_url: str) -> None:
    """The same producer is used again and again, and a worker's own connection has no such haste."""
    with application.connection_for_write() as link:
        queue = link.SimpleQueue("wakeups-of-a-test")
        queue.clear()
        ids = [new_id() for _ in range(3)]
        for entity_id in ids:
            send_task("memory.nothing", entity_id, "more", queue="wakeups-of-a-test")
        assert [queue.get(timeout=5).payload[0] for _ in ids] == [[str(id), "more"] for id in ids]
        queue.clear()
        assert PRODUCER_OPTIONS.keys().isdisjoint(link.transport_options or {})


@pytest.mark.timeout(60)
@pytest.mark.django_db(transaction=True)
def test_words_are_stored_and_the_call_succeeds_although_the_broker_is_silent(silent: socket.socket) -> None:
    entity = ensure_entity(workspace=make_workspace(), name="agent.alice-test")
    message = IncomingMessage(session="s", role="user", text="Keep billing on Express.", dedupe_key="k")
    stored = [append_messages(entity=entity, messages=[message]).new_count for _ in range(2)]
    assert (stored, connections(silent) >= 1) == ([1, 0], True)
    assert Message.objects.for_entity(entity).count() == 1
