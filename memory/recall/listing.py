"""Exact lists of atoms: a filter, never a search, so that every matching row stands on some page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q
from django.db.models.functions import JSONObject, Now

from memory.models import Atom, Authority, Entity, Evidence
from memory.models.atoms import AtomQuerySet
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.records import AtomRecord, OutsideReceipt

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class AtomFilter:
    """Which atoms are listed. What is empty filters nothing; no state means every state.

    A live atom past the end that was said for it is listed only where every state is.
    """

    kinds: tuple[str, ...] = ()
    states: tuple[str, ...] = (Atom.Status.LIVE,)
    topics: tuple[str, ...] = ()
    priority_from: int = 0
    priority_to: int = 100
    since: datetime | None = None
    """Said at this time or later; atoms whose time nobody knows are left out where a time is asked for."""
    until: datetime | None = None
    """Said before this time."""

    def condition(self) -> Q:
        """As the database takes it."""
        wanted: Mapping[str, Any] = {
            "kind__in": self.kinds,
            "status__in": self.states,
            "topic__in": self.topics,
            "priority__gte": self.priority_from,
            "priority__lte": self.priority_to,
            "occurred_at__gte": self.since,
            "occurred_at__lt": self.until,
        }
        condition = Q(**{name: value for name, value in wanted.items() if value not in ((), None)})
        if self.states:
            # What has ended is live in its chain, and holds no more.
            condition &= ~Q(status=Atom.Status.LIVE, valid_until__isnull=False, valid_until__lte=Now())
        return condition


@dataclass(frozen=True, slots=True)
class ListedAtom:
    """An atom with all that is stored about it."""

    atom: AtomRecord
    chain: UUID
    decision: str
    merge_reason: str
    last_seen_at: datetime | None
    created_at: datetime
    citations: tuple[UUID, ...]
    """The messages it rests on, in the order of its receipts."""
    outside: tuple[OutsideReceipt, ...] = ()
    """What it rests on that is not stored here, in the same order."""


@dataclass(frozen=True, slots=True)
class AtomsPage:
    """Atoms in the order in which they were made, and how many match in all."""

    total: int
    atoms: tuple[ListedAtom, ...]
    next_after: int | None
    """Give it to the next call; None on the last page."""


def list_atoms(
    entity: Entity, wanted: AtomFilter, *, after: int | None = None, limit: int = PAGE_SIZE
) -> AtomsPage:
    """One page in two statements; rows that are made meanwhile come on later pages.

    ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("A page holds at least one atom.")
    matching = Atom.objects.for_entity(entity).filter(wanted.condition())
    rest = matching if after is None else matching.filter(seq__gt=after)
    found = list(_with_citations(rest).order_by("seq")[: limit + 1])
    shown = found[:limit]
    return AtomsPage(
        total=matching.count(),
        atoms=tuple(_listed(atom, entity) for atom in shown),
        next_after=shown[-1].seq if len(found) > limit else None,
    )


def listed_atom(entity: Entity, id: UUID) -> ListedAtom | None:
    """One atom of the entity, if it is there; one statement."""
    found = _with_citations(Atom.objects.for_entity(entity).filter(pk=id)).first()
    return None if found is None else _listed(found, entity)


def _with_citations(atoms: AtomQuerySet) -> AtomQuerySet:
    receipts = Evidence.objects.filter(of_atom=OuterRef("pk")).order_by("id")
    messages, outside = receipts.filter(message__isnull=False), receipts.filter(outside_kind__isnull=False)
    told = JSONObject(kind="outside_kind", reference="outside_reference", authority="outside_authority")
    return with_receipts(atoms).annotate(
        citations=ArraySubquery(messages.values("message_id")),
        outside=ArraySubquery(outside.values(told=told)),
    )


def _listed(atom: Atom, entity: Entity) -> ListedAtom:
    citations: list[UUID] = atom.citations  # type: ignore[attr-defined]  # annotated above
    outside: list[dict[str, Any]] = atom.outside  # type: ignore[attr-defined]
    return ListedAtom(
        atom=atom_record(atom),
        chain=atom.chain_id,
        decision=atom.decision,
        merge_reason=atom.merge_reason,
        last_seen_at=atom.last_seen_at and atom.last_seen_at.astimezone(entity.zone),
        created_at=atom.created_at,
        citations=tuple(citations),
        outside=tuple(
            OutsideReceipt(one["kind"], one["reference"], Authority(one["authority"]).label)
            for one in outside
        ),
    )
