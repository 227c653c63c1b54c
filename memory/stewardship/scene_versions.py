"""Writing the next version of a scene after a correction, and what the correction remembers of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.cascade.scene_grounds import opening_words
from memory.models import Correction, Entity, Evidence, Line, Scene, SceneVersion, VersionLine
from memory.models.base import new_id
from memory.stewardship.actors import Actor
from memory.stewardship.correcting import record
from memory.stewardship.scene_heads import NewLine, SceneHead

Drafted = Sequence[Line | NewLine]


def write_version(
    head: SceneHead, *, title: str, summary: str, lines: Drafted, correction: Correction
) -> SceneVersion:
    """The version after the head: carried lines are the same rows, new ones rest on the correction.

    Statements do not grow with the lines. The persona looks at the new version as at any other. A title that
    was erased is made anew from the first line.
    """
    scene = head.scene
    owner = {"workspace_id": scene.workspace_id, "entity_id": scene.entity_id}
    SceneVersion.objects.filter(pk=head.version.pk).update(is_head=False)
    scene.heat += 1
    scene.save(update_fields=["heat"])
    version = SceneVersion.objects.create(
        **owner,
        scene=scene,
        number=head.version.number + 1,
        title=title or opening_words(lines[0].text),
        summary=summary,
        correction=correction,
    )
    rows = [line if isinstance(line, Line) else _line(scene, line, correction) for line in lines]
    written = [(row, line) for row, line in zip(rows, lines, strict=True) if isinstance(line, NewLine)]
    Line.objects.bulk_create(row for row, _ in written)
    Evidence.objects.bulk_create(Evidence(of_line=row, correction=correction, **owner) for row, _ in written)
    Evidence.objects.bulk_create(
        Evidence(of_line=row, atom_id=atom, **owner) for row, line in written for atom in line.atoms
    )
    VersionLine.objects.bulk_create(
        VersionLine(version=version, line=row, position=position, **owner)
        for position, row in enumerate(rows)
    )
    return version


def _line(scene: Scene, line: NewLine, correction: Correction) -> Line:
    return Line(
        id=new_id(),
        workspace_id=scene.workspace_id,
        entity_id=scene.entity_id,
        scene=scene,
        section=line.section,
        text=line.text,
        correction=correction,
    )


def record_change(
    entity: Entity,
    head: SceneHead,
    *,
    actor: Actor,
    reason: str,
    kind: Correction.Kind,
    lines: Drafted,
    title: str | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> Correction:
    """The correction behind a next version: what goes with the claims under it, and what comes.

    Of a scene that had ended all lines come. `title` is one that the person gave: a model leaves it.
    """
    kept = {line.pk for line in lines if isinstance(line, Line)}
    stood = {line.pk for line in head.lines} if head.scene.status == Scene.Status.LIVE else set()
    told = {"scene": str(head.scene.pk), "title": head.version.title, "number": head.version.number}
    return record(
        entity,
        actor=actor,
        reason=reason,
        kind=kind,
        before={
            **told,
            "version": str(head.version.pk),
            "removed": [removed(head, line) for line in head.lines if line.pk not in kept],
            **(before or {}),
        },
        after={
            **told,
            "title": title or head.version.title,
            "is_titled": title is not None,
            "number": head.version.number + 1,
            "added": [_added(line) for line in lines if isinstance(line, NewLine) or line.pk not in stood],
            **(after or {}),
        },
    )


def removed(head: SceneHead, line: Line) -> dict[str, Any]:
    """A line that leaves a scene, with the claims it rested on: from these alone no model adds it again."""
    return {
        "line": str(line.pk),
        "section": line.section,
        "text": line.text,
        "atoms": [str(atom) for atom in head.atoms[line.pk]],
    }


def _added(line: Line | NewLine) -> dict[str, Any]:
    told = {"section": line.section, "text": line.text}
    if isinstance(line, Line):
        return {"line": str(line.pk), **told}
    return {**told, "replaces": str(line.replaces)} if line.replaces else told
