"""The number of SQL statements of a step does not depend on how many lines there are."""

from typing import Any

import pytest

from memory.cascade import work
from memory.cascade.engine import drain
from memory.cascade.stages import LADDER
from memory.models import Entity, Step
from tests.cascade.story import added, an_entity, answer, create, say, settle, store, update
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db

FEW, MANY = 2, 16


def scene_of(size: int) -> Entity:
    """An entity with one scene of so many lines and a trait on each side."""
    entity = an_entity(f"agent.with-{size}")
    texts = [f"Statement {number} holds." for number in range(size)]
    say(entity, *texts)
    settle(
        entity,
        answer(*(store(text, f"m{n + 1}", topic="work") for n, text in enumerate(texts))),
        answer(create("Work", *(("core_sop", text, [f"a{n + 1}"]) for n, text in enumerate(texts)))),
    )
    return entity


def statements(entity: Entity, step: Step, said: Any, counted: Any) -> int:
    with counted(1_000) as captured:
        assert [
            outcome.value for outcome in drain(entity_id=entity.pk, step=step, model=ScriptedModel([said]))
        ] == ["done"]
    return len(captured)


@pytest.mark.parametrize("step", LADDER)
def test_a_step_needs_the_same_number_of_statements_for_few_lines_and_for_many(
    step: Step, django_assert_max_num_queries: Any
) -> None:
    counts = [
        _statements_of(step, scene_of(size), size, django_assert_max_num_queries) for size in (FEW, MANY)
    ]
    assert counts[1] <= counts[0]
    assert counts[0] <= 60


def _statements_of(step: Step, entity: Entity, size: int, counted: Any) -> int:
    texts = [f"Addition {number} holds." for number in range(size)]
    say(entity, *texts)
    work.flush(entity)
    answers = {
        Step.L1_EXTRACT: answer(*(store(t, f"m{n + 1}", topic="work") for n, t in enumerate(texts))),
        Step.SCENE_SYNTHESIS: answer(
            update("s1", *(added("core_sop", t, [f"a{n + 1}"]) for n, t in enumerate(texts)))
        ),
        Step.PERSONA: answer(
            {
                "action": "set",
                "slot": "role",
                "text": "Adds what holds.",
                "lines": [f"s1.l{n + 1}" for n in range(size)],
            }
        ),
    }
    found = 0
    for before in LADDER:
        found = statements(entity, before, answers[before], counted)
        if before is step:
            break
    return found
