"""What all tables share: time-ordered ids, the record sequence, owners, and the state of a step's input."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Self, TypeVar

import uuid_utils
from django.db import models
from django.db.models.expressions import Func, Value
from django.db.models.functions import Now

if TYPE_CHECKING:
    from memory.models.tenancy import Entity, Workspace


def new_id() -> uuid.UUID:
    """A version 7 UUID: unique, and close in the index to what was written around the same time."""
    return uuid.UUID(int=uuid_utils.uuid7().int)


class NextRecordNumber(Func):
    """The next value of the one sequence that orders messages, atoms, scene and trait versions."""

    function = "nextval"
    output_field = models.BigIntegerField()

    def __init__(self, *expressions: Any, **extra: Any) -> None:
        super().__init__(*(expressions or (Value("memory_record_number"),)), **extra)


def in_entity(to: str | type[models.Model], related_name: str, **options: Any) -> models.ForeignKey[Any, Any]:
    """A reference whose composite foreign key, over workspace, entity and id, is made in SQL.

    A constraint of Django's own beside it would look up the same row once more for every row written, and
    would have all who write in a workspace lock its one row.
    """
    return models.ForeignKey(
        to, **{"on_delete": models.CASCADE, "related_name": related_name, "db_constraint": False, **options}
    )


class Owned(models.Model):
    """A row of one entity in one workspace; composite foreign keys in SQL keep both equal along evidence."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # Every table has indexes that begin with these two; Django's own would only slow down the writes.
    workspace: models.ForeignKey[Workspace, Workspace] = in_entity("memory.Workspace", "+", db_index=False)
    entity: models.ForeignKey[Entity, Entity] = in_entity("memory.Entity", "+", db_index=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        abstract = True


Row = TypeVar("Row", bound=models.Model)


class OwnedQuerySet(models.QuerySet[Row]):
    """Reads that start from a workspace or an entity."""

    def for_workspace(self, workspace_id: uuid.UUID) -> Self:
        """Rows of one workspace."""
        return self.filter(workspace_id=workspace_id)

    def for_entity(self, entity: Entity) -> Self:
        """Rows of one entity, the workspace named too so that every index and partition can serve."""
        return self.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)


def run_reference(**options: Any) -> models.ForeignKey[Any, Any]:
    """The id of a run, kept when retention has removed the run itself: no constraint, no index."""
    return models.ForeignKey(
        "memory.Run",
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        editable=False,
        **{"related_name": "+", **options},
    )


class StepInput(models.Model):
    """What a step reads: pending until a run consumed it, or until a failed run parked it for a person.

    Pending is a property of the row, never a cursor over sequence numbers: rows that commit late are not
    skipped.
    """

    consumed_by = run_reference()
    parked_by = run_reference()
    parked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True


class StepInputQuerySet(OwnedQuerySet[Row]):
    """Reads by state of a step's input."""

    def pending(self) -> Self:
        """Neither consumed nor parked."""
        return self.filter(consumed_by__isnull=True, parked_at__isnull=True)

    def parked(self) -> Self:
        """Set aside by a failed run, waiting for a person or for the provider to heal."""
        return self.filter(consumed_by__isnull=True, parked_at__isnull=False)
