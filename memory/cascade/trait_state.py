"""The live traits of an entity as they stand, and which of them have lost a line they rest on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from memory.cascade.contract import TraitSlot
from memory.cascade.scene_state import ScenesState
from memory.models import Atom, Correction, Entity, Evidence, Scene, Section, Trait, TraitVersion, VersionLine


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


@dataclass(frozen=True, slots=True)
class TraitRuling:
    """What a person decided last about a slot, and when: its head says what they wrote, or took back."""

    text: str
    decided_at: datetime


def read_trait_rulings(entity: Entity) -> dict[str, TraitRuling]:
    """The slots whose present wording a person wrote or took back; one statement."""
    receipts = Evidence.objects.filter(of_trait_version=OuterRef("pk"), correction__isnull=False)
    latest = receipts.order_by("-correction__created_at").values("correction__created_at")[:1]
    heads = TraitVersion.objects.for_entity(entity).filter(is_head=True).select_related("trait", "correction")
    rows: Iterable[Any] = heads.annotate(vouched_at=Subquery(latest))
    return {
        head.trait.slot: TraitRuling(head.text, max(times))
        for head in rows
        if (times := _times(head.correction, head.vouched_at))
    }


def _times(correction: Correction | None, vouched_at: datetime | None) -> list[datetime]:
    written_at = correction.created_at if correction is not None else None
    return [time for time in (written_at, vouched_at) if time is not None]


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
    owner = {"workspace_id": entity.workspace_id, "entity_id": entity.pk}
    # Named in the inner reads too: the planner may read these as a whole, and then those of all entities.
    in_head = VersionLine.objects.filter(
        **owner, line=OuterRef("line"), version__is_head=True, version__scene__status=Scene.Status.LIVE
    )
    rests_on_dead = (
        Evidence.objects.filter(
            **owner, of_line=OuterRef("line"), atom__isnull=False, of_line__is_pinned=False
        )
        .exclude(of_line__section=Section.EVOLUTION_RECORD)
        .exclude(atom__status=Atom.Status.LIVE)
    )
    return Evidence.objects.filter(
        ~Exists(in_head) | Exists(rests_on_dead),
        **owner,
        of_trait_version__is_head=True,
        of_trait_version__trait__status=Trait.Status.LIVE,
        line__isnull=False,
    )
