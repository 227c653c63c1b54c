"""Any two versions of a scene, compared line by line and word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, OuterRef, Q, Subquery
from django.http import Http404
from django.utils.formats import date_format

from memory.models import Entity, Line, SceneVersion, Section, VersionLine
from memory.recall.authors import author_of, runs_of
from memory.recall.scene_reading import AUTHORS
from memory.recall.scene_versions import ComparedLine, SceneDifference, WordPiece, compare_versions
from memory.recall.trace import NoRecordError
from showcase.access import Scope
from showcase.records.signing import Signature, signed

CHOICES_SHOWN = 200
MOMENT = "j M Y, H:i"
NOTHING = "Nothing"


@dataclass(frozen=True, slots=True)
class Choice:
    """A version that may be compared."""

    number: int
    label: str


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line that came, went or was reworded, and who wrote what it says now; of a removed one, who had."""

    change: str
    section: str
    before: str
    after: str
    words: tuple[WordPiece, ...]
    author: Signature | None


@dataclass(frozen=True, slots=True)
class KeptLine:
    """A line that stayed as it was."""

    section: str
    text: str


@dataclass(frozen=True, slots=True)
class DifferencePage:
    """Two versions, compared, and all that may be chosen."""

    compared: SceneDifference
    title: str
    choices: tuple[Choice, ...]
    lines: tuple[ShownLine, ...]
    kept: tuple[KeptLine, ...]
    is_erased: bool
    """Words of one of them were erased: such lines are in neither."""

    @property
    def is_retitled(self) -> bool:
        """Whether the title changed too."""
        return self.compared.from_number > 0 and self.compared.title_before != self.compared.title_after


def difference_page(scope: Scope, id: UUID, older: int | None, newer: int | None) -> DifferencePage:
    """Compare them; what is left out is the current version and the one before. Http404; seven statements."""
    try:
        compared = compare_versions(scope.entity, id, from_number=older, to_number=newer)
    except NoRecordError as error:
        raise Http404 from error
    versions = _versions(scope.entity, id)
    lines = _lines(scope.entity, id, compared)
    authors = _authors(scope, lines)
    changed = {id for change in compared.changes for id in (change.line_after, change.line_before)}
    numbers = {compared.from_number, compared.to_number}
    return DifferencePage(
        compared=compared,
        title=versions[0].title,
        choices=tuple(_choice(scope, one) for one in versions),
        lines=tuple(_shown(change, authors) for change in compared.changes),
        kept=tuple(
            KeptLine(line.section, line.text)
            for line in sorted(lines, key=lambda line: Section.values.index(line.section))
            if line.pk not in changed
        ),
        is_erased=any(one.erased_at for one in versions if one.number in numbers),
    )


def _versions(entity: Entity, scene: UUID) -> Sequence[SceneVersion]:
    """The latest, newest first."""
    rows = SceneVersion.objects.for_entity(entity).filter(scene=scene).order_by("-number")
    return list(rows.only("number", "title", "created_at", "erased_at", "is_head")[:CHOICES_SHOWN])


def _choice(scope: Scope, version: SceneVersion) -> Choice:
    written = date_format(version.created_at.astimezone(scope.entity.zone), MOMENT)
    return Choice(
        version.number, f"Version {version.number}, {written}{', current' if version.is_head else ''}"
    )


def _lines(entity: Entity, scene: UUID, compared: SceneDifference) -> Sequence[Line]:
    """The standing lines of the newer version in their order, then those that went or were reworded."""
    newer = VersionLine.objects.filter(version__scene=scene, version__number=compared.to_number)
    position = newer.filter(line=OuterRef("pk")).values("position")[:1]
    before = [change.line_before for change in compared.changes if change.line_before]
    rows = Line.objects.for_entity(entity).filter(erased_at__isnull=True).select_related(*AUTHORS)
    wanted = rows.filter(Q(pk__in=newer.values("line")) | Q(pk__in=before))
    return list(wanted.annotate(position=Subquery(position)).order_by(F("position").asc(nulls_last=True)))


def _authors(scope: Scope, lines: Sequence[Line]) -> dict[UUID, Signature]:
    runs = runs_of(scope.entity, lines)
    return {line.pk: signed(scope, author_of(line, runs)) for line in lines}


def _shown(change: ComparedLine, authors: dict[UUID, Signature]) -> ShownLine:
    line = change.line_after or change.line_before
    return ShownLine(
        change=change.change.value,
        section=change.section,
        before=change.before or "",
        after=change.after or "",
        words=change.words,
        author=authors.get(line) if line else None,
    )
