"""A served workspace with an entity and a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, Workspace
from tests.events.serving import Reader, serving


@pytest.fixture
def url(transactional_db: None) -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
def alice(transactional_db: None) -> Entity:
    return ensure_entity(workspace=Workspace.objects.create(name="acme"), name="agent.alice")


@pytest.fixture
def bob(alice: Entity) -> Entity:
    return ensure_entity(workspace=alice.workspace, name="agent.bob")


@pytest.fixture
def stranger(transactional_db: None) -> Entity:
    return ensure_entity(workspace=Workspace.objects.create(name="globex"), name="agent.alice")


@pytest.fixture
def token(alice: Entity) -> str:
    return create_key(workspace=alice.workspace, label="test").token


@pytest.fixture
def reader(url: str, token: str) -> Reader:
    return Reader(url, token, {"entity": "agent.alice"})


@pytest.fixture
def events_set(settings: Any) -> Any:
    """Change settings of streams."""

    def change(**values: Any) -> None:
        settings.MEMSEEK = replace(settings.MEMSEEK, events=replace(settings.MEMSEEK.events, **values))

    return change
