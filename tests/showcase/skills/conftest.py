"""The tour's two tasks, and the draft that the offline model makes of them."""

import pytest
from django.contrib.auth.models import User

from memory.models import Entity, Member, ProcedureVersion
from memory.skills.traces import IncomingStep, record_trace
from memory.walkthrough.story import tasks
from tests.cascade.story import an_entity
from tests.showcase.skills.looping import learn


@pytest.fixture
def taught(transactional_db: None) -> Entity:
    """The tour's entity with a draft that waits."""
    entity = an_entity("agent.alice-demo")
    for task in tasks():
        steps = [IncomingStep.model_validate({"kind": step.kind, "text": step.text}) for step in task.steps]
        record_trace(
            entity=entity, task=task.task, outcome=task.outcome, occurred_at=task.occurred_at, steps=steps
        )
    learn(entity)
    return entity


@pytest.fixture
def draft(taught: Entity) -> ProcedureVersion:
    """What waits for a reviewer."""
    return ProcedureVersion.objects.drafts().select_related("procedure__entity__workspace", "entity").get()


@pytest.fixture
def reviewer(taught: Entity) -> User:
    """Who may approve it."""
    user = User.objects.create_user("robin", password="correct horse", is_staff=True)
    Member.objects.create(workspace=taught.workspace, user=user, role=Member.Role.REVIEWER)
    return user
