"""What people may correct about a persona."""

from collections.abc import Mapping
from typing import Any

from django import forms

from memory.admin.changes import Change, ReasonForm
from memory.admin.membership import Duty
from memory.cascade.contract import TRAIT_TEXT_LIMIT
from memory.models import Entity, Trait, TraitVersion
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_traits import restore_trait, retract_trait, set_trait


class WordingForm(ReasonForm):
    """What the slot says from now on."""

    text = forms.CharField(max_length=TRAIT_TEXT_LIMIT, widget=forms.Textarea(attrs={"rows": 3}))
    field_order: tuple[str, ...] = ("text", "reason")


class SlotForm(WordingForm):
    """The slot too: also one that says nothing yet."""

    slot = forms.ChoiceField(choices=Trait.Slot.choices)
    field_order = ("slot", "text", "reason")


class VersionForm(ReasonForm):
    """Which wording stands again."""

    number = forms.TypedChoiceField(coerce=int, required=False, empty_value=None, label="Wording")
    field_order = ("number", "reason")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        [trait] = self.rows
        is_live = trait.status == Trait.Status.LIVE
        wordings = trait.versions.filter(erased_at=None).order_by("-number")
        choices = [
            (one.number, str(one)) for one in (wordings.exclude(is_head=True) if is_live else wordings)
        ]
        offered = choices if is_live else [("", "the last one"), *choices]
        self.fields["number"].choices = offered  # type: ignore[attr-defined]
        self.fields["number"].required = is_live


def _wording(trait: Trait) -> Mapping[str, Any]:
    head = TraitVersion.objects.filter(trait=trait, is_head=True).first()
    return {"text": head.text if head else ""}


def _set_slot(entity: Entity, actor: Actor, cleaned: Mapping[str, Any]) -> TraitVersion:
    return set_trait(
        entity=entity, slot=cleaned["slot"], text=cleaned["text"], actor=actor, reason=cleaned["reason"]
    )


SET = Change(
    name="set",
    label="Correct",
    says="The slot says what you write. It rests on you, and no run rewrites it.",
    duty=Duty.CORRECT,
    apply=lambda trait, actor, cleaned: _set_slot(trait.entity, actor, {**cleaned, "slot": trait.slot}),
    form=WordingForm,
    initial=_wording,
)
SET_SLOT = Change(
    name="set-trait",
    label="Set a trait",
    says="The slot of the persona says what you write. It rests on you, and no run rewrites it.",
    duty=Duty.CORRECT,
    apply=_set_slot,
    form=SlotForm,
)
RETRACT = Change(
    name="retract",
    label="Retract",
    says="The trait is taken back: it is in no context any more. Its wordings stay as history.",
    duty=Duty.CORRECT,
    apply=lambda trait, actor, cleaned: retract_trait(trait=trait, actor=actor, reason=cleaned["reason"]),
    form=ReasonForm,
    fits=lambda trait: trait.status == Trait.Status.LIVE,
    is_bulk=True,
    is_danger=True,
)
RESTORE = Change(
    name="restore",
    label="Restore a wording",
    says="The wording stands again as a new version, which rests on you.",
    duty=Duty.CORRECT,
    apply=lambda trait, actor, cleaned: restore_trait(
        trait=trait, number=cleaned["number"], actor=actor, reason=cleaned["reason"]
    ),
    form=VersionForm,
)
