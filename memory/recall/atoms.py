"""One atom as it is shown."""

from __future__ import annotations

from django.db.models import Count

from memory.models import Atom, Entity
from memory.models.atoms import AtomQuerySet
from memory.recall.records import Assertion, AtomRecord


def with_receipts(atoms: AtomQuerySet) -> AtomQuerySet:
    """Atoms that know how many receipts they have."""
    return atoms.select_related("entity").annotate(receipts=Count("evidence"))


def atom_record(atom: Atom) -> AtomRecord:
    """The record of a row out of `with_receipts`; times are in the entity's own zone."""
    receipts: int = atom.receipts  # type: ignore[attr-defined]
    return AtomRecord(
        id=atom.pk,
        seq=atom.seq,
        text=atom.text,
        kind=atom.kind,
        priority=atom.priority,
        topic=atom.topic,
        subject=atom.subject,
        scope=atom.scope,
        authority=atom.get_authority_display(),
        status=atom.status,
        said_at=atom.occurred_at and atom.occurred_at.astimezone(atom.entity.zone),
        happened_from=atom.happened_from,
        happened_until=atom.happened_until,
        receipts=receipts,
        superseded_by=atom.superseded_by_id,
        assertion=assertion(atom, atom.entity),
    )


def assertion(atom: Atom, entity: Entity) -> Assertion | None:
    """What an observed claim asserts, its times in the entity's own zone."""
    if not atom.predicate:
        return None
    return Assertion(
        subject_kind=atom.subject_kind,
        subject_id=atom.subject_id,
        predicate=atom.predicate,
        value=atom.value,
        live_source=atom.live_source,
        valid_from=atom.valid_from and atom.valid_from.astimezone(entity.zone),
        valid_until=atom.valid_until and atom.valid_until.astimezone(entity.zone),
    )
