"""Scenes, their versions and the differences between them as JSON values; and the history of traits."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import number_cursor, place_cursor
from memory.api.encoding import fields_of
from memory.cascade.rules.scene_text import SECTION_ORDER, ParsedLine
from memory.cascade.rules.sections import render_scene
from memory.models import Entity, Scene, SceneVersion, Trait
from memory.recall.persona_reading import Wording, WordingsPage
from memory.recall.records import TraitRecord
from memory.recall.scene_reading import ReadVersion, ScenesPage, SceneSummary, read_version
from memory.recall.scene_versions import SceneDifference, SceneVersionsPage, SceneVersionSummary

SCENES, VERSIONS, WORDINGS = "scenes", "scene-versions", "trait-versions"
_SECTIONS = {section.value: section for section in SECTION_ORDER}


class ScenesBody(TypedDict):
    """A page of scenes, those that live first."""

    entity: str
    scenes: tuple[SceneSummary, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneVersionBody(ReadVersion):
    """A version with its lines, and as the Markdown that a person edits."""

    markdown: str


class SceneVersionsBody(TypedDict):
    """A page of a scene's versions, newest first, each with what it changed."""

    entity: str
    scene: UUID
    versions: tuple[SceneVersionSummary, ...]
    next_after: str | None


class ReadVersionBody(TypedDict):
    """One version of a scene."""

    entity: str
    scene: UUID
    version: SceneVersionBody


class SceneDifferenceBody(TypedDict):
    """Two versions of a scene, compared line by line and word by word."""

    entity: str
    scene: UUID
    difference: SceneDifference


class PersonaBody(TypedDict):
    """The live traits, one a slot."""

    entity: str
    traits: tuple[TraitRecord, ...]


class WordingsBody(TypedDict):
    """A page of a trait's wordings, newest first."""

    entity: str
    trait: UUID
    slot: str
    status: str
    versions: tuple[Wording, ...]
    next_after: str | None


def scenes_body(entity: Entity, page: ScenesPage) -> ScenesBody:
    """The body of `/scenes`."""
    last = page.next_after
    return {
        "entity": entity.name,
        "scenes": page.scenes,
        "next_after": place_cursor(SCENES, last.place, last.id) if last else None,
    }


def version_value(entity: Entity, version: SceneVersion) -> SceneVersionBody:
    """A version with its lines and its Markdown."""
    read = read_version(entity, version)
    lines = [ParsedLine(_SECTIONS[line.section], line.text) for line in read.lines]
    return SceneVersionBody(**fields_of(read), markdown=render_scene(read.title, lines))


def version_body(entity: Entity, version: SceneVersion) -> ReadVersionBody:
    """The body of `/scenes/{id}/versions/{number}`."""
    return {"entity": entity.name, "scene": version.scene_id, "version": version_value(entity, version)}


def versions_body(scene: Scene, page: SceneVersionsPage) -> SceneVersionsBody:
    """The body of `/scenes/{id}/versions`."""
    return {
        "entity": scene.entity.name,
        "scene": scene.pk,
        "versions": page.versions,
        "next_after": number_cursor(VERSIONS, page.next_after),
    }


def difference_body(scene: Scene, difference: SceneDifference) -> SceneDifferenceBody:
    """The body of `/scenes/{id}/difference`."""
    return {"entity": scene.entity.name, "scene": scene.pk, "difference": difference}


def wordings_body(trait: Trait, page: WordingsPage) -> WordingsBody:
    """The body of `/persona/{trait}/versions`."""
    return {
        "entity": trait.entity.name,
        "trait": trait.pk,
        "slot": trait.slot,
        "status": trait.status,
        "versions": page.versions,
        "next_after": number_cursor(WORDINGS, page.next_after),
    }
