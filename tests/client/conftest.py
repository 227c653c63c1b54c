"""A live server with a key, and a worker in a thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connections

from memory.cascade.engine import settle_entity
from memory.client import Memory
from memory.ingest.workspaces import create_key
from memory.llm.offline.model import OfflineModel
from memory.models import Entity, Workspace


@pytest.fixture
def workspace(transactional_db: None) -> Workspace:
    return Workspace.objects.create(name="acme")


@pytest.fixture
def key(workspace: Workspace) -> str:
    return create_key(workspace=workspace, label="test").token


@pytest.fixture
def url(live_server: Any) -> str:
    return str(live_server.url)


@pytest.fixture
def memory(url: str, key: str) -> Iterator[Memory]:
    with Memory(url, key) as memory:
        yield memory


@contextmanager
def working(entity: Entity | None = None) -> Iterator[None]:
    """Whatever is due for an entity, or for every one, is done meanwhile."""
    is_over = Event()

    def work() -> None:
        try:
            while not is_over.wait(0.02):
                for due in [entity] if entity else Entity.objects.select_related("workspace"):
                    settle_entity(due, model=OfflineModel())
        finally:
            connections.close_all()

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
