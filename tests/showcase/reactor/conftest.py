"""The tour's two sessions, through the real cascade with the offline model."""

import pytest

from memory.models import Entity
from tests.cascade.story import an_entity
from tests.showcase.reactor.telling import tell_session


@pytest.fixture
def toured(transactional_db: None) -> Entity:
    """The tour's entity after both sessions, each settled before the next one."""
    entity = an_entity("agent.alice-demo")
    for place in (0, 1):
        tell_session(entity, place)
    return entity
