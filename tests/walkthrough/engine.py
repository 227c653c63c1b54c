"""A worker of a test: the real engine, in a thread of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import connections

from memory.cascade.engine import settle_entity
from memory.models import Entity

PAUSE_SECONDS = 0.05


@contextmanager
def engine_for(entity: Entity) -> Iterator[None]:
    """Settle the entity again and again until the block ends; an error of the engine fails the test."""
    is_over = Event()
    errors: list[BaseException] = []
    thread = Thread(target=_work, args=(entity, is_over, errors), name="engine")
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
    assert errors == []


def _work(entity: Entity, is_over: Event, errors: list[BaseException]) -> None:
    try:
        while not is_over.wait(PAUSE_SECONDS):
            settle_entity(entity)
    except BaseException as error:
        errors.append(error)
    finally:
        connections.close_all()
