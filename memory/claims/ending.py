"""What time ends: claims past their validity, though nothing took their place, and old live values."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from memory.claims.chains import lock_entity, wake_what_follows
from memory.models import Atom, Entity, LiveValue
from memory.models.atoms import AtomQuerySet

ENTITIES_AT_ONCE = 100
LIVE_VALUES_KEPT = timedelta(days=1)
"""So long after it expired it can still be told when a value was known last."""


def end_claims() -> int:
    """Make history of live claims past their `valid_until`; returns how many.

    Reads leave such claims out at once; this has scenes, the graph and the index follow. Of a bounded number
    of entities, the next sweep takes the rest.
    """
    found = _ended(Atom.objects.filter(entity__shadow_of__isnull=True))
    entities = found.order_by("valid_until").values_list("entity_id", flat=True)[:ENTITIES_AT_ONCE]
    return sum(_end(entity_id) for entity_id in dict.fromkeys(entities))


def forget_live_values() -> int:
    """Remove what sources said long ago; returns how many values. What is fetched is no part of memory."""
    count, _ = LiveValue.objects.filter(expires_at__lt=Now() - LIVE_VALUES_KEPT).delete()
    return count


def _end(entity_id: UUID) -> int:
    with transaction.atomic(durable=True):
        entity = Entity.objects.filter(pk=entity_id).first()
        if entity is None:
            return 0
        lock_entity(entity)
        count = _ended(Atom.objects.for_entity(entity)).update(status=Atom.Status.SUPERSEDED)
        if count:
            wake_what_follows(entity)
    return count


def _ended(rows: AtomQuerySet) -> AtomQuerySet:
    return rows.live().filter(valid_until__isnull=False, valid_until__lte=Now())
