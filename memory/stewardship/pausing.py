"""Switching a step of an entity off and on. Its inputs wait meanwhile; nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction

from memory.cascade.stages import stage_of
from memory.cascade.work import mark_due
from memory.models import Entity, Step


def pause_steps(*, entity: Entity, steps: Iterable[Step]) -> list[str]:
    """Switch steps off; a run that is under way still ends. Gives all steps that are off now."""
    return _set(entity, lambda paused: paused | {str(step) for step in steps})


def resume_steps(*, entity: Entity, steps: Iterable[Step]) -> list[str]:
    """Switch steps on again and have what waited worked on. Gives the steps that are still off."""
    resumed = tuple(steps)
    left = _set(entity, lambda paused: paused - {str(step) for step in resumed})
    for step in resumed:
        if stage_of(step).waiting(entity) is not None:
            mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
    return left


def _set(entity: Entity, changed: Callable[[set[str]], set[str]]) -> list[str]:
    with transaction.atomic():
        held = Entity.objects.select_for_update(no_key=True).get(
            pk=entity.pk, workspace_id=entity.workspace_id
        )
        held.paused_steps = sorted(changed(set(held.paused_steps)))
        held.save(update_fields=["paused_steps"])
    return held.paused_steps
