"""Erasing an entity whole: every row that names it, in every table, and the row of the entity itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import models
from django.db.models import QuerySet

from memory.cascade.rebuilding.shadows import delete_shadow
from memory.models import (
    Atom,
    Correction,
    Digest,
    Entity,
    Erasure,
    Feedback,
    GraphEdge,
    IdempotentReply,
    Key,
    Line,
    Message,
    ProcedureVersion,
    Run,
    SceneVersion,
    Session,
    Share,
    TaskTrace,
    TraceStep,
    TraitVersion,
    Use,
)
from memory.stewardship.erasing.parts import delete_rows, in_parts

COUNTED: dict[str, type[Any]] = {
    "messages": Message,
    "sessions": Session,
    "digests": Digest,
    "atoms": Atom,
    "edges": GraphEdge,
    "lines": Line,
    "scene_versions": SceneVersion,
    "trait_versions": TraitVersion,
    "corrections": Correction,
    "traces": TaskTrace,
    "trace_steps": TraceStep,
    "feedback": Feedback,
    "procedure_versions": ProcedureVersion,
    "uses": Use,
    "runs": Run,
}


def counts_of(entity: Entity) -> dict[str, int]:
    """How many rows of each sort an entity has; sorts without rows are left out."""
    sizes = {
        name: model._default_manager.filter(workspace_id=entity.workspace_id, entity_id=entity.pk).count()
        for name, model in COUNTED.items()
    }
    return {name: size for name, size in sizes.items() if size}


def delete_entity(entity: Entity) -> None:
    """Within a transaction that holds the entity's row for update: delete everything of it.

    What was planned or done before keeps its counts, without the entity and without its reasons. Keys that
    were bound to the entity stay bound, to nothing.
    """
    for shadow in Entity.objects.filter(workspace_id=entity.workspace_id, shadow_of=entity):
        delete_shadow(shadow)
    _delete_log_entries(entity)
    Erasure.objects.filter(entity=entity).update(entity=None, reason="", selection={})
    # The reply to the erase itself has to be there when its sender asks again.
    IdempotentReply.objects.filter(entity=entity).update(entity=None)
    Share.objects.for_reader(entity.pk).delete()
    for rows in _owned_rows(entity):
        # No cascade to look for: everything that hangs on these rows has the same owner.
        rows._raw_delete(rows.db)
    Entity.objects.filter(pk=entity.pk)._raw_delete(Entity.objects.db)


def _owned_rows(entity: Entity) -> Iterator[QuerySet[Any]]:
    for model in [*apps.get_app_config("memory").get_models(), Key.entities.through]:
        if model not in (Erasure, IdempotentReply) and any(
            field.attname == "entity_id" for field in model._meta.concrete_fields
        ):
            yield model._base_manager.filter(entity_id=entity.pk)


def _delete_log_entries(entity: Entity) -> None:
    """Entries about the entity and its rows. The log is small beside the memory: its ids are looked up."""
    entries = LogEntry.objects.filter(content_type__app_label="memory").select_related("content_type")
    by_model: dict[type[models.Model], set[str]] = {}
    for entry in entries.order_by().iterator():
        model = entry.content_type.model_class() if entry.content_type else None
        if model is not None and entry.object_id:
            by_model.setdefault(model, set()).add(entry.object_id)
    for model, ids in by_model.items():
        own = {str(row) for row in _own(model, entity, ids)}
        of_model = entries.filter(content_type__model=model._meta.model_name)
        delete_rows(LogEntry.objects.all(), "pk", set(_of(of_model, own)))


def _own(model: type[models.Model], entity: Entity, ids: set[str]) -> set[UUID]:
    """Those of some ids that belong to the entity."""
    names = {field.attname for field in model._meta.concrete_fields}
    if model is Entity:
        # As text: the log holds what a person typed into an address, too.
        return {entity.pk} if str(entity.pk) in ids else set()
    if "entity_id" not in names:
        return set()
    own: set[UUID] = set()
    for part in in_parts(sorted(ids)):
        own.update(model._base_manager.filter(pk__in=part, entity_id=entity.pk).values_list("pk", flat=True))
    return own


def _of(entries: QuerySet[LogEntry], own: set[str]) -> Iterator[int]:
    for part in in_parts(sorted(own)):
        yield from entries.filter(object_id__in=part).values_list("pk", flat=True)
