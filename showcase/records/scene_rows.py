"""The row of a scene's version, with what became of the scene and what was erased from the version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.http import Http404

from memory.models import Entity, SceneVersion, VersionLine
from memory.recall.scene_reading import AUTHORS


@dataclass(frozen=True, slots=True)
class ErasedPlace:
    """Where a line stood whose words were erased."""

    id: UUID
    section: str
    position: int


@dataclass(frozen=True, slots=True)
class SceneRow:
    """A version, and by their ids and titles the scenes that its scene was merged into or took in."""

    version: SceneVersion
    merged_title: str
    absorbed: tuple[tuple[UUID, str], ...]
    erased: tuple[ErasedPlace, ...]


def scene_row(entity: Entity, scene: UUID, number: int | None = None) -> SceneRow:
    """A version of a scene, the current one without a number; Http404; one statement."""
    rows = SceneVersion.objects.for_entity(entity).filter(scene=scene).select_related("scene", *AUTHORS)
    found = rows.filter(is_head=True) if number is None else rows.filter(number=number)
    version: Any = found.annotate(**_beside(entity)).first()
    if version is None:
        raise Http404
    return SceneRow(
        version,
        version.merged_title or "",
        tuple((UUID(one["id"]), one["title"]) for one in version.absorbed),
        tuple(ErasedPlace(UUID(one["id"]), one["section"], one["position"]) for one in version.erased),
    )


def _beside(entity: Entity) -> dict[str, Any]:
    heads = SceneVersion.objects.for_entity(entity).heads().order_by("created_at")
    into = heads.filter(scene=OuterRef("scene__merged_into")).values("title")[:1]
    absorbed = heads.filter(scene__merged_into=OuterRef("scene"))
    erased = VersionLine.objects.filter(version=OuterRef("pk"), line__erased_at__isnull=False)
    place = JSONObject(id="line_id", section="line__section", position="position")
    return {
        "merged_title": Subquery(into),
        "absorbed": ArraySubquery(absorbed.values(told=JSONObject(id="scene_id", title="title"))),
        "erased": ArraySubquery(erased.order_by("position").values(told=place)),
    }
