"""Which claims a message stands for: what finds the message lifts the claim, also one that took its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from memory.models import Atom, Entity, Evidence


@dataclass(frozen=True, slots=True)
class Covering:
    """Messages and live atoms, by receipts."""

    citing: dict[UUID, list[UUID]]
    """The live atoms that a message stands for, in the order of their receipts."""
    cited: dict[UUID, list[UUID]]
    """The messages that a live atom cites."""

    def claims_of(self, message: UUID) -> list[UUID]:
        """The live atoms that a message stands for; none for one that is not worth a claim or not yet read."""
        return self.citing.get(message, [])


def cover(entity: Entity, *, messages: Collection[UUID], atoms: Collection[UUID]) -> Covering:
    """Read the receipts around some messages and atoms, in three statements.

    A message whose claim was superseded stands for the claim that holds now: old words find the new ones, and
    are not shown as if they still held.
    """
    claims = list(
        _receipts(entity)
        .filter(message__in=messages, of_atom__status__in=(Atom.Status.LIVE, Atom.Status.SUPERSEDED))
        .order_by("id")
        .values_list("message_id", "of_atom_id", "of_atom__chain_id", "of_atom__status")
    )
    heads = _heads(entity, {chain for _, _, chain, status in claims if status == Atom.Status.SUPERSEDED})
    citing: dict[UUID, list[UUID]] = defaultdict(list)
    for message, atom, chain, status in claims:
        claim = atom if status == Atom.Status.LIVE else heads.get(chain)
        if claim is not None and claim not in citing[message]:
            citing[message].append(claim)
    wanted = set(atoms) | {claim for found in citing.values() for claim in found}
    return Covering(
        citing={message: found for message, found in citing.items() if found}, cited=_cited(entity, wanted)
    )


def _receipts(entity: Entity) -> QuerySet[Evidence]:
    return Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, of_atom__isnull=False, message__isnull=False
    )


def _heads(entity: Entity, chains: Collection[UUID]) -> dict[UUID, UUID]:
    """The live atoms of chains."""
    rows = Atom.objects.for_entity(entity).live().filter(chain__in=chains)
    return dict(rows.values_list("chain_id", "pk"))


def _cited(entity: Entity, atoms: Collection[UUID]) -> dict[UUID, list[UUID]]:
    cited: dict[UUID, list[UUID]] = defaultdict(list)
    rows = _receipts(entity).filter(of_atom__in=atoms, of_atom__status=Atom.Status.LIVE)
    for atom, message in rows.order_by("id").values_list("of_atom_id", "message_id"):
        cited[atom].append(message)
    return dict(cited)
