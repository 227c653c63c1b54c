"""An entity to append to."""

import pytest

from memory.ingest.entities import ensure_entity
from memory.models import Entity, Workspace
from tests.setup.conftest import data_dir as data_dir
from tests.setup.conftest import migrated_dir as migrated_dir


@pytest.fixture
def workspace(db: None) -> Workspace:
    return Workspace.objects.create(name="acme")


@pytest.fixture
def alice(workspace: Workspace) -> Entity:
    return ensure_entity(workspace=workspace, name="agent.alice")


@pytest.fixture
def bob(db: None) -> Entity:
    """Of another workspace; nothing of his may appear."""
    return ensure_entity(workspace=Workspace.objects.create(name="globex"), name="agent.alice")
