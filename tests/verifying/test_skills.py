"""The checker finds procedures that nobody can follow or approve."""

from __future__ import annotations

import pytest

from memory.models import Entity, Procedure, ProcedureVersion
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity
from tests.skills.procedures import make_procedure, make_procedure_version
from tests.skills.skilled import trace

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return an_entity()


def kinds(entity: Entity, *, is_settled: bool = False) -> list[str]:
    return [problem.kind for problem in verify(entity, is_settled=is_settled)]


def test_an_active_version_with_a_draft_on_it_is_whole(entity: Entity) -> None:
    active = make_procedure(entity)
    make_procedure_version(active.procedure, base=active)
    assert kinds(entity) == []


def test_an_active_version_without_a_step_is_found(entity: Entity) -> None:
    make_procedure(entity, sections={"when": ["Somebody asks."]})
    assert kinds(entity) == ["active_version_without_steps"]


def test_a_procedure_without_a_version_is_found(entity: Entity) -> None:
    Procedure.objects.create(workspace=entity.workspace, entity=entity, slug="p1")
    assert kinds(entity) == ["procedure_without_version"]


@pytest.mark.parametrize("is_based", [True, False])
def test_a_draft_on_what_is_not_active_is_found(entity: Entity, is_based: bool) -> None:
    first = make_procedure(entity, status="superseded")
    make_procedure_version(first.procedure, status="active", base=first)
    make_procedure_version(first.procedure, base=first if is_based else None)
    assert kinds(entity) == ["draft_on_another_base"]


def test_a_draft_of_a_retired_procedure_is_found(entity: Entity) -> None:
    active = make_procedure(entity)
    make_procedure_version(active.procedure, base=active)
    Procedure.objects.update(status=Procedure.Status.RETIRED)
    assert kinds(entity) == ["draft_of_retired_procedure"]
    ProcedureVersion.objects.drafts().update(status=ProcedureVersion.Status.STALE)
    assert kinds(entity) == []


def test_a_trace_that_waits_is_a_problem_only_at_rest(entity: Entity) -> None:
    trace(entity)
    assert kinds(entity) == []
    assert "skill_input_waits" in kinds(entity, is_settled=True)
