"""What people may correct about claims."""

from collections.abc import Mapping
from typing import Any

from django import forms

from memory.admin.changes import Change, ReasonForm
from memory.admin.links import page_of
from memory.admin.membership import Duty
from memory.cascade.contract import ATOM_TEXT_LIMIT, TITLE_LIMIT
from memory.models import Atom
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_atoms import restore_atom, retract_atom, supersede_atom

SCOPE_LIMIT = 200
STANDING = (Atom.Status.LIVE, Atom.Status.CONTESTED)


class AtomForm(ReasonForm):
    """The claim as it should have been."""

    text = forms.CharField(
        max_length=ATOM_TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Readable alone: with names instead of “he” and “there”.",
    )
    kind = forms.ChoiceField(choices=Atom.Kind.choices)
    priority = forms.IntegerField(
        min_value=0,
        max_value=100,
        help_text="Importance: 90 and more critical, 70 important, 40 useful, below that minor.",
    )
    topic = forms.CharField(max_length=TITLE_LIMIT, required=False)
    scope = forms.CharField(
        max_length=SCOPE_LIMIT,
        required=False,
        help_text="Of an instruction alone: the situation it was given for; empty means always.",
    )
    field_order = ("text", "kind", "priority", "topic", "scope", "reason")


def _as_it_is(atom: Atom) -> Mapping[str, Any]:
    return {name: getattr(atom, name) for name in ("text", "kind", "priority", "topic", "scope")}


def _supersede(atom: Atom, actor: Actor, cleaned: Mapping[str, Any]) -> Atom:
    return supersede_atom(atom=atom, actor=actor, **cleaned)


RETRACT = Change(
    name="retract",
    label="Retract",
    says="The claim is taken back: recall leaves it out at once, and every line that rests on it is "
    "rewritten. Models are shown it as retracted, so that they do not conclude it again from the same words.",
    duty=Duty.CORRECT,
    apply=lambda atom, actor, cleaned: retract_atom(atom=atom, actor=actor, reason=cleaned["reason"]),
    form=ReasonForm,
    fits=lambda atom: atom.status != Atom.Status.RETRACTED,
    is_bulk=True,
    is_danger=True,
)
RESTORE = Change(
    name="restore",
    label="Restore",
    says="The claim holds again. What holds in its place goes below it and stays as history.",
    duty=Duty.CORRECT,
    apply=lambda atom, actor, cleaned: restore_atom(atom=atom, actor=actor, reason=cleaned["reason"]),
    form=ReasonForm,
    fits=lambda atom: atom.status != Atom.Status.LIVE,
    is_bulk=True,
)
SUPERSEDE = Change(
    name="supersede",
    label="Correct",
    says="Your wording takes the place of the claim, which stays as history. It rests on you and on "
    "the words that the claim rested on, and no model overrides it.",
    duty=Duty.CORRECT,
    apply=_supersede,
    then=lambda atom: page_of("atom", atom.pk),
    form=AtomForm,
    fits=lambda atom: atom.status in STANDING,
    initial=_as_it_is,
)
