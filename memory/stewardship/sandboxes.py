"""The end of visitors' memories: when they ask for it, and when their day is over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError
from django.db.models.functions import Now

from memory.models import Entity
from memory.models.tenancy import SANDBOX_WORKSPACE_ID
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure

VISITOR = Actor(name="visitor")
OVER = Actor(name="sandbox")
WHOLE = Scope("entity")


def throw_away(entity: Entity, *, actor: Actor = VISITOR) -> bool:
    """Erase a memory whole, receipts, runs and search units with it; False when it was gone already."""
    try:
        erase(erasure=plan_erasure(entity=entity, scope=WHOLE, actor=actor), actor=actor)
    except (RefusedChangeError, IntegrityError):
        # Its visitor and its last hour may come at once.
        if Entity.objects.filter(pk=entity.pk).exists():
            raise
        return False
    return True


def erase_old_sandboxes() -> Iterator[int]:
    """Erase those whose time is over, one after the other, also when the pages take no more visitors."""
    until = Now() - timedelta(hours=settings.MEMSEEK.sandbox.hours)
    old = Entity.objects.for_workspace(SANDBOX_WORKSPACE_ID).filter(created_at__lte=until)
    for entity in old.select_related("workspace").order_by("created_at"):
        yield int(throw_away(entity, actor=OVER))
