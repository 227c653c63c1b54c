"""An entity that is spoken of, and somebody in another workspace."""

import pytest

from memory.ingest.entities import ensure_entity
from memory.models import Entity, Workspace


@pytest.fixture
def workspace(db: None) -> Workspace:
    return Workspace.objects.create(name="acme")


@pytest.fixture
def alice(workspace: Workspace) -> Entity:
    return ensure_entity(workspace=workspace, name="agent.alice")


@pytest.fixture
def bob(db: None) -> Entity:
    """Of another workspace, under the same name; nothing of his may appear."""
    return ensure_entity(workspace=Workspace.objects.create(name="globex"), name="agent.alice")
