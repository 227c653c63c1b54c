"""Swapping L1: what was made again stays the same row, what is new comes, what is gone becomes history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory.cascade.rebuilding.shadows import Ids, copy_of
from memory.models import Atom, Chain, Entity, Evidence

PLACED = ("status", "superseded_by", "chain", "last_seen_at", "consumed_by", "parked_by", "parked_at")
AT_ONCE = 500

Receipt = tuple[UUID, UUID, str]
"""Atom, message and role."""


@dataclass(frozen=True, slots=True)
class MadeAtoms:
    """The atoms of a shadow, in the order of their making, with their receipts from its messages."""

    atoms: tuple[Atom, ...]
    receipts: tuple[Receipt, ...]

    @classmethod
    def read(cls, shadow: Entity) -> MadeAtoms:
        """All of them, whatever their state."""
        rows = Evidence.objects.filter(entity=shadow, of_atom__isnull=False, message__isnull=False)
        told = rows.order_by("id").values_list("of_atom_id", "message_id", "role")
        receipts = tuple((atom, message, role) for atom, message, role in told if atom and message)
        return cls(tuple(Atom.objects.for_entity(shadow).order_by("seq")), receipts)


@dataclass(slots=True)
class AtomSwap:
    """Puts made atoms in the place of the live ones; within the transaction that holds the entity.

    A made atom that says exactly what a stored one says, with the same priority, topic and dates, keeps that
    row: its id, its receipts and its place in the index. A stored one that nothing made again is superseded,
    by its counterpart where the same words came with another priority or topic.
    """

    entity: Entity
    ids: Ids
    made: MadeAtoms
    ground: Collection[UUID]
    """Stored atoms that people decided about, or that others told: they stay, whatever was made."""
    placed_by: UUID | None
    """The run that stands for «nobody has to place this»."""
    row_of: dict[UUID, UUID] = field(default_factory=dict)
    """The stored row that each made atom is, or becomes."""

    def match(self) -> None:
        """Decide which made atom is which stored row."""
        stored = {atom.pk: atom for atom in Atom.objects.for_entity(self.entity)}
        free: dict[tuple[object, ...], list[UUID]] = defaultdict(list)
        for atom in stored.values():
            if atom.pk not in self.ground:
                free[_meaning(atom)].append(atom.pk)
        for atom in self.made.atoms:
            original = self.ids.original(atom.pk)
            if original in stored:
                self.row_of[atom.pk] = original
            elif candidates := free[_meaning(atom)]:
                self.row_of[atom.pk] = candidates.pop(0)

    def write(self) -> None:
        """Write the atoms, chains and receipts; the shadow's own rows must be gone by now."""
        stored = {atom.pk: atom for atom in Atom.objects.for_entity(self.entity)}
        kept = self._kept(stored)
        fresh = [atom for atom in self.made.atoms if atom.pk not in self.row_of]
        chains = dict.fromkeys(atom.chain_id for atom in (*kept.values(), *fresh))
        Chain.objects.bulk_create(
            Chain(id=chain, workspace_id=self.entity.workspace_id, entity=self.entity) for chain in chains
        )
        changed = [*self._retired(stored, kept, fresh), *self._moved(stored, kept)]
        # First what makes room in the unique indexes, then what takes it.
        for is_live in (False, True):
            rows = [row for row in changed if (row.status == Atom.Status.LIVE) is is_live]
            Atom.objects.bulk_update(rows, PLACED, batch_size=AT_ONCE)
        Atom.objects.bulk_create([self._born(atom) for atom in fresh], batch_size=AT_ONCE)
        self._cite(kept, fresh)
        Chain.objects.for_entity(self.entity).filter(atoms__isnull=True).delete()

    def _kept(self, stored: Mapping[UUID, Atom]) -> dict[UUID, Atom]:
        """Stored rows that go on, with the made atom that says how; not what only a pin still rests on."""
        kept: dict[UUID, Atom] = {}
        for atom in self.made.atoms:
            row = self.row_of.get(atom.pk)
            if (
                row is not None
                and row in stored
                and (row in self.ground or self.ids.original(atom.pk) is None)
            ):
                kept[row] = atom
        return kept

    def _retired(
        self, stored: Mapping[UUID, Atom], kept: Mapping[UUID, Atom], fresh: Sequence[Atom]
    ) -> list[Atom]:
        counterparts = {atom.text: atom.pk for atom in fresh if atom.status == Atom.Status.LIVE}
        retired = [
            atom
            for pk, atom in stored.items()
            if pk not in kept and atom.status in (Atom.Status.LIVE, Atom.Status.CONTESTED)
        ]
        for atom in retired:
            atom.status = Atom.Status.SUPERSEDED
            atom.superseded_by_id = counterparts.get(atom.text)
            atom.consumed_by_id = atom.consumed_by_id or self.placed_by
            if atom.consumed_by_id:
                atom.parked_at = atom.parked_by_id = None
        return retired

    def _moved(self, stored: Mapping[UUID, Atom], kept: Mapping[UUID, Atom]) -> list[Atom]:
        rows = []
        for row, atom in kept.items():
            old = stored[row]
            old.status, old.chain_id = atom.status, atom.chain_id
            old.superseded_by_id = self._successor(atom)
            old.last_seen_at = atom.last_seen_at
            old.consumed_by_id = atom.consumed_by_id
            old.parked_by_id, old.parked_at = atom.parked_by_id, atom.parked_at
            rows.append(old)
        return rows

    def _successor(self, atom: Atom) -> UUID | None:
        if atom.superseded_by_id is None:
            return None
        return self.row_of.get(atom.superseded_by_id, atom.superseded_by_id)

    def _born(self, atom: Atom) -> Atom:
        return copy_of(atom, entity_id=self.entity.pk, superseded_by_id=self._successor(atom))

    def _cite(self, kept: Mapping[UUID, Atom], fresh: Sequence[Atom]) -> None:
        rows = {atom.pk: row for row, atom in kept.items()} | {atom.pk: atom.pk for atom in fresh}
        runs = {atom.pk: atom.run_id for atom in self.made.atoms}
        Evidence.objects.bulk_create(
            [
                Evidence(
                    workspace_id=self.entity.workspace_id,
                    entity=self.entity,
                    of_atom_id=rows[atom],
                    message_id=self.ids.original(message),
                    role=role,
                    run_id=runs[atom],
                )
                for atom, message, role in self.made.receipts
                if atom in rows
            ],
            ignore_conflicts=True,
            batch_size=AT_ONCE,
        )


