"""What people decided about a memory, and what came from outside: a rebuild stands on it as on the words."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.cascade.chain_places import said_last as said_at
from memory.cascade.chain_places import settle, write_places
from memory.cascade.sameness import SAME_CLAIM, likeness
from memory.models import (
    Atom,
    Chain,
    Correction,
    Entity,
    Evidence,
    Line,
    Scene,
    Trait,
    TraitVersion,
)

HOLDING = (Atom.Status.LIVE, Atom.Status.CONTESTED)


def corrected_atoms(entity: Entity) -> QuerySet[Atom]:
    """Atoms that a person wrote or took back."""
    rows = Atom.objects.for_entity(entity)
    by_person = Evidence.objects.filter(of_atom__isnull=False, correction__isnull=False, entity=entity)
    return rows.filter(Q(pk__in=by_person.values("of_atom")) | Q(status=Atom.Status.RETRACTED))


def ruled_atoms(entity: Entity) -> list[Atom]:
    """The atoms that people decided about: theirs, those they took back, and what theirs replaced."""
    corrected = list(corrected_atoms(entity))
    latest: dict[UUID, datetime] = {}
    for atom in corrected:
        if atom.status != Atom.Status.RETRACTED:
            latest[atom.chain_id] = max(latest.get(atom.chain_id, said_at(atom)), said_at(atom))
    mates = (
        Atom.objects.for_entity(entity)
        .filter(chain__in=latest)
        .exclude(pk__in=[atom.pk for atom in corrected])
    )
    replaced = [
        atom for atom in mates.filter(status=Atom.Status.SUPERSEDED) if said_at(atom) <= latest[atom.chain_id]
    ]
    return sorted((*corrected, *replaced), key=lambda atom: atom.seq)


def vouched_atoms(entity: Entity) -> QuerySet[Atom]:
    """Atoms that rest on something outside this memory, and claims: no words here would make them again."""
    outside = Evidence.objects.filter(of_atom__isnull=False, outside_kind__isnull=False, entity=entity)
    rows = Atom.objects.for_entity(entity)
    return rows.filter(Q(pk__in=outside.values("of_atom")) | ~Q(predicate=""))


def ground_atoms(entity: Entity) -> list[Atom]:
    """The atoms that are there before any is made from words, in the order of their making.

    Of claims also those that were replaced: what held at which time is part of what was told.
    """
    ruled = ruled_atoms(entity)
    vouched = vouched_atoms(entity).filter(Q(status__in=HOLDING) | ~Q(predicate=""))
    others = vouched.exclude(pk__in=[atom.pk for atom in ruled])
    return sorted((*ruled, *others), key=lambda atom: atom.seq)


def kept_lines(entity: Entity) -> QuerySet[Line]:
    """Lines of live scenes that a person wrote or pinned."""
    by_person = Evidence.objects.filter(of_line__isnull=False, correction__isnull=False, entity=entity)
    standing = Line.objects.for_entity(entity).filter(
        places__version__is_head=True, places__version__scene__status=Scene.Status.LIVE
    )
    is_theirs = Q(is_pinned=True) | Q(correction__isnull=False) | Q(pk__in=by_person.values("of_line"))
    return standing.filter(is_theirs).distinct()


def kept_traits(entity: Entity) -> QuerySet[TraitVersion]:
    """The wordings that a person gave to traits, or took back: their slots are closed to models."""
    by_person = Evidence.objects.filter(
        of_trait_version__isnull=False, correction__isnull=False, entity=entity
    )
    heads = TraitVersion.objects.for_entity(entity).filter(is_head=True)
    theirs = Q(correction__isnull=False) | Q(pk__in=by_person.values("of_trait_version"))
    return heads.filter(theirs).select_related("trait")


def is_live(version: TraitVersion) -> bool:
    """Whether a wording is part of the persona."""
    return version.is_head and version.trait.status == Trait.Status.LIVE


def ground_of(entity: Entity) -> str:
    """A digest of what people decided and others told: made on other ground, a rebuild is not applied."""
    told: list[str] = [str(pk) for pk in Correction.objects.for_entity(entity).values_list("pk", flat=True)]
    told += [f"{atom.pk} {atom.status == Atom.Status.RETRACTED}" for atom in corrected_atoms(entity)]
    told += [f"{pk} outside" for pk in vouched_atoms(entity).values_list("pk", flat=True)]
    told += [f"{line.pk} {line.is_pinned}" for line in kept_lines(entity)]
    told += [f"{version.pk} {is_live(version)}" for version in kept_traits(entity)]
    return hashlib.sha256("\n".join(sorted(told)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Ruled:
    """A claim that was made again although a person had decided about it, and the decision."""

    made: Atom
    ruling: Atom


def honour_people(
    shadow: Entity, *, ground: Collection[UUID], ruled: Collection[UUID], standing: Collection[UUID]
) -> list[Ruled]:
    """Put claims that were made again from the same words where people had put them.

    `ground` are the copies that were there before; of them `ruled` are those of what people decided about,
    `standing` those of what they wrote and what holds.
    A claim that a person took back is taken back again; one that a person replaced goes below what replaced
    it, whoever said it. Words said later are no repetition. Within a transaction; doing it twice changes
    nothing more.
    """
    _reinstate(shadow, standing)
    atoms = list(Atom.objects.for_entity(shadow).order_by("seq"))
    overruled = [atom for atom in atoms if atom.pk in ruled and atom.status != Atom.Status.LIVE]
    made = [atom for atom in atoms if atom.pk not in ground and atom.status in HOLDING]
    receipts = _messages_of(shadow, [*overruled, *made])
    found = [
        Ruled(atom, ruling)
        for atom in made
        for ruling in overruled
        if atom.chain_id != ruling.chain_id and _says_again(atom, ruling, receipts)
    ]
    first = {pair.made.pk: pair for pair in reversed(found)}
    _place(shadow, list(first.values()))
    return list(first.values())


def _reinstate(shadow: Entity, standing: Collection[UUID]) -> None:
    """What a person wrote gives way to later words alone, not to a higher authority that spoke before."""
    lost = Atom.objects.for_entity(shadow).filter(pk__in=standing).exclude(status=Atom.Status.LIVE)
    for atom in lost:
        head = Atom.objects.for_entity(shadow).live().filter(chain_id=atom.chain_id).first()
        if head is not None and said_at(head) <= said_at(atom):
            Atom.objects.filter(pk=head.pk).update(status=Atom.Status.SUPERSEDED, superseded_by=atom)
            Atom.objects.filter(pk=atom.pk).update(status=Atom.Status.LIVE, superseded_by=None)


def _messages_of(entity: Entity, atoms: Sequence[Atom]) -> dict[UUID, set[UUID]]:
    receipts: dict[UUID, set[UUID]] = defaultdict(set)
    rows = Evidence.objects.filter(entity=entity, of_atom__in=[atom.pk for atom in atoms])
    for atom_id, message_id in rows.filter(message__isnull=False).values_list("of_atom_id", "message_id"):
        if atom_id and message_id:
            receipts[atom_id].add(message_id)
    return receipts


def _says_again(made: Atom, ruling: Atom, receipts: dict[UUID, set[UUID]]) -> bool:
    if said_at(made) > said_at(ruling):
        return False
    if made.text == ruling.text:
        return True
    return bool(receipts[made.pk] & receipts[ruling.pk]) and likeness(made.text, ruling.text) >= SAME_CLAIM


def _place(shadow: Entity, pairs: Sequence[Ruled]) -> None:
    for pair in pairs:
        rows = Atom.objects.filter(pk=pair.made.pk)
        if pair.ruling.status == Atom.Status.RETRACTED:
            rows.update(status=Atom.Status.RETRACTED, superseded_by=None)
        else:
            head = Atom.objects.for_entity(shadow).live().filter(chain_id=pair.ruling.chain_id).first()
            rows.update(
                status=Atom.Status.SUPERSEDED,
                superseded_by=head or pair.ruling,
                chain_id=pair.ruling.chain_id,
            )
        # What it had replaced in its own chain holds again, unless somebody decided about that too.
        resettle(Atom.objects.for_entity(shadow).filter(chain_id=pair.made.chain_id))
    Chain.objects.for_entity(shadow).filter(atoms__isnull=True).delete()


def resettle(members: Iterable[Atom]) -> None:
    """Place the members of one chain anew by authority and time; what was taken back stays so."""
    rows = list(members)
    settle(rows)
    write_places(rows, (), fields=("status", "superseded_by"))
