"""Claims as they are listed, each with what it rests on, and the history of one matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from memory.claims.matching import ANYTHING
from memory.ingest.access import Access
from memory.models import Atom, Entity, Evidence
from memory.models.atoms import AtomQuerySet
from memory.recall.trace import NoRecordError

PAGE_SIZE = 50
HISTORY_LIMIT = 1_000
"""Members of a chain that its history shows: the newest."""


@dataclass(frozen=True, slots=True)
class ClaimFilter:
    """Which claims are listed. What is empty filters nothing; no state means every state.

    `predicate` may be a pattern, as policies have them.
    """

    subject_kind: str = ""
    subject_id: str = ""
    predicate: str = ""
    states: tuple[str, ...] = (Atom.Status.LIVE,)

    def condition(self) -> Q:
        """As the database takes it; what is live and has ended is listed with the other states."""
        wanted = {"subject_kind": self.subject_kind, "subject_id": self.subject_id}
        condition = Q(**{name: value for name, value in wanted.items() if value})
        if self.predicate.endswith(ANYTHING):
            condition &= Q(predicate__startswith=self.predicate.removesuffix(ANYTHING))
        elif self.predicate:
            condition &= Q(predicate=self.predicate)
        if self.states:
            condition &= Q(status__in=self.states)
            condition &= ~Q(status=Atom.Status.LIVE, valid_until__isnull=False, valid_until__lte=Now())
        return condition


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """What a claim rests on: a message, a correction, or something outside with its kind and reference."""

    kind: str
    reference: str
    authority: str
    role: str


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """One claim, or another atom of its matter, which has no predicate; times in the entity's own zone."""

    id: UUID
    seq: int
    chain: UUID
    subject: Mapping[str, str] | None
    predicate: str
    value: Any
    live_source: str
    text: str
    authority: str
    status: str
    superseded_by: UUID | None
    valid_from: datetime | None
    valid_until: datetime | None
    said_at: datetime | None
    last_said_at: datetime | None
    created_at: datetime
    evidence: tuple[ClaimEvidence, ...]


@dataclass(frozen=True, slots=True)
class ClaimsPage:
    """Claims in the order of their making, and how many match in all."""

    total: int
    claims: tuple[ClaimRecord, ...]
    next_after: int | None
    """Give it to the next call; None on the last page."""


def list_claims(
    entity: Entity, wanted: ClaimFilter, *, after: int | None = None, limit: int = PAGE_SIZE
) -> ClaimsPage:
    """One page in three statements. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one claim.")
    matching = Atom.objects.for_entity(entity).claims().filter(wanted.condition())
    rest = matching if after is None else matching.filter(seq__gt=after)
    found = list(rest.defer("terms").order_by("seq")[: limit + 1])
    shown = found[:limit]
    return ClaimsPage(
        total=matching.count(),
        claims=claim_records(entity, shown),
        next_after=shown[-1].seq if len(found) > limit else None,
    )


def claim_history(access: Access, claim_id: UUID) -> tuple[Entity, tuple[ClaimRecord, ...]]:
    """Whose claim it is, and all that was said about its matter, in the order of its saying.

    NoRecordError for an id that is no claim of an entity that the key opens.
    """
    rows = Atom.objects.for_workspace(access.workspace.pk).claims()
    claim = rows.filter(pk=claim_id, entity__shadow_of__isnull=True).select_related("entity").first()
    if claim is None or not access.reads(claim.entity_id):
        raise NoRecordError(str(claim_id))
    members: AtomQuerySet = Atom.objects.for_entity(claim.entity).filter(chain=claim.chain_id)
    newest = members.defer("terms").in_event_order().reverse()[:HISTORY_LIMIT]
    return claim.entity, claim_records(claim.entity, list(newest)[::-1])


def claim_records(entity: Entity, atoms: Sequence[Atom]) -> tuple[ClaimRecord, ...]:
    """Records of claims with their evidence, in their order; one statement."""
    evidence = _evidence([atom.pk for atom in atoms])
    return tuple(_record(entity, atom, evidence.get(atom.pk, ())) for atom in atoms)


def _record(entity: Entity, atom: Atom, evidence: Iterable[ClaimEvidence]) -> ClaimRecord:
    def local(moment: datetime | None) -> datetime | None:
        return moment and moment.astimezone(entity.zone)

    is_claim = bool(atom.predicate)
    return ClaimRecord(
        id=atom.pk,
        seq=atom.seq,
        chain=atom.chain_id,
        subject={"kind": atom.subject_kind, "identifier": atom.subject_id} if is_claim else None,
        predicate=atom.predicate,
        value=atom.value,
        live_source=atom.live_source,
        text=atom.text,
        authority=atom.get_authority_display(),
        status=atom.status,
        superseded_by=atom.superseded_by_id,
        valid_from=local(atom.valid_from),
        valid_until=local(atom.valid_until),
        said_at=local(atom.occurred_at),
        last_said_at=local(atom.last_seen_at),
        created_at=atom.created_at,
        evidence=tuple(evidence),
    )


def _evidence(atoms: Sequence[UUID]) -> dict[UUID, list[ClaimEvidence]]:
    """Receipts by claim, in the order in which they were given."""
    found: dict[UUID, list[ClaimEvidence]] = {}
    rows = Evidence.objects.filter(of_atom__in=atoms).order_by("pk") if atoms else ()
    for row in rows:
        if row.of_atom_id is not None:
            found.setdefault(row.of_atom_id, []).append(_receipt(row))
    return found


def _receipt(row: Evidence) -> ClaimEvidence:
    if row.message_id is not None:
        return ClaimEvidence("message", str(row.message_id), "", row.role)
    if row.correction_id is not None:
        return ClaimEvidence("correction", str(row.correction_id), "", row.role)
    authority = str(row.get_outside_authority_display())
    return ClaimEvidence(row.outside_kind or "", row.outside_reference or "", authority, row.role)
