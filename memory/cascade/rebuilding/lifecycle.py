"""The life of a rebuild: opened on locked ground, made, shown, and then applied or discarded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.designs import Design
from memory.cascade.rebuilding.comparing import Changes, compare
from memory.cascade.rebuilding.people import ground_of, is_live, kept_traits
from memory.cascade.rebuilding.planting import copy_words, plant
from memory.cascade.rebuilding.running import Cost, Notice, cost_of, is_made, make, unread
from memory.cascade.rebuilding.shadows import Ids, delete_shadow, shadow_of
from memory.cascade.rebuilding.swapping import swap
from memory.cascade.rebuilding.views import MemoryView, view_of
from memory.cascade.stages import stage_of
from memory.indexing.wakeups import wake_index_on_commit
from memory.llm.protocol import Model
from memory.models import Entity, Outbox, Rebuild, Run, Step

TOKEN_LENGTH = 12
MODEL_NAME_LIMIT = 128
SCRUBBED = "of a rebuild that was discarded"


class RebuildRefusedError(ValueError):
    """A rebuild cannot be begun or applied as asked; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A result that waits for a decision."""

    rebuild: Rebuild
    changes: Changes
    cost: Cost
    unread: Sequence[UUID]
    """Inputs that no model could read."""
    token: str
    """Names exactly this result: applying with it applies nothing else."""


def propose(
    *, entity: Entity, layer: str, design: Design, model: Model, notice: Notice = lambda text: None
) -> Proposal:
    """Make the memory anew beside the live one, or go on where an earlier call ended, and compare the two.

    Nothing that anybody can reach changes. RebuildRefusedError while a rebuild with other parameters is open;
    RebuildStoppedError when the model or a budget stops it. Must not run inside a transaction.
    """
    rebuild = _open(entity, layer, design, model.name[:MODEL_NAME_LIMIT], notice)
    make(rebuild, model, notice)
    return _proposal(rebuild)


def _open(entity: Entity, layer: str, design: Design, model: str, notice: Notice) -> Rebuild:
    """The open rebuild with these parameters, caught up with the words; else a new one."""
    with transaction.atomic(durable=True):
        locked = _lock(entity)
        found = Rebuild.objects.for_entity(locked).filter(status=Rebuild.Status.OPEN).first()
        if found is not None and not _fits(found, locked):
            notice(
                "Somebody corrected, imported claims or erased since the open rebuild began: it begins anew."
            )
            _discard(found)
            found = None
        if found is None:
            return _begin(locked, layer, design, model)
        if (found.layer, found.design_hash, found.model) != (layer, design.digest, model):
            raise RebuildRefusedError(
                f"Another rebuild of {entity.name} is open ({found}): discard it first."
            )
        if layer == Rebuild.Layer.L1 and (count := copy_words(locked, shadow_of(found))):
            notice(f"{count} messages came since the rebuild began.")
        return found


def _lock(entity: Entity) -> Entity:
    """The row that every commit of the entity's steps takes first."""
    rows = Entity.objects.select_for_update(no_key=True, of=("self",)).select_related("workspace")
    return rows.get(pk=entity.pk, workspace_id=entity.workspace_id)


def _fits(rebuild: Rebuild, entity: Entity) -> bool:
    """Whether what it was made from still stands: nothing erased, nothing corrected."""
    return rebuild.erase_epoch == entity.erase_epoch and rebuild.ground == ground_of(entity)


def _begin(entity: Entity, layer: str, design: Design, model: str) -> Rebuild:
    shadow = Entity.objects.create(
        workspace=entity.workspace,
        name=entity.name,
        time_zone=entity.time_zone,
        # For every worker: the rebuild alone works on it.
        paused_steps=Step.values,
        shadow_of=entity,
    )
    work.ensure_work(shadow)
    plant(entity, shadow, layer)
    return Rebuild.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        layer=layer,
        design=design.full_name,
        design_hash=design.digest,
        model=model,
        erase_epoch=entity.erase_epoch,
        ground=ground_of(entity),
    )


def _proposal(rebuild: Rebuild) -> Proposal:
    shadow = shadow_of(rebuild)
    ids = Ids(shadow)
    old = view_of(rebuild.entity).from_layer(rebuild.layer)
    new = _result(rebuild, shadow)
    known = {ids.of(scene.id): scene.id for scene in old.scenes}
    return Proposal(
        rebuild, compare(old, new, known), cost_of(shadow), unread(shadow), new.digest[:TOKEN_LENGTH]
    )


