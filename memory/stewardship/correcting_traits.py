"""Correcting the persona: a slot worded, taken back or restored by a person.

Such a slot is changed by the persona step only for lines that rest on words said after the correction.
"""

from __future__ import annotations

from typing import Any

from memory.cascade.contract import TRAIT_TEXT_LIMIT
from memory.models import Correction, Entity, Evidence, Trait, TraitVersion
from memory.models.base import new_id
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.stewardship.correcting import clean_text, correcting, record


def set_trait(*, entity: Entity, slot: str, text: str, actor: Actor, reason: str) -> TraitVersion:
    """Word a slot of the persona, also an empty one; the new version rests on the correction.

    RefusedChangeError for an unknown slot, a text that cannot be stored, or words that stand already.
    """
    if slot not in Trait.Slot.values:
        raise RefusedChangeError(f"The slots are {', '.join(Trait.Slot.values)}.")
    text = clean_text(text, limit=TRAIT_TEXT_LIMIT, name="The trait")
    with correcting(entity) as held:
        trait = Trait.objects.for_entity(held).filter(slot=slot).first()
        head = _head(trait)
        if trait is not None and head is not None and (trait.status, head.text) == (Trait.Status.LIVE, text):
            raise RefusedChangeError("The trait says so already.")
        trait = trait or Trait.objects.create(workspace_id=held.workspace_id, entity=held, slot=slot)
        return _say(trait, head, text, actor=actor, reason=reason, kind=Correction.Kind.TRAIT_SET)


def retract_trait(*, trait: Trait, actor: Actor, reason: str) -> Correction:
    """Take a trait back; its versions stay as history, and the correction is a receipt of the last one.

    StaleChangeError when the trait has another state by now than the given row, RefusedChangeError when it
    was taken back already.
    """
    with correcting(trait.entity) as entity:
        row = _current(entity, trait)
        head = _head(row)
        if row.status == Trait.Status.RETRACTED or head is None:
            raise RefusedChangeError("The trait was taken back already.")
        Trait.objects.filter(pk=row.pk).update(status=Trait.Status.RETRACTED)
        correction = record(
            entity,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.TRAIT_RETRACTED,
            before=_told(row, head),
            after={"trait": str(row.pk), "status": Trait.Status.RETRACTED},
        )
        _vouch(head, correction)
        return correction


def restore_trait(*, trait: Trait, number: int | None, actor: Actor, reason: str) -> TraitVersion:
    """Have an earlier wording, or without a number the last one of a retracted trait, stand as a new version.

    RefusedChangeError for a number that there is not, for the wording that stands, and for an erased one.
    """
    with correcting(trait.entity) as entity:
        row = _current(entity, trait)
        head = _head(row)
        wanted = head if number is None else row.versions.filter(number=number).first()
        if wanted is None:
            raise RefusedChangeError(f"The trait has no version {number}.")
        if wanted.erased_at is not None:
            raise RefusedChangeError("The words of this version were erased.")
        if head is not None and row.status == Trait.Status.LIVE and wanted.text == head.text:
            raise RefusedChangeError("The trait says so already.")
        kind = Correction.Kind.TRAIT_RESTORED
        return _say(row, head, wanted.text, actor=actor, reason=reason, kind=kind, restored=wanted.number)


def _say(
    trait: Trait, head: TraitVersion | None, text: str, *, actor: Actor, reason: str, kind: Any, **more: Any
) -> TraitVersion:
    """The next version of a trait, live, resting on a correction."""
    number = (head.number if head else 0) + 1
    version_id = new_id()
    correction = record(
        trait.entity,
        actor=actor,
        reason=reason,
        kind=kind,
        before=_told(trait, head),
        after={
            "trait": str(trait.pk),
            "slot": trait.slot,
            "version": str(version_id),
            "number": number,
            "text": text,
            **more,
        },
    )
    TraitVersion.objects.filter(trait=trait, is_head=True).update(is_head=False)
    trait.status = Trait.Status.LIVE
    trait.save(update_fields=["status"])
    version = TraitVersion.objects.create(
        id=version_id,
        workspace_id=trait.workspace_id,
        entity_id=trait.entity_id,
        trait=trait,
        number=number,
        text=text,
        correction=correction,
    )
    _vouch(version, correction)
    return version


def _current(entity: Entity, trait: Trait) -> Trait:
    """The row as it is now, if it still is what the person saw."""
    row = Trait.objects.for_entity(entity).select_related("entity").filter(pk=trait.pk).first()
    if row is None:
        raise StaleChangeError("The trait is not there any more.")
    if row.status != trait.status:
        raise StaleChangeError(f"The trait is {row.status} by now: look at it again.")
    return row


def _head(trait: Trait | None) -> TraitVersion | None:
    return trait.versions.filter(is_head=True).first() if trait is not None else None


def _vouch(version: TraitVersion, correction: Correction) -> None:
    Evidence.objects.create(
        workspace_id=version.workspace_id,
        entity_id=version.entity_id,
        of_trait_version=version,
        correction=correction,
    )


def _told(trait: Trait, head: TraitVersion | None) -> dict[str, Any]:
    """A trait as its correction remembers it."""
    told: dict[str, Any] = {"trait": str(trait.pk), "slot": trait.slot, "status": trait.status}
    if head is not None:
        told |= {"version": str(head.pk), "number": head.number, "text": head.text}
    return told
