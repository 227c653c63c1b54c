"""One version of a scene: its sections line by line, and its place in the scene's history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.cascade.contract import SCENE_CAP
from memory.models import Scene, Section
from memory.recall.ladder import SECTION_ORDER
from memory.recall.scene_reading import ReadLine, ReadVersion, read_version
from memory.recall.scene_versions import SceneVersionsPage, SceneVersionSummary, list_versions
from showcase.access import Scope
from showcase.links import difference_url, record_url, trace_url, version_url
from showcase.parts import Action, Fact, Version
from showcase.records.grounds import Ground, grounds_of_line
from showcase.records.scene_rows import ErasedPlace, SceneRow, scene_row
from showcase.records.signing import Notes, Signature, notes_of, run_of, signed, why

VERSIONS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line with who wrote it and what it rests on; an erased one has no text."""

    id: UUID
    section: str
    text: str = ""
    url: str = ""
    is_pinned: bool = False
    is_due: bool = False
    is_erased: bool = False
    author: Signature | None = None
    grounds: tuple[Ground, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """One of the nine; it may be empty."""

    section: str
    lines: tuple[WrittenLine, ...]


@dataclass(frozen=True, slots=True)
class ScenePage:
    """A version of a scene, and the versions beside it."""

    row: SceneRow
    title: str
    summary: str
    number: int
    is_head: bool
    at: datetime
    sections: tuple[WrittenSection, ...]
    versions: tuple[Version, ...]
    older_than: int | None
    merged_into: Action | None
    absorbed: tuple[Action, ...]
    facts: tuple[Fact, ...]
    compare_url: str

    @property
    def scene(self) -> Scene:
        """The row of the scene."""
        scene: Scene = self.row.version.scene
        return scene

    @property
    def due(self) -> int:
        """How many lines wait to be rewritten."""
        return sum(line.is_due for section in self.sections for line in section.lines)

    @property
    def empty(self) -> tuple[str, ...]:
        """The sections in which nothing stands."""
        return tuple(section.section for section in self.sections if not section.lines)


def scene_page(scope: Scope, id: UUID, number: int | None = None, *, before: int | None = None) -> ScenePage:
    """A version, the current one without a number; its history from the newest, or from below `before`.

    Http404; eight statements.
    """
    row = scene_row(scope.entity, id, number)
    read = read_version(scope.entity, row.version)
    history = list_versions(scope.entity, id, after=before, limit=VERSIONS_SHOWN)
    notes = notes_of(scope.entity, [run_of(read.author), *(run_of(one.author) for one in history.versions)])
    decision, reason = why(notes, run_of(read.author), scene=str(id), version=read.number)
    merged = row.version.scene.merged_into_id
    return ScenePage(
        row=row,
        title=read.title,
        summary=read.summary,
        number=read.number,
        is_head=read.is_head,
        at=read.created_at.astimezone(scope.entity.zone),
        sections=_sections(scope, row, read),
        versions=_versions(scope, id, history, notes, read.number),
        older_than=history.next_after,
        merged_into=Action(row.merged_title, record_url(scope, "scene", merged)) if merged else None,
        absorbed=tuple(Action(title, record_url(scope, "scene", one)) for one, title in row.absorbed),
        facts=_facts(scope, row, (decision, reason or read.author.reason), signed(scope, read.author)),
        compare_url=difference_url(scope, id, max(read.number - 1, 0), read.number),
    )


def _facts(scope: Scope, row: SceneRow, decided: tuple[str, str], author: Signature) -> tuple[Fact, ...]:
    scene, (decision, reason) = row.version.scene, decided
    facts = (
        Fact("name", scene.slug),
        Fact("slot", f"{scene.slot} of {SCENE_CAP}" if scene.slot else ""),
        Fact("heat", str(scene.heat)),
        Fact("opened", at=scene.created_at.astimezone(scope.entity.zone)),
        Fact("this version", at=row.version.created_at.astimezone(scope.entity.zone)),
        Fact("written by", author.text, url=author.url),
        Fact("decision", decision),
        Fact("why", reason),
    )
    return tuple(fact for fact in facts if fact.value or fact.at)


def _sections(scope: Scope, row: SceneRow, read: ReadVersion) -> tuple[WrittenSection, ...]:
    """All nine in their order, erased lines where they stood."""
    places = {place.position: place for place in row.erased}
    is_current = read.is_head and row.version.scene.status == Scene.Status.LIVE
    shown: list[WrittenLine] = []
    for line in read.lines:
        while len(shown) in places:
            shown.append(_gone(places.pop(len(shown))))
        shown.append(_line(scope, line, is_current=is_current))
    shown.extend(map(_gone, places.values()))
    return tuple(
        WrittenSection(section, tuple(line for line in shown if line.section == section))
        for section in sorted(Section.values, key=SECTION_ORDER.__getitem__)
    )


def _gone(place: ErasedPlace) -> WrittenLine:
    return WrittenLine(place.id, place.section, is_erased=True)


def _line(scope: Scope, line: ReadLine, *, is_current: bool) -> WrittenLine:
    return WrittenLine(
        id=line.id,
        section=line.section,
        text=line.text,
        url=trace_url(scope, line.id),
        is_pinned=line.is_pinned,
        is_due=line.is_due and is_current,
        author=signed(scope, line.author),
        grounds=grounds_of_line(scope, line.text, line.evidence),
    )


def _versions(
    scope: Scope, scene: UUID, history: SceneVersionsPage, notes: Notes, shown: int
) -> tuple[Version, ...]:
    return tuple(_version(scope, scene, one, notes, shown) for one in history.versions)


def _version(scope: Scope, scene: UUID, one: SceneVersionSummary, notes: Notes, shown: int) -> Version:
    decision, reason = why(notes, run_of(one.author), scene=str(scene), version=one.number)
    told = (decision, _counts(one))
    return Version(
        number=one.number,
        url=version_url(scope, scene, one.number),
        at=one.created_at.astimezone(scope.entity.zone),
        author=signed(scope, one.author).text,
        counts=": ".join(word for word in told if word),
        is_current=one.is_head,
        is_shown=one.number == shown,
        compare_url=difference_url(scope, scene, one.number - 1, one.number) if one.number > 1 else "",
        note=reason or one.author.reason,
    )


def _counts(one: SceneVersionSummary) -> str:
    counted = (("added", one.added), ("removed", one.removed), ("reworded", one.reworded))
    return ", ".join(f"{count} {name}" for name, count in counted if count) or "no line changed"