def _meaning(atom: Atom) -> tuple[object, ...]:
    """All that a claim says, and whether it holds."""
    return (
        *(atom.text, atom.kind, atom.priority, atom.topic, atom.subject, atom.scope),
        *(atom.happened_from, atom.happened_until, atom.authority, atom.status == Atom.Status.LIVE),
        # What words made is no claim, whatever it says.
        atom.predicate,
    )


def take_reading(rows: QuerySet[Any], made: Mapping[UUID, Any]) -> None:
    """Mark a step's inputs as their copies in the shadow were read; what it never saw waits to be read.

    `made` are the copies by the ids of their originals. One statement for each run that read some.
    """
    unseen = [pk for pk in rows.values_list("pk", flat=True) if pk not in made]
    readings: dict[tuple[Any, ...], list[UUID]] = defaultdict(list)
    for pk, copy in made.items():
        readings[copy.consumed_by_id, copy.parked_by_id, copy.parked_at].append(pk)
    readings[None, None, None] += unseen
    for (consumed_by, parked_by, parked_at), ids in readings.items():
        for start in range(0, len(ids), AT_ONCE):
            part = rows.filter(pk__in=ids[start : start + AT_ONCE])
            part.update(consumed_by=consumed_by, parked_by=parked_by, parked_at=parked_at)
