"""Swapping L3: a new version for each slot that says something else, none for what a person worded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.cascade.rebuilding.people import kept_traits
from memory.cascade.rebuilding.shadows import copy_of
from memory.models import Entity, Evidence, Trait, TraitVersion


@dataclass(frozen=True, slots=True)
class StoredTrait:
    """The head of a live trait, and the lines it rests on."""

    head: TraitVersion
    slot: str
    lines: frozenset[UUID]


def stored_traits(entity: Entity) -> list[StoredTrait]:
    """The live traits."""
    heads = list(TraitVersion.objects.for_entity(entity).live().select_related("trait"))
    lines: dict[UUID, set[UUID]] = defaultdict(set)
    told = Evidence.objects.filter(entity=entity, of_trait_version__in=heads, line__isnull=False)
    for version_id, line_id in told.values_list("of_trait_version_id", "line_id"):
        if version_id and line_id:
            lines[version_id].add(line_id)
    return [StoredTrait(head, head.trait.slot, frozenset(lines[head.pk])) for head in heads]


@dataclass(frozen=True, slots=True)
class TraitSwap:
    """Puts made traits in the place of the live ones; the shadow's own rows must be gone by now."""

    entity: Entity
    made: Sequence[StoredTrait]
    row_of_line: Mapping[UUID, UUID]
    """The stored row that each made line is."""

    def write(self) -> None:
        """Write what changed; a slot that a person worded or took back is closed."""
        closed = {version.trait.slot for version in kept_traits(self.entity)}
        stored = {trait.slot: trait for trait in stored_traits(self.entity)}
        made = {trait.slot: trait for trait in self.made if trait.slot not in closed}
        for slot, trait in made.items():
            self._set(trait, stored.get(slot))
        gone = set(stored) - set(made) - closed
        Trait.objects.for_entity(self.entity).filter(slot__in=gone).update(status=Trait.Status.RETRACTED)

    def _set(self, made: StoredTrait, stored: StoredTrait | None) -> None:
        lines = frozenset(self.row_of_line.get(line, line) for line in made.lines)
        if stored is not None and (stored.head.text, stored.lines) == (made.head.text, lines):
            return
        trait, _ = Trait.objects.update_or_create(
            entity=self.entity,
            slot=made.slot,
            defaults={"status": Trait.Status.LIVE},
            create_defaults={"workspace_id": self.entity.workspace_id, "status": Trait.Status.LIVE},
        )
        heads = TraitVersion.objects.for_entity(self.entity).filter(trait=trait, is_head=True)
        number = heads.values_list("number", flat=True).first() or 0
        heads.update(is_head=False)
        version = copy_of(
            made.head, entity_id=self.entity.pk, trait_id=trait.pk, number=number + 1, is_head=True
        )
        TraitVersion.objects.bulk_create([version])
        Evidence.objects.bulk_create(
            Evidence(
                workspace_id=self.entity.workspace_id,
                entity=self.entity,
                of_trait_version_id=version.pk,
                line_id=line,
                run_id=version.run_id,
            )
            for line in sorted(lines)
        )
