"""The swap: the shadow's rows are read, deleted, and written again as the entity's own, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from memory.cascade.rebuilding.people import ground_atoms
from memory.cascade.rebuilding.shadows import Ids, delete_shadow
from memory.cascade.rebuilding.swap_atoms import AtomSwap, MadeAtoms, take_reading
from memory.cascade.rebuilding.swap_scenes import SceneSwap, StoredScene, merged_scenes, stored_scenes
from memory.cascade.rebuilding.swap_traits import StoredTrait, TraitSwap, stored_traits
from memory.models import (
    Atom,
    Entity,
    Line,
    Message,
    Rebuild,
    Run,
    Scene,
    SceneVersion,
    Session,
    Step,
    Trait,
    TraitVersion,
)

COPIED = (Session, Message, Atom, Scene, SceneVersion, Line, Trait, TraitVersion)
AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class _Made:
    """All of a shadow that the swap needs, in memory."""

    words: dict[UUID, Message]
    """The shadow's messages by the ids of their originals."""
    atoms: MadeAtoms
    scenes: list[StoredScene]
    merged: dict[UUID, UUID]
    traits: list[StoredTrait]


def swap(entity: Entity, shadow: Entity, layer: str) -> None:
    """Put a shadow's memory in the place of its entity's, from a layer up, and end the shadow.

    Within the transaction that holds the entity, with every claim on its work fenced off.
    """
    ids = Ids(shadow)
    for model in COPIED:
        ids.know(model._default_manager.filter(entity=entity).values_list("pk", flat=True))
    made = _read(shadow, ids)
    ground = {atom.pk for atom in ground_atoms(entity)}
    atoms = AtomSwap(entity, ids, made.atoms, ground, _last_run(shadow, Step.L1_EXTRACT))
    atoms.match()
    seen_by = _last_run(shadow, Step.SCENE_SYNTHESIS)
    scenes = SceneSwap(entity, ids, made.scenes, made.merged, atoms.row_of, seen_by)
    _hand_over_runs(entity, shadow, ids, atoms.row_of)
    delete_shadow(shadow)
    _take_inputs(entity, ids, made, atoms, layer)
    if layer == Rebuild.Layer.L3:
        scenes.keep()
    else:
        scenes.write()
    TraitSwap(entity, made.traits, scenes.row_of_line).write()


def _take_inputs(entity: Entity, ids: Ids, made: _Made, atoms: AtomSwap, layer: str) -> None:
    """What the lowest layer was made from: read as the rebuild read it, and its atoms where they are new."""
    if layer == Rebuild.Layer.L1:
        atoms.write()
        take_reading(Message.objects.for_entity(entity).filter(is_extractable=True), made.words)
    if layer == Rebuild.Layer.L2:
        copies = {original: atom for atom in made.atoms.atoms if (original := ids.original(atom.pk))}
        take_reading(Atom.objects.for_entity(entity).live(), copies)


def _read(shadow: Entity, ids: Ids) -> _Made:
    words = Message.objects.for_entity(shadow).only("id", "consumed_by", "parked_by", "parked_at")
    return _Made(
        words={original: copy for copy in words if (original := ids.original(copy.pk))},
        atoms=MadeAtoms.read(shadow),
        scenes=stored_scenes(shadow),
        merged=merged_scenes(shadow),
        traits=stored_traits(shadow),
    )


def _last_run(shadow: Entity, step: Step) -> UUID | None:
    runs = Run.objects.for_entity(shadow).filter(step=step, status=Run.Status.SUCCEEDED)
    return runs.order_by("-started_at").values_list("pk", flat=True).first()


def _hand_over_runs(entity: Entity, shadow: Entity, ids: Ids, atoms: dict[UUID, UUID]) -> None:
    """The runs become the entity's: they name the rows that it has now."""
    kept = {str(made): str(row) for made, row in atoms.items()}
    runs = list(Run.objects.for_entity(shadow))
    for run in runs:
        run.entity = entity
        for name in ("inputs", "outputs", "decisions"):
            setattr(run, name, _renamed(ids.translate(getattr(run, name)), kept))
    Run.objects.bulk_update(runs, ["entity", "inputs", "outputs", "decisions"], batch_size=AT_ONCE)


def _renamed(told: object, names: dict[str, str]) -> object:
    if isinstance(told, dict):
        return {key: _renamed(value, names) for key, value in told.items()}
    if isinstance(told, list):
        return [_renamed(value, names) for value in told]
    return names.get(told, told) if isinstance(told, str) else told
