"""A word of its owner in every column that can hold one: what leaks can be seen, and from which column.

Rows are marked as they lie in the tables, past the triggers that keep stored words from being edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Field, Model

from memory.models import Entity, Key
from memseek_site.databases import connected_as_owner

SAME = {
    "memory_entity.name": "both owners are called the same",
    "memory_entity.time_zone": "is read as the name of a zone",
    "memory_workspace.name": "finds the demonstration; the other one is called by its owner's word",
    "memory_workspace.design": "names an installed design",
    "memory_installeddesign.version": "is read as a version",
    "memory_rebuild.design": "names a design",
    "memory_run.design": "names a design",
    "memory_atom.live_source": "names a source",
    "memory_livesource.name": "is named by policies",
    "memory_livesource.address": "names a callable",
    "memory_key.digest": "is what a key is found by",
    "memory_atom.subject_kind": "both owners know the same customer",
    "memory_atom.subject_id": "both owners know the same customer",
    "memory_graphnode.kind": "both owners know the same customer",
    "memory_graphnode.identifier": "both owners know the same customer",
    "memory_session.external_id": "both owners call their sessions the same",
    "memory_scene.slug": "is made by the product",
    "memory_procedure.slug": "is made by the product",
    "memory_erasure.counts": "holds numbers",
    "memory_work.last_error_kind": "is a word of the product",
}
"""Columns of words that stay as they are, with the reason."""
EMPTY_STAYS = {"memory_atom.predicate"}
"""Columns in which an empty text says that the row is no claim."""


@dataclass(frozen=True)
class Owner:
    """Whose memory it is: an entity, or all of a workspace that is no entity's."""

    word: str
    workspace: UUID
    entity: UUID | None


def tables() -> list[type[Model]]:
    """Every table of memory."""
    return list(apps.get_app_config("memory").get_models())


def columns_of_words() -> Iterator[tuple[type[Model], Any]]:
    """Every column that can hold words of somebody: no choices, no keys, nothing of the installation."""
    for model in tables():
        is_owned = any(field.name == "workspace" for field in model._meta.fields)
        for field in model._meta.concrete_fields:
            holds = isinstance(field, models.CharField | models.TextField | models.JSONField)
            if holds and not field.choices and (is_owned or model._meta.model_name == "workspace"):
                yield model, field


def mark_everything(owners: list[Owner]) -> set[str]:
    """Mark the rows of all owners and give back the columns that a constraint keeps from that."""
    refused: set[str] = set()
    with connected_as_owner(), transaction.atomic(), connection.cursor() as cursor:
        for model, field in columns_of_words():
            column = f"{model._meta.db_table}.{field.column}"
            if column not in SAME and not _marked(cursor, model, field, owners):
                refused.add(column)
    return refused


def _marked(cursor: Any, model: type[Model], field: Field[Any, Any], owners: list[Owner]) -> bool:
    table = model._meta.db_table
    try:
        with transaction.atomic():
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            for owner in owners:
                _mark(cursor, model, field, owner)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    except DatabaseError:
        return False
    return True


def _mark(cursor: Any, model: type[Model], field: Field[Any, Any], owner: Owner) -> None:
    table, column = model._meta.db_table, field.column
    mine, values = _rows_of(model, owner)
    word = f"{owner.word}_{table.removeprefix('memory_')}_{column}"
    if isinstance(field, models.JSONField):
        added = (
            f"CASE jsonb_typeof({column}) WHEN 'object' THEN {column} || jsonb_build_object('word', %s::text)"
            f" WHEN 'string' THEN to_jsonb(({column} #>> '{{}}') || ' ' || %s::text) ELSE {column} END"
        )
        cursor.execute(f"UPDATE {table} SET {column} = {added} WHERE {mine}", [word, word, *values])
        return
    filled = f" AND {column} <> ''" if f"{table}.{column}" in EMPTY_STAYS else ""
    cursor.execute(
        f"UPDATE {table} SET {column} = trim({column} || ' ' || %s) WHERE {mine}{filled}", [word, *values]
    )


def _rows_of(model: type[Model], owner: Owner) -> tuple[str, list[Any]]:
    """Which rows are this owner's, as a condition: an entity's, or those of the workspace that name none."""
    names = {field.name for field in model._meta.fields}
    if model._meta.model_name == "workspace":
        return ("id = %s", [owner.workspace]) if owner.entity is None else ("false", [])
    if model is Entity:
        return ("id = %s", [owner.entity]) if owner.entity else ("false", [])
    if model is Key:
        bound = "id IN (SELECT key_id FROM memory_key_entities WHERE entity_id = %s)"
        return (
            (bound, [owner.entity])
            if owner.entity
            else ("workspace_id = %s AND NOT is_bound", [owner.workspace])
        )
    if "entity" in names and owner.entity:
        return "entity_id = %s", [owner.entity]
    if "entity" in names:
        return "workspace_id = %s AND entity_id IS NULL", [owner.workspace]
    return ("workspace_id = %s", [owner.workspace]) if owner.entity is None else ("false", [])
