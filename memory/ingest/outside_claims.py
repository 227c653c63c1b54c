"""Claims that another memory made, with the reference to it as their evidence.

Nobody said these words here, so no message stands behind them: the receipt names the other memory, the id of
the statement there, and how much it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memory.cascade.chain_places import see_again
from memory.cascade.contract import ATOM_TEXT_LIMIT, TITLE_LIMIT
from memory.claims.chains import enter, lock_entity, new_chain, outside_receipt, wake_what_follows
from memory.ingest.problems import IngestError, Problem
from memory.ingest.storable import is_blank, text_problem
from memory.ingest.tombstones import buried, claim_value
from memory.models import Atom, Authority, Entity, Evidence
from memory.models.base import new_id
from memory.recall.terms import terms_of

DEFAULT_PRIORITY = 50
REFERENCE_LIMIT = 500
SUBJECT_LIMIT = 128


@dataclass(frozen=True, slots=True)
class OutsideClaim:
    """One statement of another memory: `source` says which memory, `reference` its id there."""

    source: str
    reference: str
    text: str
    kind: str = Atom.Kind.EPISODIC
    topic: str = ""
    subject: str = ""
    said_at: datetime | None = None
    authority: Authority = Authority.INFERENCE

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same claim: its source, its reference and its words."""
        return (self.source, self.reference, self.text)


def claim_problems(index: int, claim: OutsideClaim) -> list[Problem]:
    """Why a claim cannot be stored; empty when it can."""
    limits = {
        "text": (claim.text, ATOM_TEXT_LIMIT),
        "reference": (claim.reference, REFERENCE_LIMIT),
        "topic": (claim.topic, TITLE_LIMIT),
        "subject": (claim.subject, SUBJECT_LIMIT),
    }
    problems = []
    for name, (value, limit) in limits.items():
        problem = text_problem(value)
        if len(value) > limit:
            problem = f"has {len(value)} characters, at most {limit} are taken"
        elif name in ("text", "reference") and is_blank(value):
            problem = "is blank"
        if problem:
            problems.append(Problem(index, name, problem))
    return problems


def known_references(entity: Entity, claims: Sequence[OutsideClaim]) -> set[tuple[str, str, str]]:
    """Source, reference and text of those claims that the entity holds already, live or not.

    What gave way to other words and was said again after them is not among these.
    """
    said = {claim.key: claim.said_at for claim in claims}
    rows = _receipts(entity, claims).values_list(
        "outside_kind", "outside_reference", "of_atom__text", "of_atom__superseded_by__last_seen_at"
    )
    found = [((str(kind), str(reference), text), replaced_at) for kind, reference, text, replaced_at in rows]
    return {key for key, replaced_at in found if not _is_later(said.get(key), replaced_at)}


def _is_later(said_at: datetime | None, replaced_at: datetime | None) -> bool:
    return said_at is not None and replaced_at is not None and said_at > replaced_at


def record_outside_claims(*, entity: Entity, claims: Sequence[OutsideClaim]) -> int:
    """Store the claims that are not there yet, all or none; returns how many were new.

    A claim in words that stand already becomes one more receipt of them. A reference that stood for other
    words replaces them, unless something stronger or later was said meanwhile. A claim that was erased here
    is not made again in the same words. The scene step becomes due.

    Raises IngestError naming claim and field.
    """
    problems = [problem for index, claim in enumerate(claims) for problem in claim_problems(index, claim)]
    if problems:
        raise IngestError(problems)
    with transaction.atomic(durable=True):
        lock_entity(entity)
        known = known_references(entity, claims)
        new = {claim.key: claim for claim in claims if claim.key not in known}
        for key in _erased(entity, [*new]):
            del new[key]
        for claim in new.values():
            _record(entity, claim)
        if new:
            wake_what_follows(entity)
    return len(new)


def _erased(entity: Entity, keys: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    found = buried(entity, {index: [("claim", claim_value(key))] for index, key in enumerate(keys)})
    return [keys[index] for index in sorted(found)]


def _receipts(entity: Entity, claims: Sequence[OutsideClaim]) -> QuerySet[Evidence]:
    return Evidence.objects.filter(
        workspace_id=entity.workspace_id,
        entity_id=entity.pk,
        of_atom__isnull=False,
        outside_kind__in={claim.source for claim in claims},
        outside_reference__in={claim.reference for claim in claims},
    )


def _record(entity: Entity, claim: OutsideClaim) -> None:
    same = Atom.objects.for_entity(entity).live().filter(text=claim.text).first()
    if same is not None:
        _see_again(same, claim)
        return
    before = _receipts(entity, [claim]).select_related("of_atom").order_by("-id").first()
    atom = _atom(entity, claim, before.of_atom if before else None)
    enter(atom, list(Atom.objects.for_entity(entity).filter(chain=atom.chain_id)))
    _receipt(atom, claim, Evidence.Role.SOURCE).save()


def _see_again(atom: Atom, claim: OutsideClaim) -> None:
    """The same words stand: they get a receipt, and were last said when the later of both was."""
    _receipt(atom, claim, Evidence.Role.REPEAT).save()
    see_again(atom, authority=claim.authority, said_at=claim.said_at)
    atom.save(update_fields=["last_seen_at"])


def _atom(entity: Entity, claim: OutsideClaim, before: Atom | None) -> Atom:
    """A new atom in the chain of what the reference stood for, or in one of its own."""
    return Atom(
        id=new_id(),
        workspace_id=entity.workspace_id,
        entity=entity,
        chain_id=before.chain_id if before else new_chain(entity),
        text=claim.text,
        kind=claim.kind,
        priority=DEFAULT_PRIORITY,
        topic=claim.topic,
        subject=claim.subject,
        authority=claim.authority,
        decision=Atom.Decision.MERGE if before else Atom.Decision.STORE,
        merge_reason=Atom.MergeReason.VALUE if before else "",
        occurred_at=claim.said_at,
        last_seen_at=claim.said_at,
        created_at=timezone.now(),
        terms=terms_of(f"{claim.text} {claim.topic}"),
    )


def _receipt(atom: Atom, claim: OutsideClaim, role: str) -> Evidence:
    return outside_receipt(
        atom, kind=claim.source, reference=claim.reference, authority=claim.authority, role=role
    )
