"""What people may correct about scenes; a change is bound to the version that was current when shown."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms

from memory.admin.changes import BasedForm, Change, ReasonForm
from memory.admin.differences import shown_difference
from memory.admin.editing import Edit, Opened, Preview
from memory.admin.membership import Duty
from memory.admin.scene_history import TITLES
from memory.models import Scene, SceneVersion
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_scenes import (
    edit_scene,
    merge_scenes,
    pin_lines,
    preview_scene,
    restore_scene,
    retire_scene,
)
from memory.stewardship.scene_edits import markdown_of
from memory.stewardship.scene_heads import head_of


def _head(scene: Scene) -> SceneVersion:
    return SceneVersion.objects.for_entity(scene.entity).heads().get(scene=scene)


class PinForm(BasedForm):
    """Which lines are pinned: those that are ticked, and no others."""

    lines = forms.TypedMultipleChoiceField(
        coerce=UUID,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Pinned lines",
        help_text="A pinned line is kept byte for byte, whatever falls below it.",
    )
    field_order = ("lines", "reason", "base")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        lines = [place.line for place in _head(self.rows[0]).places.select_related("line") if place.line.text]
        self.held = {line.pk: line.is_pinned for line in lines}
        choices = [(str(line.pk), f"{line.get_section_display()}: {line.text}") for line in lines]
        self.fields["lines"].choices = choices  # type: ignore[attr-defined]
        self.initial["lines"] = [str(pk) for pk, is_pinned in self.held.items() if is_pinned]

    def clean(self) -> dict[str, Any]:
        """Which lines have to be pinned, and which unpinned."""
        cleaned = super().clean() or self.cleaned_data
        chosen = set(cleaned.get("lines", ()))
        cleaned["pinned"] = [pk for pk in chosen if not self.held[pk]]
        cleaned["unpinned"] = [pk for pk, is_pinned in self.held.items() if is_pinned and pk not in chosen]
        if not (cleaned["pinned"] or cleaned["unpinned"] or self.errors):
            self.add_error("lines", "These lines are pinned already, and no others.")
        return cleaned


class OtherSceneForm(ReasonForm):
    """Which scene gives its lines to this one."""

    other = forms.ModelChoiceField(queryset=Scene.objects.none(), label="Scene that is merged into this one")
    field_order = ("other", "reason")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        [scene] = self.rows
        heads = SceneVersion.objects.for_entity(scene.entity).live().exclude(scene=scene)
        self.fields["other"].queryset = (  # type: ignore[attr-defined]
            Scene.objects.for_entity(scene.entity).live().exclude(pk=scene.pk).select_related("entity")
        )
        choices = [("", "—"), *heads.values_list("scene", "title")]
        self.fields["other"].choices = choices  # type: ignore[attr-defined]


class VersionForm(ReasonForm):
    """Which version stands again."""

    number = forms.TypedChoiceField(coerce=int, required=False, empty_value=None, label="Version")
    field_order = ("number", "reason")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        [scene] = self.rows
        is_live = scene.status == Scene.Status.LIVE
        versions = scene.versions.exclude(is_head=True) if is_live else scene.versions.all()
        choices = [(one.number, str(one)) for one in versions.order_by("-number")]
        offered = choices if is_live else [("", "as it ended"), *choices]
        self.fields["number"].choices = offered  # type: ignore[attr-defined]
        self.fields["number"].required = is_live


def _base(scene: Scene) -> Mapping[str, Any]:
    return {"base": _head(scene).number}


def _is_live(scene: Scene) -> bool:
    return scene.status == Scene.Status.LIVE


def _pin(scene: Scene, actor: Actor, cleaned: Mapping[str, Any]) -> None:
    base = cleaned["base"]
    for is_pinned, lines in ((True, cleaned["pinned"]), (False, cleaned["unpinned"])):
        if lines:
            version = pin_lines(
                scene=scene,
                lines=lines,
                is_pinned=is_pinned,
                base=base,
                actor=actor,
                reason=cleaned["reason"],
            )
            base = version.number


def _opened(scene: Scene) -> Opened:
    head = head_of(scene.entity, scene)
    return Opened(markdown_of(head), head.version.number)


def _preview(scene: Scene, markdown: str, base: int | None) -> Preview:
    found = preview_scene(scene=scene, markdown=markdown, base=base or 0)
    return Preview(shown_difference(found.difference, TITLES), found.repairs, found.problems)


def _save(scene: Scene, markdown: str, base: int | None, actor: Actor, reason: str) -> object:
    return edit_scene(scene=scene, markdown=markdown, base=base or 0, actor=actor, reason=reason)


EDIT = Edit(
    label="Edit lines",
    says="Saved as the next version. Lines that you leave alone keep what they rest on; changed and "
    "new ones rest on you. When somebody or a run has written a version meanwhile, nothing is saved "
    "and you are told.",
    duty=Duty.CORRECT,
    fits=_is_live,
    opened=_opened,
    preview=_preview,
    save=_save,
)
PIN = Change(
    name="pin",
    label="Pin lines",
    says="Pinned lines are kept byte for byte in every later version; the others may be rewritten again.",
    duty=Duty.CORRECT,
    apply=_pin,
    form=PinForm,
    fits=_is_live,
    carried=_base,
)
MERGE = Change(
    name="merge",
    label="Merge another into it",
    says="The other scene ends, and its lines move into this one with what they rest on. Of lines "
    "that say the same one stays.",
    duty=Duty.CORRECT,
    apply=lambda scene, actor, cleaned: merge_scenes(
        into=scene, other=cleaned["other"], actor=actor, reason=cleaned["reason"]
    ),
    form=OtherSceneForm,
    fits=_is_live,
)
RETIRE = Change(
    name="retire",
    label="Retire",
    says="The scene ends: recall leaves it out, and no model opens it again from the same claims. "
    "Its last version stays readable, and it can be restored.",
    duty=Duty.CORRECT,
    apply=lambda scene, actor, cleaned: retire_scene(scene=scene, actor=actor, reason=cleaned["reason"]),
    form=ReasonForm,
    fits=_is_live,
    is_bulk=True,
    is_danger=True,
)
RESTORE = Change(
    name="restore",
    label="Restore a version",
    says="The version stands again as a new one. Lines whose claims do not hold any more come back "
    "as your own.",
    duty=Duty.CORRECT,
    apply=lambda scene, actor, cleaned: restore_scene(
        scene=scene, number=cleaned["number"], actor=actor, reason=cleaned["reason"]
    ),
    form=VersionForm,
)
