"""What time does: claims begin and end though nobody says so, and live values grow old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from memory.claims.chains import lock_entity, settle_again, wake_what_follows
from memory.models import Atom, Entity, LiveValue
from memory.models.atoms import AtomQuerySet
from memory.transactions import durable_transaction

ENTITIES_AT_ONCE = 100
LIVE_VALUES_KEPT = timedelta(days=1)
"""So long after it expired it can still be told when a value was known last."""

Due = Callable[[AtomQuerySet], AtomQuerySet]


def begin_claims() -> int:
    """Have claims hold whose `valid_from` has come; returns how many claims have another place by that.

    Of a bounded number of entities, the next sweep takes the rest.
    """
    return _follow(_begun, "valid_from")


def end_claims() -> int:
    """Make history of claims past their `valid_until`; returns how many claims have another place by that.

    Reads leave such claims out at once; this has scenes, the graph and the index follow, and what was only
    contested by them hold. Of a bounded number of entities, the next sweep takes the rest.
    """
    return _follow(_ended, "valid_until")


def forget_live_values() -> int:
    """Remove what sources said long ago; returns how many values. What is fetched is no part of memory."""
    count, _ = LiveValue.objects.filter(expires_at__lt=Now() - LIVE_VALUES_KEPT).delete()
    return count


def _follow(due: Due, moment: str) -> int:
    found = due(Atom.objects.filter(entity__shadow_of__isnull=True))
    entities = found.order_by(moment).values_list("entity_id", flat=True)[:ENTITIES_AT_ONCE]
    return sum(_settle(entity_id, due) for entity_id in dict.fromkeys(entities))


def _settle(entity_id: UUID, due: Due) -> int:
    with durable_transaction():
        entity = Entity.objects.filter(pk=entity_id).first()
        if entity is None:
            return 0
        lock_entity(entity)
        count = settle_again(
            entity, set(due(Atom.objects.for_entity(entity)).values_list("chain", flat=True))
        )
        if count:
            wake_what_follows(entity)
    return count


def _begun(rows: AtomQuerySet) -> AtomQuerySet:
    """What stands beside for its time alone: nothing of more authority says otherwise."""
    weightier = Atom.objects.live().filter(chain=OuterRef("chain"), authority__gt=OuterRef("authority"))
    begun = rows.filter(status=Atom.Status.CONTESTED, valid_from__isnull=False, valid_from__lte=Now())
    return begun.exclude(Exists(weightier.exclude(text=OuterRef("text"))))


def _ended(rows: AtomQuerySet) -> AtomQuerySet:
    ending = rows.filter(status__in=(Atom.Status.LIVE, Atom.Status.CONTESTED), valid_until__isnull=False)
    return ending.filter(valid_until__lte=Now())
