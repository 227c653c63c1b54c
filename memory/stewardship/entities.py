"""Changing an entity: the zone in which its days are read, and the steps that pause."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from memory.ingest.entities import refuse_zone
from memory.models import Entity, Step
from memory.stewardship.pausing import pause_steps, resume_steps


def change_entity(
    *, entity: Entity, time_zone: str | None = None, paused_steps: Collection[Step] | None = None
) -> Entity:
    """The entity as it is afterwards; None leaves a thing as it is.

    `paused_steps` are all that are to pause: the others go on, with what waited. A new zone holds for what is
    read and shown from now on; what was written stays. IngestError for a zone that is not known.
    """
    with transaction.atomic():
        if time_zone is not None:
            refuse_zone(time_zone)
            Entity.objects.for_workspace(entity.workspace_id).filter(pk=entity.pk).update(time_zone=time_zone)
        if paused_steps is not None:
            pause_steps(entity=entity, steps=paused_steps)
            resume_steps(entity=entity, steps=[step for step in Step if step not in paused_steps])
    entity.refresh_from_db(fields=["time_zone", "paused_steps"])
    return entity
