"""What people decided about claims, as extraction and synthesis have to respect it.

A person's word outranks what was said before it. Words said later are news: they may say again what was taken
back, or something else than what a person wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memory.cascade.chain_places import said_last
from memory.cascade.sameness import rewords
from memory.models import Atom, Correction, Entity, Evidence
from memory.recall.terms import terms_of

ABOUT_CLAIMS = (
    Correction.Kind.ATOM_RETRACTED,
    Correction.Kind.ATOM_SUPERSEDED,
    Correction.Kind.ATOM_RESTORED,
)
TOLD = {"retracted": "took it back", "replaced": "corrected it", "written": "wrote it"}
OFFERED_FROM = 0.5
"""A claim that was taken back is shown to the model where the messages hold so much of its words."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A claim that a person took back, replaced, or wrote, and when."""

    kind: Literal["retracted", "replaced", "written"]
    atom: Atom
    decided_at: datetime

    @property
    def reason(self) -> str:
        """For a run's notes."""
        return f"a person {TOLD[self.kind]}: {self.atom.text}"


def rulings_of(entity: Entity) -> tuple[Ruling, ...]:
    """All that people decided about claims; one statement where they never did, else three.

    None of them reads more rows than people decided about, however large the memory is.
    """
    corrections = Correction.objects.for_entity(entity).filter(kind__in=ABOUT_CLAIMS).order_by("created_at")
    told = list(corrections.values_list("pk", "kind", "created_at", "before"))
    if not told:
        return ()
    taken_back: dict[UUID, datetime] = {}
    is_erased = False
    for _, kind, created_at, before in told:
        if kind == Correction.Kind.ATOM_RETRACTED:
            taken_back |= {UUID(atom): created_at for atom in before.get("atoms", ())}
            is_erased = is_erased or not before
    rows = _decided(entity, [told_id for told_id, *_ in told], taken_back, is_erased=is_erased)
    return tuple(found for row in rows if (found := _ruling(row, taken_back)) is not None)


def _decided(
    entity: Entity, corrections: Collection[UUID], taken_back: Collection[UUID], *, is_erased: bool
) -> QuerySet[Atom]:
    """The claims that people took back, wrote, or replaced; of an erased correction the state alone tells."""
    vouched = Evidence.objects.filter(entity=entity, of_atom__isnull=False, correction__in=corrections)
    written = list(vouched.values_list("of_atom_id", flat=True))
    is_decided = Q(pk__in={*written, *taken_back}) | Q(superseded_by__in=written)
    if is_erased:
        is_decided |= Q(status=Atom.Status.RETRACTED)
    rows = Atom.objects.for_entity(entity).annotate(
        written_at=_latest(vouched.filter(of_atom=OuterRef("pk"))),
        replaced_at=_latest(vouched.filter(of_atom=OuterRef("superseded_by"))),
    )
    return rows.filter(is_decided).order_by("seq")


def _latest(receipts: QuerySet[Evidence]) -> Subquery:
    return Subquery(receipts.order_by("-correction__created_at").values("correction__created_at")[:1])


def _ruling(row: Any, taken_back: Mapping[UUID, datetime]) -> Ruling | None:
    """None for what words replaced that were said later than a person decided."""
    if row.status == Atom.Status.RETRACTED:
        return Ruling("retracted", row, taken_back.get(row.pk) or said_last(row))
    if row.status == Atom.Status.LIVE and row.written_at:
        return Ruling("written", row, row.written_at)
    if row.status == Atom.Status.SUPERSEDED and row.replaced_at:
        return Ruling("replaced", row, row.replaced_at)
    return None


def overruling(rulings: Iterable[Ruling], text: str) -> list[Ruling]:
    """The decisions about claims that a text says in the same or other words."""
    return [ruling for ruling in rulings if rewords(text, ruling.atom.text)]


def taken_back_near(rulings: Iterable[Ruling], texts: Sequence[str], *, most: int) -> list[Atom]:
    """Of the claims that were taken back those that some words hold most of, the nearest first."""
    held = {term for text in texts for term in terms_of(text)}
    scored = [
        (len(terms & held) / len(terms), ruling.atom)
        for ruling in rulings
        if ruling.kind == "retracted" and (terms := set(terms_of(ruling.atom.text)))
    ]
    near = [(score, atom) for score, atom in scored if score >= OFFERED_FROM]
    return [atom for _, atom in sorted(near, key=lambda pair: (-pair[0], pair[1].seq))[:most]]
