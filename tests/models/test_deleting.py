"""Deleting a workspace or an entity takes everything of it and nothing of another."""

from typing import Any

from django.apps import apps

from memory.models import Entity, Key, Workspace
from tests.models.rows import World, check_now

KEPT = ("memory_erasure", "memory_idempotentreply")
"""What was done and what was answered outlive the entity, without naming it."""
ROWS = [*apps.get_app_config("memory").get_models(), Key.entities.through]


def counts(**owner: Any) -> dict[str, int]:
    """Rows of an owner in every table that names it."""
    (column,) = owner
    named = [model for model in ROWS if any(field.attname == column for field in model._meta.fields)]
    return {model._meta.db_table: model._default_manager.filter(**owner).count() for model in named}


def everything() -> dict[str, int]:
    return {model._meta.db_table: model._default_manager.count() for model in ROWS}


def empty(table_counts: dict[str, int]) -> dict[str, int]:
    return dict.fromkeys(table_counts, 0)


def taken(before: dict[str, int], gone: dict[str, int]) -> dict[str, int]:
    return {table: count - gone.get(table, 0) for table, count in before.items()}


def test_deleting_an_entity_takes_its_rows_alone(world: World) -> None:
    before, own = everything(), counts(entity_id=world["own.entity"])
    Entity.objects.get(pk=str(world["own.entity"])).delete()
    check_now()
    assert counts(entity_id=world["own.entity"]) == empty(own)
    # Its shadow, in which it is rebuilt, goes with it; the audit of what was erased stays.
    assert everything() == taken(before, {**own, "memory_entity": 2, **dict.fromkeys(KEPT, 0)})


def test_deleting_a_workspace_takes_its_rows_alone(world: World) -> None:
    before, own = everything(), counts(workspace_id=world["own.workspace"])
    Workspace.objects.get(pk=str(world["own.workspace"])).delete()
    check_now()
    assert counts(workspace_id=world["own.workspace"]) == empty(own)
    assert everything() == taken(before, {**own, "memory_workspace": 1, "memory_key_entities": 1})


def test_the_rows_that_deleting_is_tried_on_lie_in_every_table(world: World) -> None:
    assert [table for table, count in everything().items() if count == 0] == []