def _result(rebuild: Rebuild, shadow: Entity) -> MemoryView:
    """What the rebuilt layers would say: the shadow, with the slots that a person closed as they are."""
    made = view_of(shadow).from_layer(rebuild.layer)
    closed = {version.trait.slot: version for version in kept_traits(rebuild.entity)}
    traits = {slot: text for slot, text in made.traits.items() if slot not in closed}
    traits |= {slot: version.text for slot, version in closed.items() if is_live(version)}
    return MemoryView(made.atoms, made.scenes, traits)


def find_open(entity: Entity) -> Rebuild:
    """The rebuild of an entity that waits for a decision; RebuildRefusedError when there is none."""
    found = Rebuild.objects.for_entity(entity).filter(status=Rebuild.Status.OPEN).first()
    if found is None:
        raise RebuildRefusedError(f"No rebuild of {entity.name} is open.")
    return found


def apply_rebuild(rebuild: Rebuild, *, token: str | None = None) -> Rebuild:
    """Swap the result in, in one transaction: what stood becomes history, what people decided stays.

    Messages that came since wait for the next extraction, and a step that was under way starts again.
    RebuildRefusedError, with nothing changed, when the result is not made, is not the one that the token
    names, or was made from what somebody has corrected or erased since.
    """
    with transaction.atomic(durable=True):
        entity = _lock(rebuild.entity)
        current = Rebuild.objects.select_for_update().get(pk=rebuild.pk)
        proposal = _fit_proposal(current, entity, token)
        work.fence(entity, reason="a rebuild was applied meanwhile")
        swap(entity, shadow_of(current), current.layer)
        _end(current, Rebuild.Status.APPLIED, proposal.changes.counts)
        for step in Step:
            if stage_of(step).waiting(entity) is not None:
                work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
        ids = {"step": "rebuild", "rebuild": str(current.pk)}
        Outbox.objects.create(
            workspace_id=entity.workspace_id, entity=entity, event=Outbox.Event.STEP_DONE, ids=ids
        )
        wake_index_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk)
    return current


def _fit_proposal(rebuild: Rebuild, entity: Entity, token: str | None) -> Proposal:
    """The result as it would be applied, or RebuildRefusedError."""
    if rebuild.status != Rebuild.Status.OPEN:
        raise RebuildRefusedError(f"This rebuild is {rebuild.status} already.")
    if not _fits(rebuild, entity):
        raise RebuildRefusedError(
            "Somebody corrected, imported claims or erased since: look at the difference again."
        )
    if not is_made(shadow_of(rebuild), rebuild.layer):
        raise RebuildRefusedError("The result is not whole yet: run the rebuild again to finish it.")
    proposal = _proposal(rebuild)
    if token is not None and token != proposal.token:
        raise RebuildRefusedError(f"The result is not the one that {token} names: look at it again.")
    return proposal


def _end(rebuild: Rebuild, status: Rebuild.Status, counts: dict[str, int]) -> None:
    rebuild.status = status
    rebuild.difference = counts
    rebuild.ended_at = Now()
    rebuild.save(update_fields=["status", "difference", "ended_at"])


def discard_open(entity: Entity) -> bool:
    """Throw an open rebuild of the entity away with every copy of its words; whether there was one.

    Within the caller's transaction. Whoever erases calls it first: the database refuses an erase that would
    leave such copies.
    """
    found = Rebuild.objects.for_entity(entity).filter(status=Rebuild.Status.OPEN).first()
    if found is None:
        return False
    _discard(found)
    return True


def _discard(rebuild: Rebuild) -> None:
    """What was spent stays on record, without any of the words."""
    shadow = shadow_of(rebuild)
    Run.objects.for_entity(shadow).filter(status=Run.Status.RUNNING).update(
        status=Run.Status.DISCARDED, finished_at=Now()
    )
    Run.objects.for_entity(shadow).update(
        entity=rebuild.entity,
        inputs={},
        outputs={},
        decisions=[],
        raw_answer="",
        error_text="",
        noop_reason=SCRUBBED,
    )
    delete_shadow(shadow)
    _end(rebuild, Rebuild.Status.DISCARDED, {})
