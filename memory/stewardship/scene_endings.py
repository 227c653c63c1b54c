"""Scenes that end and come back: their status, their slot, and the lines that had gone into another scene."""

from __future__ import annotations

from collections.abc import Sequence

from memory.cascade.contract import SCENE_CAP
from memory.models import Correction, Entity, Line, Scene, SceneVersion
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.scene_edits import made_summary
from memory.stewardship.scene_heads import NewLine, SceneHead, read_version
from memory.stewardship.scene_versions import write_version


def end(
    head: SceneHead, correction: Correction, *, status: Scene.Status, merged_into: Scene | None = None
) -> None:
    """Free the slot of a scene; its last version stays its head, and nothing has to look at it any more."""
    _place(head.scene, status=status, slot=None, merged_into=merged_into)
    # The correction stands where a run would: it has seen to the version.
    SceneVersion.objects.filter(pk=head.version.pk, consumed_by__isnull=True).update(
        consumed_by=correction.pk, parked_by=None, parked_at=None
    )


def revive(entity: Entity, head: SceneHead, lines: Sequence[Line | NewLine], correction: Correction) -> None:
    """Give an ended scene a slot again; lines that come back leave the scene that they had gone into.

    RefusedChangeError when every slot is taken.
    """
    whole = head.scene.merged_into
    if whole is not None:
        _take_out(whole, lines, correction)
    taken = set(Scene.objects.for_entity(entity).live().values_list("slot", flat=True))
    slot = next((slot for slot in range(1, SCENE_CAP + 1) if slot not in taken), None)
    if slot is None:
        raise RefusedChangeError(f"{SCENE_CAP} scenes live already: retire or merge one first.")
    _place(head.scene, status=Scene.Status.LIVE, slot=slot, merged_into=None)


def _place(scene: Scene, *, status: Scene.Status, slot: int | None, merged_into: Scene | None) -> None:
    scene.status, scene.slot, scene.merged_into = status, slot, merged_into
    scene.save(update_fields=["status", "slot", "merged_into"])


def _take_out(whole: Scene, lines: Sequence[Line | NewLine], correction: Correction) -> None:
    """The next version of a merged scene, without the lines that go back; retired when none is left."""
    version = SceneVersion.objects.heads().filter(scene=whole.pk).select_related("scene").first()
    if version is None or version.scene.status != Scene.Status.LIVE:
        return
    going = {line.pk if isinstance(line, Line) else line.replaces for line in lines}
    head = read_version(version)
    left = [line for line in head.lines if line.pk not in going]
    if len(left) == len(head.lines):
        return
    if not left:
        end(head, correction, status=Scene.Status.RETIRED)
        return
    write_version(head, title=version.title, summary=made_summary(left), lines=left, correction=correction)
