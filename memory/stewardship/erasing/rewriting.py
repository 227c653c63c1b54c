"""Scenes and traits without what was erased: live ones at once, history keeps number, author and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import F

from memory.cascade.rules.summaries import summary_of
from memory.cascade.scene_edits import NewLine
from memory.cascade.scene_grounds import plain_title
from memory.cascade.scene_state import LineState, ScenesState, SceneState, read_scenes
from memory.indexing.languages import known_languages
from memory.models import (
    Atom,
    Entity,
    Erasure,
    Evidence,
    Line,
    Scene,
    SceneVersion,
    Trait,
    TraitVersion,
    VersionLine,
)
from memory.models.base import new_id
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.needles import terms_in
from memory.stewardship.erasing.parts import found_by, update_rows

EVOLUTION_RECORD = "evolution_record"


def rewrite_scenes(entity: Entity, affected: Affected, erasure: Erasure, now: datetime) -> None:
    """Within the erasing transaction, while the receipts still stand: empty texts, and rewrite live heads.

    Claims under an erased line that hold on their own wait to be placed again.
    """
    state = read_scenes(entity)
    touched = [scene for scene in state.scenes if scene.head_id in affected.scene_versions]
    _place_again(entity, affected, touched)
    ended = [scene for scene in touched if not _left(scene, affected)]
    _retire(ended, erasure)
    _write_heads(entity, state, affected, [scene for scene in touched if scene not in ended])
    versions = SceneVersion.objects.for_entity(entity)
    update_rows(versions, affected.scene_versions, title="", summary="", erased_at=now)
    update_rows(Line.objects.for_entity(entity), affected.lines, text="", is_pinned=False, erased_at=now)


def _left(scene: SceneState, affected: Affected) -> list[LineState]:
    return [line for line in scene.lines if line.id not in affected.lines]


def _place_again(entity: Entity, affected: Affected, touched: Sequence[SceneState]) -> None:
    cited = {
        atom_id
        for scene in touched
        for line in scene.lines
        if line.id in affected.lines
        for atom_id in line.atoms
    }
    surviving = Atom.objects.for_entity(entity).live()
    update_rows(surviving, cited - affected.atoms, consumed_by=None, parked_by=None, parked_at=None)


def _retire(ended: Sequence[SceneState], erasure: Erasure) -> None:
    """A scene without lines: its last version, emptied, stays its head, and nobody is to look at it."""
    heads = SceneVersion.objects.filter(pk__in=[scene.head_id for scene in ended])
    heads.update(consumed_by=erasure.pk)
    Scene.objects.filter(pk__in=[scene.id for scene in ended]).update(
        status=Scene.Status.RETIRED, slot=None, heat=F("heat") + 1
    )


def _write_heads(
    entity: Entity, state: ScenesState, affected: Affected, touched: Sequence[SceneState]
) -> None:
    """A new version of each scene with the lines that are left; neither a run nor a person wrote it."""
    SceneVersion.objects.filter(pk__in=[scene.head_id for scene in touched]).update(is_head=False)
    Scene.objects.filter(pk__in=[scene.id for scene in touched]).update(heat=F("heat") + 1)
    versions: list[SceneVersion] = []
    places: list[VersionLine] = []
    titles = {scene.id: scene.title for scene in state.scenes if scene not in touched}
    for scene in touched:
        left = _left(scene, affected)
        titles[scene.id] = _title(entity, state, scene, left, set(titles.values()))
        version = _version(entity, scene, titles[scene.id], left)
        versions.append(version)
        places += _places(version, left)
    SceneVersion.objects.bulk_create(versions)
    VersionLine.objects.bulk_create(places)


def _version(entity: Entity, scene: SceneState, title: str, left: Sequence[LineState]) -> SceneVersion:
    texts = [line.text for line in left if line.section != EVOLUTION_RECORD]
    return SceneVersion(
        id=new_id(),
        workspace_id=entity.workspace_id,
        entity=entity,
        scene_id=scene.id,
        number=scene.number + 1,
        title=title,
        summary=summary_of("", texts),
    )


def _places(version: SceneVersion, left: Sequence[LineState]) -> Iterator[VersionLine]:
    for position, line in enumerate(left):
        yield VersionLine(
            workspace_id=version.workspace_id,
            entity_id=version.entity_id,
            version=version,
            line_id=line.id,
            position=position,
        )


def _title(
    entity: Entity, state: ScenesState, scene: SceneState, left: Sequence[LineState], taken: set[str]
) -> str:
    """The title while what is left holds all its words; else one made from that."""
    languages = known_languages(entity)
    lines = [NewLine(line.section, line.text, _standing(state, line)) for line in left]
    atoms = [state.atoms[atom_id] for line in lines for atom_id in line.atoms]
    said = [*(line.text for line in lines), *(f"{atom.text} {atom.topic}" for atom in atoms)]
    if terms_in([scene.title], languages) <= terms_in(said, languages):
        return scene.title
    return plain_title(lines, {title.casefold() for title in taken}, state.atoms, entity.zone)


def _standing(state: ScenesState, line: LineState) -> tuple[UUID, ...]:
    return tuple(atom_id for atom_id in line.atoms if atom_id in state.atoms)


def rewrite_traits(entity: Entity, affected: Affected, now: datetime) -> None:
    """Within the erasing transaction, while the receipts stand: a trait whose wording goes is retracted.

    The scenes that hold other lines of it are looked at again, so that what they carry alone comes back.
    """
    versions = TraitVersion.objects.for_entity(entity)
    heads = found_by(versions.live(), "pk", affected.trait_versions, "pk", "trait_id")
    lines = found_by(
        Evidence.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk, line__isnull=False),
        "of_trait_version_id",
        {head for head, _ in heads},
        "line_id",
    )
    standing = VersionLine.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, version__is_head=True
    )
    scenes = found_by(standing, "line_id", lines - affected.lines, "version_id")
    again = SceneVersion.objects.for_entity(entity).live()
    update_rows(again, scenes, consumed_by=None, parked_by=None, parked_at=None)
    Trait.objects.filter(pk__in=[trait for _, trait in heads]).update(status=Trait.Status.RETRACTED)
    update_rows(versions, affected.trait_versions, text="", erased_at=now)
