"""Shadow rows: their ids, which follow from those they stand for, how they are copied, and their end."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any, TypeVar
from uuid import UUID

from django.apps import apps
from django.db import models, router

from memory.models import Entity, Rebuild

FRESH_ON_COPY = frozenset({"seq"})
"""Numbers that the database gives anew."""

Row = TypeVar("Row", bound=models.Model)


class RebuildStoppedError(Exception):
    """Something that no waiting mends stands in the way; what is done is kept, and the next start goes on."""


class Ids:
    """From the ids of an entity's rows to those of their copies in its shadow, and back."""

    def __init__(self, shadow: Entity) -> None:
        self._space = shadow.pk
        self._back: dict[UUID, UUID] = {}

    def of(self, original: UUID) -> UUID:
        """The id of the copy; the same whoever asks, so that a copy can be made in parts."""
        copy = uuid.uuid5(self._space, str(original))
        self._back[copy] = original
        return copy

    def know(self, originals: Iterable[UUID]) -> None:
        """Remember rows that copies may stand for."""
        for original in originals:
            self.of(original)

    def original(self, copy: UUID) -> UUID | None:
        """What a copy stands for, None for a row that was made in the shadow."""
        return self._back.get(copy)

    def translate(self, told: Any) -> Any:
        """The same JSON value with the ids of copies replaced by those of their originals."""
        if isinstance(told, dict):
            return {key: self.translate(value) for key, value in told.items()}
        if isinstance(told, list):
            return [self.translate(value) for value in told]
        if not isinstance(told, str) or len(told) != 36:
            return told
        try:
            return str(self._back.get(UUID(told), told))
        except ValueError:
            return told


def copy_of(row: Row, **changes: Any) -> Row:
    """The row with changes, not saved yet."""
    values = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.name not in FRESH_ON_COPY
    }
    return type(row)(**(values | changes))


def shadow_of(rebuild: Rebuild) -> Entity:
    """The shadow of an open rebuild; RebuildStoppedError when somebody has ended it."""
    shadows = Entity.objects.filter(workspace_id=rebuild.workspace_id, shadow_of_id=rebuild.entity_id)
    found = shadows.select_related("workspace").first()
    if found is None:
        raise RebuildStoppedError("This rebuild was applied or discarded meanwhile.")
    return found


def delete_shadow(shadow: Entity) -> None:
    """Delete every row of a shadow, in one statement for each table; within a transaction."""
    for model in apps.get_app_config("memory").get_models():
        if any(field.name == "entity" for field in model._meta.fields):
            # No cascade to look for: everything that hangs on these rows has the same owner.
            rows = model._base_manager.filter(entity_id=shadow.pk)
            rows._raw_delete(router.db_for_write(model))
    Entity.objects.filter(pk=shadow.pk, shadow_of__isnull=False)._raw_delete(router.db_for_write(Entity))
