"""The history of a scene: its newest versions, each beside the one before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.admin.differences import Compared, Written, author_of, compared, receipts_of, runs_of
from memory.admin.links import excerpt, page_of
from memory.models import Correction, Scene, SceneVersion, Section, VersionLine

VERSIONS_SHOWN = 6
TITLES = dict(Section.choices)
PINNED = {Correction.Kind.LINES_PINNED: "pinned", Correction.Kind.LINES_UNPINNED: "unpinned"}


@dataclass(frozen=True, slots=True)
class Chapter:
    """One version: who made it, and what it changed."""

    version: SceneVersion
    author: str
    compared: Compared

    @property
    def author_shown(self) -> str:
        """Who made it: what neither a run nor a person wrote is what an erase left."""
        return self.author or ("an erase" if self.is_of_erase else "")

    @property
    def is_of_erase(self) -> bool:
        """Whether an erase made it, which leaves a version without the words that went."""
        version = self.version
        return version.number > 1 and version.run_id is None and version.correction_id is None

    @property
    def says(self) -> str:
        """What happened in it, in a few words."""
        if self.is_of_erase:
            return "words were erased"
        return _pins(self.version.correction) or self.compared.counts


@dataclass(frozen=True, slots=True)
class History:
    """Versions, newest first, and the number below which older ones are asked for."""

    chapters: tuple[Chapter, ...]
    older_than: int | None


def history_of(scene: Scene, *, below: int | None = None) -> History:
    """So many versions of a scene, newest first; statements do not grow with lines or versions."""
    rows = SceneVersion.objects.for_entity(scene.entity).filter(scene=scene)
    if below is not None:
        rows = rows.filter(number__lt=below)
    found = list(rows.select_related("correction__user").order_by("-number")[: VERSIONS_SHOWN + 1])
    shown = found[:VERSIONS_SHOWN]
    chapters = chapters_of(found)[: len(shown)]
    return History(chapters, shown[-1].number if len(found) > VERSIONS_SHOWN else None)


def chapters_of(versions: Sequence[SceneVersion]) -> tuple[Chapter, ...]:
    """Versions of one scene, newest first, each compared with the next in the list; the last with nothing."""
    lines = lines_of(versions)
    runs = runs_of([*versions, *(place.line for places in lines.values() for place in places)])
    written = {pk: [_written(place, runs) for place in places] for pk, places in lines.items()}
    before = [*versions[1:], None][: len(versions)]
    return tuple(
        Chapter(
            version,
            author_of(version, runs),
            compared(written.get(older.pk, []) if older else None, written.get(version.pk, []), TITLES),
        )
        for version, older in zip(versions, before, strict=True)
    )


def lines_of(versions: Sequence[SceneVersion]) -> dict[UUID, list[VersionLine]]:
    """The places of versions in their order, lines and receipts loaded along."""
    places = (
        VersionLine.objects.filter(version__in=[version.pk for version in versions])
        .select_related("line__correction__user")
        .prefetch_related("line__evidence__atom", "line__evidence__correction__user")
        .order_by("version", "position")
    )
    found: dict[UUID, list[VersionLine]] = {}
    for place in places:
        found.setdefault(place.version_id, []).append(place)
    return found


def _pins(correction: Correction | None) -> str:
    """Which lines a correction pinned or unpinned; of one whose words were erased nothing is told."""
    said = PINNED.get(Correction.Kind(correction.kind)) if correction else None
    if correction is None or said is None:
        return ""
    words = "; ".join(f"“{excerpt(line['text'])}”" for line in correction.after.get("lines", ()))
    return f"{said}: {words}" if words else said


def _written(place: Any, runs: Mapping[UUID, Any]) -> Written:
    line = place.line
    return Written(
        line.pk,
        line.section,
        line.text,
        author_of(line, runs),
        receipts_of(line),
        is_pinned=line.is_pinned,
        page=page_of("line", line.pk),
    )
