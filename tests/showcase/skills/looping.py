"""The steps of the loop that the cascade and its users take."""

from memory.cascade import work
from memory.cascade.engine import Outcome, drain
from memory.models import Entity, Feedback, ProcedureVersion, Step
from memory.skills.feedback import give_feedback
from memory.skills.uses import hand_out
from tests.skills.skilled import PERSON

SKILLS = "/showcase/agent-memory/skills/"
ASKED = "Check the error budget before you deploy the route."


def learn(entity: Entity) -> None:
    """Run the step now, with the offline model."""
    work.flush(entity)
    work.pull_in(entity=entity, step=Step.SKILL_EXTRACT)
    assert Outcome.FAILED not in drain(entity_id=entity.pk, step=Step.SKILL_EXTRACT)


def use_and_say(version: ProcedureVersion, comment: str = ASKED) -> Feedback:
    """Hand the active version out, and have somebody say what was missing."""
    _, use = hand_out(procedure=version.procedure)
    return give_feedback(
        entity=version.entity, use=use, kind="correction", source="operator", comment=comment, actor=PERSON
    )
