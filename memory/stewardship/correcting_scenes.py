"""Correcting scenes: their lines edited and pinned, scenes merged, retired and restored.

Each change is a new version under an optimistic lock: whoever saw an older one is told so and loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memory.cascade.designs import design_of
from memory.cascade.rules.scene_text import normal_text
from memory.models import Correction, Entity, Evidence, Line, Scene, SceneVersion
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.correcting import correcting, record
from memory.stewardship.scene_edits import ScenePreview, draft_of, made_summary, plan_edit
from memory.stewardship.scene_endings import end, revive
from memory.stewardship.scene_heads import NewLine, SceneHead, head_of, in_section_order, read_version
from memory.stewardship.scene_versions import record_change, removed, write_version


def preview_scene(*, scene: Scene, markdown: str, base: int, summary: str = "") -> ScenePreview:
    """What saving the Markdown would do to version `base` of a live scene; writes nothing.

    The Markdown is read tolerantly, each repair is told. StaleChangeError when the scene moved on.
    """
    return _plan(scene.entity, scene, markdown, base, summary)[1]


def edit_scene(
    *, scene: Scene, markdown: str, base: int, actor: Actor, reason: str, summary: str = ""
) -> SceneVersion:
    """Save a person's Markdown as the version after `base`.

    Unchanged lines stay the rows they are, with their evidence. Changed and new lines rest on the correction;
    a changed one also on those claims of the line before that hold, so that it is due when one of them falls.
    Without a summary one is made from the lines. RefusedChangeError tells the problems of the preview.
    """
    with correcting(scene.entity) as entity:
        head, preview = _plan(entity, scene, markdown, base, summary)
        if preview.problems:
            raise RefusedChangeError(" ".join(preview.problems))
        lines = draft_of(head, preview)
        correction = record_change(
            entity,
            head,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.SCENE_EDITED,
            lines=lines,
            title=preview.title if preview.title != head.version.title else None,
        )
        return write_version(
            head, title=preview.title, summary=preview.summary, lines=lines, correction=correction
        )


def pin_lines(
    *, scene: Scene, lines: Sequence[UUID], is_pinned: bool, base: int, actor: Actor, reason: str
) -> SceneVersion:
    """Pin lines of version `base`, or unpin them: what is pinned is kept byte for byte.

    The lines stay the rows they are; a new version and, while a line is pinned, a receipt of it tell who
    pinned it and when. RefusedChangeError for lines that it does not hold, or when none would change.
    """
    with correcting(scene.entity) as entity:
        head = _live_head(entity, scene, base)
        chosen = [line for line in head.lines if line.pk in set(lines)]
        if len(chosen) < len(set(lines)):
            raise RefusedChangeError("Not all of these are lines of the scene.")
        turned = [line for line in chosen if line.is_pinned != is_pinned]
        if not turned:
            raise RefusedChangeError("Nothing would change.")
        kind = Correction.Kind.LINES_PINNED if is_pinned else Correction.Kind.LINES_UNPINNED
        told = [{"line": str(line.pk), "section": line.section, "text": line.text} for line in turned]
        correction = record_change(
            entity, head, actor=actor, reason=reason, kind=kind, lines=head.lines, after={"lines": told}
        )
        _turn(turned, correction, is_pinned=is_pinned)
        version = head.version
        return write_version(
            head, title=version.title, summary=version.summary, lines=head.lines, correction=correction
        )


def merge_scenes(*, into: Scene, other: Scene, actor: Actor, reason: str) -> SceneVersion:
    """Move the lines of one live scene into another, with their evidence; gives the version that holds both.

    Of lines that say the same one stays, with the evidence of both. StaleChangeError when one of the two has
    another state by now, RefusedChangeError when together they are too long.
    """
    if into.pk == other.pk or into.entity_id != other.entity_id:
        raise RefusedChangeError("Two different scenes of one memory are merged.")
    with correcting(into.entity) as entity:
        head, part = _live_head(entity, into), _live_head(entity, other)
        lines = in_section_order([*head.lines, *_not_said(head, part)])
        _refuse_length(entity, lines, head)
        correction = record_change(
            entity,
            head,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.SCENES_MERGED,
            lines=lines,
            before={"other": str(other.pk), "other_title": part.version.title},
        )
        end(part, correction, status=Scene.Status.MERGED, merged_into=head.scene)
        return write_version(
            head,
            title=head.version.title,
            summary=made_summary(lines),
            lines=lines,
            correction=correction,
        )


def retire_scene(*, scene: Scene, actor: Actor, reason: str) -> Correction:
    """End a live scene; its last version stays readable. No model opens it again from the same claims."""
    with correcting(scene.entity) as entity:
        head = _live_head(entity, scene)
        correction = record(
            entity,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.SCENE_RETIRED,
            before={
                "scene": str(scene.pk),
                "title": head.version.title,
                "version": str(head.version.pk),
                "number": head.version.number,
                "removed": [removed(head, line) for line in head.lines],
            },
            after={"scene": str(scene.pk), "status": Scene.Status.RETIRED},
        )
        end(head, correction, status=Scene.Status.RETIRED)
        return correction


def restore_scene(*, scene: Scene, number: int | None, actor: Actor, reason: str) -> SceneVersion:
    """Have an earlier version stand as a new one, or bring back an ended scene (without a number as it was).

    A line that rests on what no longer holds comes back as the person's own. What went into another scene is
    taken out of it again. RefusedChangeError when no slot is free, for a number that there is not, and for
    words that were erased.
    """
    with correcting(scene.entity) as entity:
        head = head_of(entity, scene)
        wanted = _wanted(head, number)
        lines = _vouched(wanted)
        is_ended = head.scene.status != Scene.Status.LIVE
        correction = record_change(
            entity,
            head,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.SCENE_RESTORED,
            lines=lines,
            title=wanted.version.title,
            before={"status": head.scene.status},
            after={"restored": wanted.version.number},
        )
        if is_ended:
            revive(entity, head, lines, correction)
        return write_version(
            head,
            title=wanted.version.title,
            summary=wanted.version.summary or made_summary(lines),
            lines=lines,
            correction=correction,
        )


def _plan(
    entity: Entity, scene: Scene, markdown: str, base: int, summary: str
) -> tuple[SceneHead, ScenePreview]:
    head = _live_head(entity, scene, base)
    most = design_of(entity).limits.scene_hard_characters
    return head, plan_edit(head, markdown=markdown, summary=summary, most_characters=most)


def _live_head(entity: Entity, scene: Scene, base: int | None = None) -> SceneHead:
    head = head_of(entity, scene, base=base)
    if head.scene.status != Scene.Status.LIVE:
        raise RefusedChangeError(f"The scene is {head.scene.status}: restore it first.")
    return head


def _turn(lines: Sequence[Line], correction: Correction, *, is_pinned: bool) -> None:
    """Pin or unpin rows; the receipt of a pin goes with it."""
    Line.objects.filter(pk__in=[line.pk for line in lines]).update(is_pinned=is_pinned)
    if is_pinned:
        owner = {"workspace_id": correction.workspace_id, "entity_id": correction.entity_id}
        Evidence.objects.bulk_create(Evidence(of_line=line, correction=correction, **owner) for line in lines)
    else:
        Evidence.objects.filter(of_line__in=lines, correction__kind=Correction.Kind.LINES_PINNED).delete()


def _not_said(head: SceneHead, part: SceneHead) -> list[Line]:
    """The lines of a part that the head does not hold; where it does, its line takes the receipts."""
    said = {(line.section, normal_text(line.text)): line for line in head.lines}
    kept: list[Line] = []
    for line in part.lines:
        same = said.get((line.section, normal_text(line.text)))
        if same is None or line.is_pinned:
            kept.append(line)
            continue
        Evidence.objects.bulk_create(
            Evidence(workspace_id=same.workspace_id, entity_id=same.entity_id, of_line=same, atom_id=atom)
            for atom in part.atoms[line.pk]
            if atom not in head.atoms[same.pk]
        )
    return kept


def _refuse_length(entity: Entity, lines: Sequence[Line | NewLine], stood: SceneHead) -> None:
    most = design_of(entity).limits.scene_hard_characters
    total = sum(len(line.text) for line in lines)
    if total > most and total > stood.characters:
        raise RefusedChangeError(f"The scene would have {total} characters, the limit is {most}.")


def _wanted(head: SceneHead, number: int | None) -> SceneHead:
    """The version to restore."""
    is_live = head.scene.status == Scene.Status.LIVE
    if number is None and is_live:
        raise RefusedChangeError("The scene is live: name the version to restore.")
    if number is None or (number == head.version.number and not is_live):
        return head
    if number == head.version.number:
        raise RefusedChangeError("This version is the current one.")
    version = head.scene.versions.filter(number=number).select_related("scene").first()
    if version is None:
        raise RefusedChangeError(f"The scene has no version {number}.")
    return read_version(version)


def _vouched(wanted: SceneHead) -> list[Line | NewLine]:
    """The lines of a restored version; a person vouches for those whose ground is gone."""
    if not wanted.lines:
        raise RefusedChangeError("The words of this version were erased.")
    return [
        NewLine(line.section, line.text, wanted.standing(line), line.pk) if wanted.is_due(line) else line
        for line in wanted.lines
    ]
