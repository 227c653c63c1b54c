"""Writing traits: a new version per slot that changed, resting on scene lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from memory.cascade.contract import TraitSlot
from memory.cascade.scene_state import SceneState
from memory.cascade.stage import StaleInputsError, Written
from memory.cascade.trait_state import TraitState
from memory.cascade.work import Claim
from memory.models import Evidence, Scene, SceneVersion, Trait, TraitVersion, VersionLine


@dataclass(frozen=True, slots=True)
class PersonaEdit:
    """One accepted change of a slot."""

    index: int
    action: Literal["set", "retract"]
    slot: TraitSlot
    text: str
    lines: tuple[UUID, ...]
    reason: str = ""


def write_persona(
    claim: Claim, *, changed: Sequence[SceneState], traits: Sequence[TraitState], edits: Sequence[PersonaEdit]
) -> Written:
    """Write the edits, retract what lost its lines, and mark the scene versions as looked at.

    Raises StaleInputsError when a scene, or a line under a new trait, changed meanwhile.
    """
    _consume(claim, changed)
    _refuse_gone_lines(claim, edits)
    writer = _Writer(claim, {trait.slot: trait for trait in traits})
    for edit in edits:
        writer.write(edit)
    named = {edit.slot for edit in edits}
    for trait in traits:
        if trait.is_due and trait.slot not in named:
            writer.write(PersonaEdit(-1, "retract", trait.slot, "", (), "a line it rested on is gone"))
    return writer.written


def _consume(claim: Claim, changed: Sequence[SceneState]) -> None:
    ids = [scene.head_id for scene in changed]
    heads = SceneVersion.objects.for_entity(claim.entity).pending().filter(pk__in=ids)
    if heads.update(consumed_by=claim.run) != len(ids):
        raise StaleInputsError("a scene got a new version while the persona was thought about")


def _refuse_gone_lines(claim: Claim, edits: Sequence[PersonaEdit]) -> None:
    cited = {line_id for edit in edits for line_id in edit.lines}
    standing = VersionLine.objects.filter(
        entity=claim.entity, line__in=cited, version__is_head=True, version__scene__status=Scene.Status.LIVE
    )
    if standing.values("line_id").distinct().count() != len(cited):
        raise StaleInputsError("a line under a new trait is gone")


class _Writer:
    def __init__(self, claim: Claim, traits: dict[TraitSlot, TraitState]) -> None:
        self._claim = claim
        self._traits = traits
        self.written = Written()

    def write(self, edit: PersonaEdit) -> None:
        """Write one edit; a text that stands already on standing lines is no change."""
        current = self._traits.get(edit.slot)
        if edit.action == "retract":
            self._retract(edit)
        elif current is None or current.is_due or current.text != edit.text:
            self._set(edit)
        else:
            self._decide(edit, "kept", "the same words stand already")

    def _retract(self, edit: PersonaEdit) -> None:
        trait = self._traits[edit.slot]
        Trait.objects.filter(pk=trait.id).update(status=Trait.Status.RETRACTED)
        self.written.add("traits_retracted", trait.id)
        self._decide(edit, "retracted", edit.reason)

    def _set(self, edit: PersonaEdit) -> None:
        entity = self._claim.entity
        trait, _ = Trait.objects.update_or_create(
            entity=entity,
            slot=edit.slot,
            defaults={"status": Trait.Status.LIVE},
            create_defaults={"workspace_id": entity.workspace_id, "status": Trait.Status.LIVE},
        )
        heads = TraitVersion.objects.for_entity(entity).filter(trait=trait, is_head=True)
        number = heads.values_list("number", flat=True).first() or 0
        heads.update(is_head=False)
        version = TraitVersion.objects.create(
            workspace_id=entity.workspace_id,
            entity=entity,
            trait=trait,
            number=number + 1,
            text=edit.text,
            run=self._claim.run,
        )
        Evidence.objects.bulk_create(
            Evidence(
                workspace_id=entity.workspace_id,
                entity=entity,
                of_trait_version=version,
                line_id=line_id,
                run=self._claim.run,
            )
            for line_id in edit.lines
        )
        self.written.add("trait_versions", version.pk)
        self._decide(edit, "set", edit.reason)

    def _decide(self, edit: PersonaEdit, outcome: str, reason: str) -> None:
        self.written.decisions.append(
            {"item": edit.index, "outcome": outcome, "slot": edit.slot, "text": edit.text, "reason": reason}
        )
