"""The live traits of an entity as they stand, and which of them have lost a line they rest on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memory.cascade.contract import TraitSlot
from memory.cascade.scene_state import ScenesState
from memory.models import Atom, Entity, Evidence, Scene, Section, Trait, TraitVersion, VersionLine


@dataclass(frozen=True, slots=True)
class TraitState:
    """A live trait and its head."""

    id: UUID
    head_id: UUID
    number: int
    slot: TraitSlot
    text: str
    standing_lines: tuple[UUID, ...]
    is_due: bool
    """A line it rests on is gone, or is itself due; never for what a person wrote."""
    is_by_person: bool = False
    """A correction stands behind it: a model does not change it."""


def read_traits(entity: Entity, state: ScenesState) -> tuple[TraitState, ...]:
    """Read the live traits in two statements, judged against the scenes as they were read."""
    heads = list(TraitVersion.objects.for_entity(entity).live().select_related("trait"))
    lines = _cited_lines(entity, heads)
    standing = {line.id for scene in state.scenes for line in scene.lines if not line.is_due}
    return tuple(
        TraitState(
            id=head.trait_id,
            head_id=head.pk,
            number=head.number,
            slot=cast(TraitSlot, head.trait.slot),
            text=head.text,
            standing_lines=tuple(line_id for line_id in lines[head.pk] if line_id in standing),
            is_due=not standing.issuperset(lines[head.pk]),
            is_by_person=head.correction_id is not None,
        )
        for head in heads
    )


def _cited_lines(entity: Entity, heads: list[TraitVersion]) -> dict[UUID, list[UUID]]:
    cited: dict[UUID, list[UUID]] = defaultdict(list)
    rows = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, of_trait_version__in=heads, line__isnull=False
    )
    for head_id, line_id in rows.order_by("id").values_list("of_trait_version_id", "line_id"):
        cited[head_id].append(line_id)
    return cited


def due_traits(entity: Entity) -> QuerySet[Evidence]:
    """Receipts of live traits for lines that no longer stand in a live scene, or rest on what is dead."""
    in_head = VersionLine.objects.filter(
        line=OuterRef("line"), version__is_head=True, version__scene__status=Scene.Status.LIVE
    )
    rests_on_dead = (
        Evidence.objects.filter(of_line=OuterRef("line"), atom__isnull=False, of_line__is_pinned=False)
        .exclude(of_line__section=Section.EVOLUTION_RECORD)
        .exclude(atom__status=Atom.Status.LIVE)
    )
    return Evidence.objects.filter(
        ~Exists(in_head) | Exists(rests_on_dead),
        workspace_id=entity.workspace_id,
        entity_id=entity.pk,
        of_trait_version__is_head=True,
        of_trait_version__trait__status=Trait.Status.LIVE,
        line__isnull=False,
    )
