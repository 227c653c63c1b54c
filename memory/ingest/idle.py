"""Sessions in which nothing is said any more end by themselves."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now

from memory.ingest.sessions import seal
from memory.models import Session

ENDED_AT_ONCE = 200


def end_idle_sessions() -> int:
    """Seal sessions of turn loops that were silent for the time of the setting; returns how many.

    A bounded number, the longest silent first; the next sweep takes the rest. A turn that comes meanwhile
    keeps its session open.
    """
    seconds = settings.MEMSEEK.sessions.idle_seconds
    if not seconds:
        return 0
    before = Now() - timedelta(seconds=seconds)
    silent = Q(last_message_at__lt=before) | Q(last_message_at__isnull=True, created_at__lt=before)
    idle = Session.objects.open().filter(silent, takes_turns=True).select_related("entity")
    found = list(idle.order_by(F("last_message_at").asc(nulls_last=True), "created_at")[:ENDED_AT_ONCE])
    return sum(seal(session, silent) for session in found)
