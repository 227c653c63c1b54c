"""Entities as they are listed: whose memory it is, and how much stands on each layer of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from memory.models import Entity, Scene, SceneVersion, Trait, TraitVersion, Workspace
from memory.recall.record_counts import record_counts

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """Which entities are listed. What is None filters nothing."""

    name: str | None = None
    prefix: str | None = None
    """The beginning of a name."""
    group_id: str | None = None
    user_id: str | None = None

    def condition(self) -> Q:
        """As the database takes it."""
        wanted = {
            "name": self.name,
            "name__startswith": self.prefix,
            "group_id": self.group_id,
            "user_id": self.user_id,
        }
        return Q(**{name: value for name, value in wanted.items() if value is not None})


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """How much stands on each layer: what holds now, and all that is kept with its history."""

    messages: int = 0
    atoms: int = 0
    """Live ones."""
    atoms_all: int = 0
    scenes: int = 0
    """Live ones."""
    scene_versions: int = 0
    traits: int = 0
    """Live ones."""
    trait_versions: int = 0


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """Whose memory it is."""

    id: UUID
    name: str
    group_id: str
    user_id: str
    time_zone: str
    paused_steps: tuple[str, ...]
    created_at: datetime
    counts: LayerCounts


@dataclass(frozen=True, slots=True)
class EntitiesPage:
    """Entities by name."""

    entities: tuple[EntityRecord, ...]
    next_after: str | None
    """The name that it ended with; None on the last page."""


def list_entities(
    workspace: Workspace,
    wanted: EntityFilter,
    *,
    among: Collection[UUID] | None = None,
    after: str | None = None,
    limit: int = PAGE_SIZE,
) -> EntitiesPage:
    """One page in four statements; with `among` of these entities alone. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one entity.")
    rows = Entity.objects.for_workspace(workspace.pk).filter(wanted.condition())
    if among is not None:
        rows = rows.filter(pk__in=among)
    rest = rows if after is None else rows.filter(name__gt=after)
    found = list(rest.order_by("name")[: limit + 1])
    shown = found[:limit]
    return EntitiesPage(entity_records(shown), shown[-1].name if len(found) > limit else None)


def entity_records(entities: Sequence[Entity]) -> tuple[EntityRecord, ...]:
    """Entities of one workspace with their counts, in their order; three statements."""
    counts = _counts(entities)
    return tuple(
        EntityRecord(
            id=entity.pk,
            name=entity.name,
            group_id=entity.group_id,
            user_id=entity.user_id,
            time_zone=entity.time_zone,
            paused_steps=tuple(entity.paused_steps),
            created_at=entity.created_at,
            counts=LayerCounts(**counts.get(entity.pk, {})),
        )
        for entity in entities
    )


def _counts(entities: Sequence[Entity]) -> Mapping[UUID, dict[str, int]]:
    if not entities:
        return {}
    workspace, ids = entities[0].workspace_id, [entity.pk for entity in entities]
    is_scene = Q(is_head=True, scene__status=Scene.Status.LIVE)
    is_trait = Q(is_head=True, trait__status=Trait.Status.LIVE)
    asked: tuple[tuple[QuerySet[Any], dict[str, Count]], ...] = (
        (
            SceneVersion.objects.all(),
            {"scenes": Count("pk", filter=is_scene), "scene_versions": Count("pk")},
        ),
        (TraitVersion.objects.all(), {"traits": Count("pk", filter=is_trait), "trait_versions": Count("pk")}),
    )
    counts: dict[UUID, dict[str, int]] = {
        entity: {"messages": found.messages, "atoms": found.atoms_live, "atoms_all": found.atoms_all}
        for entity, found in record_counts(workspace, ids).items()
    }
    for rows, counted in asked:
        of_these = rows.filter(workspace=workspace, entity__in=ids).order_by()
        for found in of_these.values("entity_id").annotate(**counted):
            counts.setdefault(found.pop("entity_id"), {}).update(found)
    return counts
