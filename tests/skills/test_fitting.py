"""Which procedures are for some words: by their active version or their draft, through room and door."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.workspaces import create_key
from memory.models import Entity
from memory.skills.fitting import fitting_procedures
from tests.api.conftest import Caller
from tests.factories import make_entity
from tests.skills.procedures import make_procedure, make_procedure_version


@pytest.fixture
def entity(db: None) -> Entity:
    return make_entity()


CAKE = {
    "when": ["Someone asks for a birthday cake."],
    "procedure": ["Whip the cream.", "Call it done."],
}


def test_active_versions_and_drafts_are_held_against_the_words(entity: Entity) -> None:
    deploy = make_procedure(entity).procedure
    cake = make_procedure(entity, "Sweets", {"procedure": ["Whip the cream."]}).procedure
    assert fitting_procedures(entity, "Bake a birthday cake") == frozenset()
    make_procedure_version(cake, "Sweets", CAKE)
    assert fitting_procedures(entity, "Bake a birthday cake") == {cake.pk}
    assert fitting_procedures(entity, "Deploying a service") == {deploy.pk}
    assert fitting_procedures(make_entity("agent.other"), "Deploying a service") == frozenset()


def test_the_door_lists_those_that_are_for_the_words(entity: Entity) -> None:
    make_procedure(entity)
    cake = make_procedure(entity, "Baking", CAKE).procedure
    caller = Caller(create_key(workspace=entity.workspace, label="test").token)

    def listed(**query: str) -> list[str]:
        body = caller.get("/api/v1/procedures", entity=entity.name, **query).json()
        return [procedure["id"] for procedure in body["procedures"]]

    assert listed(words="Bake a birthday cake") == [str(cake.pk)]
    assert listed(words="Wash the windows") == []
    assert len(listed()) == 2


def test_statements_do_not_grow_with_the_procedures(entity: Entity) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            fitting_procedures(entity, "Bake a birthday cake")
        return len(captured)

    make_procedure(entity, "Baking", CAKE)
    few = statements()
    for number in range(10):
        make_procedure(entity, f"Baking {number}", CAKE)
    assert statements() == few
