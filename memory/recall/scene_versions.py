"""The history of a scene: its versions, each with what it changed, and any two of them compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.cascade.rules import difference as differing
from memory.cascade.rules.difference import Change, Edit
from memory.models import Entity, SceneVersion, Section
from memory.recall.authors import Author, author_of, runs_of
from memory.recall.records import SceneChange
from memory.recall.scene_changes import scene_changes
from memory.recall.scene_reading import AUTHORS, find_version, standing_lines

PAGE_SIZE = 50
_POSITION = {section: place for place, section in enumerate(Section.values)}


@dataclass(frozen=True, slots=True)
class SceneVersionSummary:
    """A version, and how many lines it changed against the one before."""

    id: UUID
    number: int
    is_head: bool
    title: str
    summary: str
    created_at: datetime
    author: Author
    added: int
    removed: int
    reworded: int


@dataclass(frozen=True, slots=True)
class SceneVersionsPage:
    """Versions, newest first."""

    versions: tuple[SceneVersionSummary, ...]
    next_after: int | None
    """The number that it ended with; None on the last page."""


@dataclass(frozen=True, slots=True)
class WordPiece:
    """A piece of a text that stayed, went or came."""

    edit: Edit
    text: str


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """A line that came, went, or was reworded."""

    change: Change
    section: str
    line_before: UUID | None
    line_after: UUID | None
    before: str | None
    after: str | None
    words: tuple[WordPiece, ...]
    """Of a reworded line: equal and deleted pieces are the old text, equal and inserted ones the new."""


@dataclass(frozen=True, slots=True)
class SceneDifference:
    """Two versions of a scene, compared."""

    from_number: int
    """0 for nothing: all lines came."""
    to_number: int
    title_before: str
    title_after: str
    changes: tuple[ComparedLine, ...]
    """By section; lines that stayed are left out."""
    unchanged: int


def list_versions(
    entity: Entity, scene: UUID, *, after: int | None = None, limit: int = PAGE_SIZE
) -> SceneVersionsPage:
    """A page of a scene's versions, newest first, in three statements. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one version.")
    rows = SceneVersion.objects.for_entity(entity).filter(scene=scene).select_related("scene", *AUTHORS)
    rest = rows if after is None else rows.filter(number__lt=after)
    found = list(rest.order_by("-number")[: limit + 1])
    shown = found[:limit]
    changes = {change.number: change for change in scene_changes(shown)}
    runs = runs_of(entity, shown)
    return SceneVersionsPage(
        tuple(_summary(row, author_of(row, runs), changes[row.number]) for row in shown),
        shown[-1].number if len(found) > limit else None,
    )


def _summary(version: SceneVersion, author: Author, change: SceneChange) -> SceneVersionSummary:
    counts = Counter(line.change for line in change.lines)
    return SceneVersionSummary(
        id=version.pk,
        number=version.number,
        is_head=version.is_head,
        title=version.title,
        summary=version.summary,
        created_at=version.created_at,
        author=author,
        added=counts["added"],
        removed=counts["removed"],
        reworded=counts["reworded"],
    )


def compare_versions(
    entity: Entity, scene: UUID, *, from_number: int | None = None, to_number: int | None = None
) -> SceneDifference:
    """What changed between two versions, line by line and word by word.

    Without `to_number` up to the current version, without `from_number` from the one before. Any order is
    taken. NoRecordError for a version that is not there. At most four statements.
    """
    newer = find_version(entity, scene, to_number)
    number = newer.number - 1 if from_number is None else from_number
    older = find_version(entity, scene, number) if number else None
    before = _lines(older) if older is not None else []
    found = differing.difference(before, _lines(newer)).changes
    changed = [change for change in found if change.change is not Change.UNCHANGED]
    compared = sorted(map(_compared, changed), key=lambda line: _POSITION[line.section])
    return SceneDifference(
        from_number=number,
        to_number=newer.number,
        title_before=older.title if older is not None else "",
        title_after=newer.title,
        changes=tuple(compared),
        unchanged=len(found) - len(changed),
    )


def _lines(version: SceneVersion) -> list[differing.VersionLine]:
    return [differing.VersionLine(line.pk, line.section, line.text) for line in standing_lines(version)]


def _compared(change: differing.LineChange) -> ComparedLine:
    before, after = change.before, change.after
    shown = after or before
    assert shown is not None  # noqa: S101  # a change has one side at least
    words = differing.word_difference(before.text, after.text) if before and after else ()
    return ComparedLine(
        change=change.change,
        section=shown.section,
        line_before=_id(before),
        line_after=_id(after),
        before=before.text if before else None,
        after=after.text if after else None,
        words=tuple(WordPiece(piece.edit, piece.text) for piece in words),
    )


def _id(line: differing.VersionLine | None) -> UUID | None:
    return UUID(str(line.id)) if line is not None else None
