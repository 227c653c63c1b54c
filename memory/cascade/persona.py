"""persona: changed scenes become stable traits, one per slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Max, Min
from django.db.models.functions import Now

from memory.cascade.contract import OfferedTrait, PersonaAnswer, PersonaPayload, TraitEdit
from memory.cascade.designs import Design, design_of_run
from memory.cascade.offering import offer_atom, offer_scene
from memory.cascade.persona_judging import PersonaJudge
from memory.cascade.persona_writing import PersonaEdit, write_persona
from memory.cascade.rules.handles import Handles, Kind
from memory.cascade.scene_state import ScenesState, SceneState, read_scenes
from memory.cascade.showing import show_scenes, show_traits
from memory.cascade.showing_lines import shortened, under
from memory.cascade.stage import Question, Verdict, Written
from memory.cascade.trait_state import TraitState, due_traits, read_trait_rulings, read_traits
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.models import Entity, Scene, SceneVersion, Step


@dataclass(frozen=True, slots=True)
class PersonaBatch:
    """The scenes that changed, and the traits as they stand."""

    state: ScenesState
    changed: tuple[SceneState, ...]
    shown: tuple[SceneState, ...]
    """The changed ones, and those whose lines support a trait: all in full."""
    traits: tuple[TraitState, ...]
    questions: tuple[Question[PersonaEdit], ...] = ()

    @property
    def size(self) -> int:
        """Scenes that a split could separate."""
        return max(1, len(self.changed))

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """For the run."""
        return {
            "scene_versions": [scene.head_id for scene in self.changed],
            "trait_versions": [trait.head_id for trait in self.traits],
        }


class Portrayal:
    """L2 → L3."""

    step = Step.PERSONA
    upstream: tuple[Step, ...] = (Step.L1_EXTRACT, Step.SCENE_SYNTHESIS)
    downstream: tuple[Step, ...] = ()

    def waiting(self, entity: Entity) -> Waiting | None:
        """Since when changed scenes wait, or a trait has lost a line."""
        heads = SceneVersion.objects.for_entity(entity).pending().filter(scene__status=Scene.Status.LIVE)
        times = heads.aggregate(first=Min("created_at"), last=Max("created_at"))
        if times["first"]:
            return Waiting(**times)
        due = due_traits(entity).aggregate(first=Min("created_at"), last=Max("created_at"))
        return Waiting(**due) if due["first"] else None

    def full_size(self, claim: Claim) -> int:
        """Scenes in a batch that nothing limits."""
        return design_of_run(claim.run).limits.persona_scenes

    def read(self, claim: Claim) -> PersonaBatch | None:
        """The changed scenes, with what the traits rest on."""
        design = design_of_run(claim.run)
        state = read_scenes(claim.entity)
        traits = read_traits(claim.entity, state)
        size = min(design.limits.persona_scenes, claim.batch_limit or design.limits.persona_scenes)
        changed = tuple(scene for scene in state.scenes if scene.is_changed)[:size]
        if not changed and not any(trait.is_due for trait in traits):
            return None
        supporting = {line_id for trait in traits for line_id in trait.standing_lines}
        shown = tuple(
            scene
            for scene in state.scenes
            if scene in changed or supporting.intersection(line.id for line in scene.lines)
        )
        batch = PersonaBatch(state, changed, shown, traits)
        return PersonaBatch(state, changed, shown, traits, (_question(claim.entity, batch, design),))

    def write(self, claim: Claim, batch: PersonaBatch, verdicts: Sequence[Verdict[PersonaEdit]]) -> Written:
        """Trait versions and receipts; see `persona_writing`."""
        edits = [edit for verdict in verdicts for edit in verdict.taken]
        return write_persona(claim, changed=batch.changed, traits=batch.traits, edits=edits)

    def park(self, claim: Claim, batch: PersonaBatch) -> None:
        """Set the scene versions aside for a person, and retract the due traits that no model would mend."""
        SceneVersion.objects.filter(pk__in=[scene.head_id for scene in batch.changed]).update(
            parked_at=Now(), parked_by=claim.run
        )
        write_persona(claim, changed=(), traits=batch.traits, edits=())

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next changed scene aside."""
        heads = SceneVersion.objects.for_entity(claim.entity).pending().order_by("seq")
        ids = list(heads.values_list("pk", flat=True)[:1])
        SceneVersion.objects.filter(pk__in=ids).update(parked_at=Now(), parked_by=claim.run)
        return {"scene_versions": ids}


def _question(entity: Entity, batch: PersonaBatch, design: Design) -> Question[PersonaEdit]:
    handles = Handles()
    payload = _payload(entity, batch, handles)
    judge = PersonaJudge(
        handles=handles,
        lines={line.id: line for scene in batch.shown for line in scene.lines},
        atoms=batch.state.atoms,
        traits={trait.slot: trait for trait in batch.traits},
        markers=design.example_markers,
        rulings=read_trait_rulings(entity),
    )
    weigh = under(payload.traits)
    shown = [shortened(scene, design.limits.scene_shown_characters, weigh) for scene in payload.scenes]
    return Question(
        payload=payload,
        values={
            "entity": entity.name,
            "time_zone": entity.time_zone,
            "traits": show_traits(payload.traits),
            "scenes": show_scenes(shown),
        },
        answer_schema=PersonaAnswer,
        item_schema=TraitEdit,
        judge=judge.judge,
    )


def _payload(entity: Entity, batch: PersonaBatch, handles: Handles) -> PersonaPayload:
    atom_ids = dict.fromkeys(atom_id for scene in batch.shown for atom_id in scene.atoms)
    atoms = tuple(offer_atom(handles, entity, batch.state.atoms[atom_id]) for atom_id in atom_ids)
    scenes = tuple(
        offer_scene(handles, scene, atoms=batch.state.atoms, is_full=scene in batch.shown)
        for scene in batch.state.scenes
    )
    traits = tuple(
        OfferedTrait(
            handle=handles.offer(Kind.TRAIT, trait.id),
            slot=trait.slot,
            text=trait.text,
            lines=tuple(handles.handle(line_id) for line_id in trait.standing_lines),
            is_due=trait.is_due,
        )
        for trait in batch.traits
    )
    return PersonaPayload(
        entity=entity.name, time_zone=entity.time_zone, scenes=scenes, atoms=atoms, traits=traits
    )
