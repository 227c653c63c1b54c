"""Scenes as they are listed, and one version of a scene line by line with what each line rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import F, IntegerField, Q, Value
from django.db.models.functions import Coalesce

from memory.models import Atom, Entity, Evidence, Line, Scene, SceneVersion
from memory.recall.authors import Author, author_of, runs_of
from memory.recall.short_ids import short_id
from memory.recall.trace import NoRecordError

PAGE_SIZE = 50
BEHIND_ALL_SLOTS = 32_767
AUTHORS = ("correction__user", "correction__key")


@dataclass(frozen=True, slots=True)
class SceneSummary:
    """A scene by its current version; what has ended has no slot."""

    id: UUID
    slug: str
    status: str
    slot: int | None
    heat: int
    title: str
    summary: str
    number: int
    version: UUID
    merged_into: UUID | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SceneCursor:
    """Where a page of scenes ended."""

    place: int
    id: UUID


@dataclass(frozen=True, slots=True)
class ScenesPage:
    """Scenes in slot order, those that have ended after them."""

    scenes: tuple[SceneSummary, ...]
    next_after: SceneCursor | None


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """A claim that a line rests on, or the person's change that made it."""

    kind: Literal["atom", "correction"]
    id: UUID
    short_id: str
    text: str
    status: str
    """Of the atom; empty for a correction."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of a version."""

    id: UUID
    section: str
    heading: str
    """The section's, for people."""
    text: str
    is_pinned: bool
    is_due: bool
    """It waits to be rewritten, since something under it no longer holds."""
    atoms: tuple[UUID, ...]
    author: Author
    evidence: tuple[LineEvidence, ...]


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """A version of a scene. Lines whose words were erased are no part of it."""

    id: UUID
    number: int
    is_head: bool
    title: str
    summary: str
    created_at: datetime
    author: Author
    lines: tuple[ReadLine, ...]


def list_scenes(
    entity: Entity,
    *,
    statuses: Sequence[str] = (),
    after: SceneCursor | None = None,
    limit: int = PAGE_SIZE,
) -> ScenesPage:
    """A page of scenes, in one statement; no statuses mean every one. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one scene.")
    heads = SceneVersion.objects.for_entity(entity).heads().select_related("scene")
    behind = Value(BEHIND_ALL_SLOTS, output_field=IntegerField())
    rows = heads.annotate(place=Coalesce(F("scene__slot"), behind, output_field=IntegerField()))
    if statuses:
        rows = rows.filter(scene__status__in=statuses)
    if after is not None:
        rows = rows.filter(Q(place__gt=after.place) | Q(place=after.place, scene__gt=after.id))
    found = list(rows.order_by("place", "scene_id")[: limit + 1])
    shown = found[:limit]
    scenes = tuple(map(scene_summary, shown))
    return ScenesPage(scenes, _cursor(scenes[-1]) if len(found) > limit else None)


def _cursor(scene: SceneSummary) -> SceneCursor:
    return SceneCursor(BEHIND_ALL_SLOTS if scene.slot is None else scene.slot, scene.id)


def scene_summary(version: SceneVersion) -> SceneSummary:
    """A scene by a version of it; the row's scene is loaded."""
    scene: Scene = version.scene
    return SceneSummary(
        id=scene.pk,
        slug=scene.slug,
        status=scene.status,
        slot=scene.slot,
        heat=scene.heat,
        title=version.title,
        summary=version.summary,
        number=version.number,
        version=version.pk,
        merged_into=scene.merged_into_id,
        created_at=scene.created_at,
        updated_at=version.created_at,
    )


def find_version(entity: Entity, scene: UUID, number: int | None = None) -> SceneVersion:
    """A version of a scene, the current one without a number; NoRecordError."""
    rows = SceneVersion.objects.for_entity(entity).filter(scene=scene).select_related("scene", *AUTHORS)
    found = rows.filter(is_head=True) if number is None else rows.filter(number=number)
    version = found.first()
    if version is None:
        raise NoRecordError(f"{scene} {number}")
    return version


def read_version(entity: Entity, version: SceneVersion) -> ReadVersion:
    """A version with its lines; a number of statements that does not grow with them."""
    lines = list(standing_lines(version))
    evidence = _evidence(entity, lines)
    runs = runs_of(entity, [version, *lines])
    return ReadVersion(
        id=version.pk,
        number=version.number,
        is_head=version.is_head,
        title=version.title,
        summary=version.summary,
        created_at=version.created_at,
        author=author_of(version, runs),
        lines=tuple(_line(line, evidence[line.pk], author_of(line, runs)) for line in lines),
    )


def standing_lines(version: SceneVersion) -> Sequence[Line]:
    """The lines of a version in their order, but for those whose words were erased."""
    lines = version.lines.filter(erased_at__isnull=True).select_related(*AUTHORS)
    return list(lines.order_by("places__position"))


def _evidence(entity: Entity, lines: Sequence[Line]) -> Mapping[UUID, list[LineEvidence]]:
    rows = Evidence.objects.filter(
        workspace=entity.workspace_id, entity=entity, of_line__in=[line.pk for line in lines]
    )
    found: dict[UUID, list[LineEvidence]] = defaultdict(list)
    for row in rows.select_related("atom", "correction").order_by("id"):
        if row.of_line_id is not None:
            found[row.of_line_id].append(_receipt(row))
    return found


def _receipt(row: Evidence) -> LineEvidence:
    if row.atom is not None:
        return LineEvidence("atom", row.atom.pk, short_id(row.atom.pk), row.atom.text, row.atom.status)
    assert row.correction is not None  # noqa: S101  # a line rests on atoms and corrections alone
    made = row.correction
    return LineEvidence("correction", made.pk, short_id(made.pk), made.reason or made.kind, "")


def _line(line: Line, evidence: Sequence[LineEvidence], author: Author) -> ReadLine:
    atoms = [one for one in evidence if one.kind == "atom"]
    rests_on_dead = any(atom.status != Atom.Status.LIVE for atom in atoms)
    return ReadLine(
        id=line.pk,
        section=line.section,
        heading=line.get_section_display(),
        text=line.text,
        is_pinned=line.is_pinned,
        is_due=line.is_due(rests_on_dead=rests_on_dead),
        atoms=tuple(atom.id for atom in atoms),
        author=author,
        evidence=tuple(evidence),
    )
