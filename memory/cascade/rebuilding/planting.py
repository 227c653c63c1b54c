"""The ground of a rebuild: copies of words and of what people decided, laid into a shadow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

from memory.cascade.rebuilding.people import ground_atoms, is_live, kept_lines, kept_traits, resettle
from memory.cascade.rebuilding.shadows import Ids, copy_of
from memory.models import (
    Atom,
    Chain,
    Correction,
    Entity,
    Evidence,
    Line,
    Message,
    Rebuild,
    Scene,
    SceneVersion,
    Session,
    Trait,
    TraitVersion,
    VersionLine,
)
from memory.models.base import new_id

COPIED_AT_ONCE = 500
COPY = "copy"
UNREAD = {"consumed_by_id": None, "parked_by_id": None, "parked_at": None}


def plant(entity: Entity, shadow: Entity, layer: str) -> None:
    """Lay the ground for what is made anew from a layer up; within the transaction that locks the entity.

    From L1 these are all messages; from L2 the atoms, from L3 the scenes too, as they stand. In any case
    what people wrote, pinned or took back is there before the model is asked anything.
    """
    planter = _Planter(entity, shadow)
    if layer == Rebuild.Layer.L1:
        copy_words(entity, shadow)
        planter.atoms(ground_atoms(entity), is_waiting=True)
        planter.settle_chains()
    else:
        atoms = Atom.objects.for_entity(entity).order_by("seq")
        planter.atoms(atoms, is_waiting=layer == Rebuild.Layer.L2)
    lines = None if layer == Rebuild.Layer.L3 else set(kept_lines(entity).values_list("pk", flat=True))
    planter.scenes(lines)
    planter.traits()


def copy_words(entity: Entity, shadow: Entity) -> int:
    """Copy the messages that the shadow does not have yet, unread, in the order of their storing.

    Digests of sessions are no part of a rebuild: in a shadow no session takes turns.
    """
    ids = Ids(shadow)
    known = set(Message.objects.for_entity(shadow).values_list("pk", flat=True))
    sessions = set(Session.objects.for_entity(shadow).values_list("pk", flat=True))
    Session.objects.bulk_create(
        copy_of(session, id=ids.of(session.pk), entity_id=shadow.pk, takes_turns=False, **UNREAD)
        for session in Session.objects.for_entity(entity)
        if ids.of(session.pk) not in sessions
    )
    copies: list[Message] = []
    count = 0
    for message in Message.objects.for_entity(entity).order_by("seq").iterator(COPIED_AT_ONCE):
        if ids.of(message.pk) in known:
            continue
        copies.append(_copied(message, shadow, ids))
        if len(copies) == COPIED_AT_ONCE:
            count += len(Message.objects.bulk_create(copies))
            copies = []
    return count + len(Message.objects.bulk_create(copies))


def _copied(message: Message, shadow: Entity, ids: Ids) -> Message:
    return copy_of(
        message,
        id=ids.of(message.pk),
        entity_id=shadow.pk,
        session_id=ids.of(message.session_id),
        parent_id=ids.of(message.parent_id) if message.parent_id else None,
        **UNREAD,
    )


class _Planter:
    """Copies derived rows into a shadow, with evidence that says what they stand for."""

    def __init__(self, entity: Entity, shadow: Entity) -> None:
        self._entity = entity
        self._shadow = shadow
        self._ids = Ids(shadow)
        self._owner = {"workspace_id": shadow.workspace_id, "entity_id": shadow.pk}
        self._atoms: set[UUID] = set()
        """Originals whose copies are there."""
        self._standing_in: Correction | None = None

    def atoms(self, atoms: Iterable[Atom], *, is_waiting: bool) -> None:
        """Copies in their chains; of those that wait, the live ones are to be placed in scenes."""
        originals = list(atoms)
        self._atoms |= {atom.pk for atom in originals}
        chains = dict.fromkeys(atom.chain_id for atom in originals)
        Chain.objects.bulk_create(Chain(id=self._ids.of(chain), **self._owner) for chain in chains)
        copies = [self._atom(atom, is_waiting=is_waiting) for atom in originals]
        Atom.objects.bulk_create(copies, batch_size=COPIED_AT_ONCE)
        self._receipts_of_atoms(originals)

    def _atom(self, atom: Atom, *, is_waiting: bool) -> Atom:
        replaced_by = atom.superseded_by_id if atom.superseded_by_id in self._atoms else None
        is_unread = is_waiting and atom.status == Atom.Status.LIVE
        consumed = UNREAD if is_unread else {**UNREAD, "consumed_by_id": atom.consumed_by_id or new_id()}
        return copy_of(
            atom,
            id=self._ids.of(atom.pk),
            entity_id=self._shadow.pk,
            chain_id=self._ids.of(atom.chain_id),
            superseded_by_id=self._ids.of(replaced_by) if replaced_by else None,
            **consumed,
        )

    def settle_chains(self) -> None:
        """One atom of each chain holds, though what took its place was not copied."""
        chains: dict[UUID, list[Atom]] = {}
        for copy in Atom.objects.for_entity(self._shadow).exclude(status=Atom.Status.RETRACTED):
            chains.setdefault(copy.chain_id, []).append(copy)
        for members in chains.values():
            if not any(member.status == Atom.Status.LIVE for member in members):
                for member in members:
                    # What replaced it is made again, or not: until then nothing is known to have replaced it.
                    if member.status == Atom.Status.SUPERSEDED and member.superseded_by_id is None:
                        member.status = Atom.Status.CONTESTED
                resettle(members)

    def _receipts_of_atoms(self, atoms: Sequence[Atom]) -> None:
        """Messages where the shadow has them; in any case the atom that each copy stands for."""
        words = set(Message.objects.for_entity(self._shadow).values_list("pk", flat=True))
        told = Evidence.objects.filter(entity=self._entity, of_atom__in=atoms, message__isnull=False)
        receipts = [
            Evidence(
                of_atom_id=self._ids.of(atom_id),
                message_id=self._ids.of(message_id),
                role=role,
                **self._owner,
            )
            for atom_id, message_id, role in told.order_by("id").values_list(
                "of_atom_id", "message_id", "role"
            )
            if atom_id and message_id and self._ids.of(message_id) in words
        ]
        copies = [
            Evidence(
                of_atom_id=self._ids.of(atom.pk),
                outside_kind=COPY,
                outside_reference=str(atom.pk),
                outside_authority=atom.authority,
                **self._owner,
            )
            for atom in atoms
        ]
        Evidence.objects.bulk_create([*receipts, *copies], batch_size=COPIED_AT_ONCE)

    def scenes(self, lines: Collection[UUID] | None) -> None:
        """Live scenes with their current lines: all of them, or those that hold some of the given ones."""
        heads = SceneVersion.objects.for_entity(self._entity).live().select_related("scene")
        for head in heads:
            places = VersionLine.objects.filter(version=head).select_related("line").order_by("position")
            chosen = [place.line for place in places if lines is None or place.line_id in lines]
            if chosen:
                self._scene(head, chosen)

    def _scene(self, head: SceneVersion, lines: Sequence[Line]) -> None:
        ids = self._ids
        scene_id = ids.of(head.scene_id)
        Scene.objects.bulk_create([copy_of(head.scene, id=scene_id, entity_id=self._shadow.pk)])
        version = copy_of(
            head,
            id=ids.of(head.pk),
            entity_id=self._shadow.pk,
            scene_id=scene_id,
            number=1,
            correction_id=None,
            **UNREAD,
        )
        SceneVersion.objects.bulk_create([version])
        cited = self._cited(lines)
        self._dead_grounds({atom for atoms in cited.values() for atom in atoms})
        Line.objects.bulk_create(self._line(line, scene_id) for line in lines)
        VersionLine.objects.bulk_create(
            VersionLine(version_id=version.pk, line_id=ids.of(line.pk), position=position, **self._owner)
            for position, line in enumerate(lines)
        )
        Evidence.objects.bulk_create(
            receipt for line in lines for receipt in self._receipts_of_line(line, cited.get(line.pk, []))
        )

    def _line(self, line: Line, scene_id: UUID) -> Line:
        """What a person wrote counts as pinned while models work around it."""
        is_theirs = line.is_pinned or line.correction_id is not None or line.pk in self._corrected_lines
        return copy_of(
            line,
            id=self._ids.of(line.pk),
            entity_id=self._shadow.pk,
            scene_id=scene_id,
            is_pinned=is_theirs,
            correction_id=None,
        )

    @cached_property
    def _corrected_lines(self) -> set[UUID]:
        rows = Evidence.objects.filter(entity=self._entity, of_line__isnull=False, correction__isnull=False)
        return {pk for pk in rows.values_list("of_line_id", flat=True) if pk}

    def _cited(self, lines: Sequence[Line]) -> dict[UUID, list[UUID]]:
        rows = Evidence.objects.filter(entity=self._entity, of_line__in=lines, atom__isnull=False)
        cited: dict[UUID, list[UUID]] = {}
        for line_id, atom_id in rows.order_by("id").values_list("of_line_id", "atom_id"):
            if line_id and atom_id:
                cited.setdefault(line_id, []).append(atom_id)
        return cited

    def _dead_grounds(self, atoms: Collection[UUID]) -> None:
        """Atoms under a kept line that are made anew themselves: history, for its receipts."""
        missing = Atom.objects.for_entity(self._entity).filter(pk__in=set(atoms) - self._atoms)
        originals = list(missing.order_by("seq"))
        self._atoms |= {atom.pk for atom in originals}
        Chain.objects.bulk_create(Chain(id=self._ids.of(atom.pk), **self._owner) for atom in originals)
        Atom.objects.bulk_create(
            copy_of(
                self._atom(atom, is_waiting=False),
                status=Atom.Status.SUPERSEDED,
                superseded_by_id=None,
                # A chain of its own: it decides about nothing.
                chain_id=self._ids.of(atom.pk),
            )
            for atom in originals
        )
        self._receipts_of_atoms(originals)

    def _receipts_of_line(self, line: Line, atoms: Sequence[UUID]) -> list[Evidence]:
        targets: list[dict[str, Any]] = [{"atom_id": self._ids.of(atom_id)} for atom_id in atoms]
        if not targets:
            targets = [{"correction": self.correction}]
        return [Evidence(of_line_id=self._ids.of(line.pk), **target, **self._owner) for target in targets]

    def traits(self) -> None:
        """The traits that people worded: models leave their slots alone."""
        for head in kept_traits(self._entity):
            if not is_live(head):
                continue
            trait_id, version_id = self._ids.of(head.trait_id), self._ids.of(head.pk)
            Trait.objects.bulk_create([Trait(id=trait_id, slot=head.trait.slot, **self._owner)])
            version = TraitVersion(
                id=version_id,
                trait_id=trait_id,
                number=1,
                text=head.text,
                correction=self.correction,
                **self._owner,
            )
            TraitVersion.objects.bulk_create([version])
            Evidence.objects.create(of_trait_version=version, correction=self.correction, **self._owner)

    @property
    def correction(self) -> Correction:
        """Stands for all that people wrote."""
        if self._standing_in is None:
            reason = "stands for what people wrote"
            self._standing_in = Correction.objects.create(kind=COPY, reason=reason, **self._owner)
        return self._standing_in
