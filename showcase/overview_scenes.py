"""Scenes as the overview shows them: whole while they are short, by their summaries after that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db.models import Count, QuerySet

from memory.fixed_queries import FixedQuery
from memory.models import Entity, SceneVersion, Section, VersionLine
from memory.recall.ladder import SECTION_ORDER, standing_places
from showcase.access import Scope
from showcase.links import record_url
from showcase.parts import Receipt


@dataclass(frozen=True)
class ShownLine:
    """A line of a scene with what it rests on."""

    id: UUID
    text: str
    is_pinned: bool
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True)
class ShownSection:
    """One section of a scene."""

    heading: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True)
class ShownScene:
    """The current version of a scene; without sections it is shown by its summary."""

    id: UUID
    url: str
    title: str
    number: int
    summary: str
    line_count: int
    sections: tuple[ShownSection, ...]
    due: int
    """Lines left out because something they rest on no longer holds."""


def _heads(*, workspace: UUID, entity: UUID) -> QuerySet[SceneVersion]:
    rows = SceneVersion.objects.filter(workspace=workspace, entity=entity)
    return rows.live().annotate(line_count=Count("places"))


_HEADS = FixedQuery(_heads, workspace=UUID, entity=UUID)


def read_scenes(entity: Entity, limit: int) -> tuple[list[SceneVersion], list[VersionLine]]:
    """The heads of live scenes (each with `line_count`), and the standing lines of the first ones.

    Whole scenes, at most `limit` lines in all. Two statements.
    """
    heads = _HEADS.rows(workspace=entity.workspace_id, entity=entity.pk)
    whole, total = [], 0
    for head in heads:
        total += _line_count(head)
        if total <= limit:
            whole.append(head.pk)
    return heads, standing_places(whole)


def shown_scenes(
    scope: Scope,
    heads: Sequence[SceneVersion],
    places: Sequence[VersionLine],
    receipts: Mapping[UUID, tuple[Receipt, ...]],
) -> tuple[ShownScene, ...]:
    """What `read_scenes` read, with the receipts of each line."""
    lines = {version: list(found) for version, found in groupby(places, key=lambda place: place.version_id)}
    return tuple(_shown(scope, head, lines.get(head.pk, []), receipts) for head in heads)


def _shown(
    scope: Scope,
    head: SceneVersion,
    places: Sequence[VersionLine],
    receipts: Mapping[UUID, tuple[Receipt, ...]],
) -> ShownScene:
    line_count = _line_count(head)
    return ShownScene(
        id=head.scene_id,
        url=record_url(scope, "scene", head.scene_id),
        title=head.title,
        number=head.number,
        summary=head.summary,
        line_count=line_count,
        sections=_sections(places, receipts),
        due=line_count - len(places) if places else 0,
    )


def _line_count(head: SceneVersion) -> int:
    counted: int = head.line_count  # type: ignore[attr-defined]
    return counted


def _sections(
    places: Sequence[VersionLine], receipts: Mapping[UUID, tuple[Receipt, ...]]
) -> tuple[ShownSection, ...]:
    ordered = sorted(places, key=lambda place: (SECTION_ORDER[place.line.section], place.position))
    return tuple(
        ShownSection(
            str(Section(section).label),
            tuple(
                ShownLine(place.line_id, place.line.text, place.line.is_pinned, receipts[place.line_id])
                for place in found
            ),
        )
        for section, found in groupby(ordered, key=lambda place: place.line.section)
    )
