"""The preview of an erase: what would go, as one row of ids and counts, and the token that confirms it."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from uuid import UUID

from django.core import signing
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.crypto import salted_hmac

from memory.models import Entity, Erasure
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.erasing.closing import affected_by
from memory.stewardship.erasing.scopes import Scope, refuse_scope
from memory.stewardship.erasing.whole_entity import counts_of

PLAN_LIVES = timedelta(minutes=15)
REASON_LIMIT = 500
_SALT = "memory.erasing"


def plan_erasure(*, entity: Entity, scope: Scope, actor: Actor, reason: str = "") -> Erasure:
    """Count what an erase would take, and keep the plan for fifteen minutes; nothing of the memory changes.

    `counts` of the row say how many rows of each sort go, and how many messages are read again. Raises
    RefusedChangeError for a scope that names nothing, or a row of somebody else.
    """
    refuse_scope(scope)
    _expire_old(entity)
    ground, counts = ground_and_counts(entity, scope)
    return Erasure.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        entity_mark=mark_of(entity),
        scope=scope.kind,
        selection=scope.as_json,
        ground=ground,
        counts=counts,
        reason=reason[:REASON_LIMIT],
        expires_at=timezone.now() + PLAN_LIVES,
        **actor.columns,
    )


def ground_and_counts(entity: Entity, scope: Scope) -> tuple[str, dict[str, int]]:
    """The digest and the counts of a plan. Of a whole entity everything goes, whatever it comes to hold."""
    if scope.kind == "entity":
        return hashlib.sha256(entity.pk.bytes).hexdigest(), counts_of(entity)
    affected = affected_by(entity, scope)
    return affected.ground, affected.counts


def mark_of(entity: Entity) -> str:
    """Keyed hash of the entity's name, by which its erasures are found when it is gone."""
    named = f"{entity.workspace_id}:{entity.name}"
    return salted_hmac(f"{_SALT}.entity", named, algorithm="sha256").hexdigest()


def token_of(erasure: Erasure) -> str:
    """What confirms exactly this plan: signed, bound to its entity, of no use once it is done or expired."""
    return signing.dumps(_signed(erasure), salt=_SALT)


def planned(*, entity: Entity, token: str) -> Erasure:
    """The plan that a token confirms.

    Raises RefusedChangeError, in the same words whatever is wrong with it, for a token that is not of this
    entity, was used, is too old, or was never given.
    """
    try:
        said = signing.loads(token, salt=_SALT, max_age=PLAN_LIVES)
        erasure = Erasure.objects.filter(pk=UUID(said[0]), entity=entity).first()
    except (signing.BadSignature, ValueError, TypeError, IndexError):
        erasure, said = None, None
    if erasure is None or said != _signed(erasure) or not is_open(erasure):
        raise RefusedChangeError(
            "This token confirms nothing here: it is used, too old, or of another entity."
        )
    return erasure


def is_open(erasure: Erasure) -> bool:
    """Whether it still waits to be confirmed."""
    return erasure.status == Erasure.Status.PLANNED and erasure.expires_at > timezone.now()


def _signed(erasure: Erasure) -> list[str]:
    return [str(erasure.pk), str(erasure.entity_id), erasure.ground]


def _expire_old(entity: Entity) -> None:
    plans = Erasure.objects.filter(entity=entity, status=Erasure.Status.PLANNED, expires_at__lte=Now())
    plans.update(status=Erasure.Status.EXPIRED, selection={})
