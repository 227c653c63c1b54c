"""What everybody does who writes claims into chains: lock, place, give receipts, wake what follows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from memory.cascade.chain_places import settle, write_places
from memory.cascade.work import mark_due
from memory.indexing.wakeups import wake_index_on_commit
from memory.models import Atom, Chain, Entity, Evidence, Step


def lock_entity(entity: Entity) -> None:
    """Within a transaction: take the entity's row, the mutex of all that is written into its chains."""
    Entity.objects.select_for_update(no_key=True).get(workspace_id=entity.workspace_id, pk=entity.pk)


def new_chain(entity: Entity) -> UUID:
    """A chain for a new matter."""
    return Chain.objects.create(workspace_id=entity.workspace_id, entity=entity).pk


def enter(atom: Atom, members: Sequence[Atom]) -> None:
    """Write a new atom into its chain, into which stored members of others move; all get their places."""
    before = {row.pk: _place(row) for row in members}
    for row in members:
        row.chain_id = atom.chain_id
    settle([*members, atom], new=[atom])
    changed = [row for row in members if _place(row) != before[row.pk]]
    write_places(changed, [atom], fields=("status", "superseded_by", "chain", "valid_until"))


def settle_again(entity: Entity, chains: Collection[UUID]) -> int:
    """Place the members of stored chains as things stand now; returns how many have another place.

    Within a transaction that holds the entity.
    """
    rows = Atom.objects.for_entity(entity).with_rulings().defer("terms").order_by("seq")
    members = list(rows.filter(chain__in=chains))
    # What begins to hold may stand in the same words already, said in a conversation.
    waiting = {row.text: row.chain_id for row in members if row.status == Atom.Status.CONTESTED}
    twins = list(rows.live().filter(text__in=waiting).exclude(chain__in=chains))
    joining = {twin.chain_id: waiting[twin.text] for twin in twins}
    members += rows.filter(chain__in=joining)
    before = {row.pk: _place(row) for row in members}
    matters: dict[UUID, list[Atom]] = defaultdict(list)
    for row in members:
        row.chain_id = joining.get(row.chain_id, row.chain_id)
        matters[row.chain_id].append(row)
    for matter in matters.values():
        settle(matter)
    changed = [row for row in members if _place(row) != before[row.pk]]
    write_places(changed, (), fields=("status", "superseded_by", "chain"))
    forget_empty_chains(entity, joining)
    return len(changed)


def _place(row: Atom) -> tuple[str, UUID | None, UUID]:
    return (row.status, row.superseded_by_id, row.chain_id)


def outside_receipt(atom: Atom, *, kind: str, reference: str, authority: int, role: str) -> Evidence:
    """A receipt for something that is not stored here, itself not stored yet."""
    return Evidence(
        workspace_id=atom.workspace_id,
        entity_id=atom.entity_id,
        of_atom=atom,
        outside_kind=kind,
        outside_reference=reference,
        outside_authority=authority,
        role=role,
    )


def forget_empty_chains(entity: Entity, chains: Iterable[UUID]) -> None:
    """Remove chains whose members moved into another one."""
    Chain.objects.for_entity(entity).filter(pk__in=list(chains), atoms__isnull=True).delete()


def wake_what_follows(entity: Entity) -> None:
    """Have changed claims placed in scenes, promoted and indexed."""
    for step in (Step.SCENE_SYNTHESIS, Step.PROMOTION):
        mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
    wake_index_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk)
