"""Retention: what a workspace keeps for so many days goes after them, in small batches, again and again.

Messages go by an erase, so that what was made of them follows; everything else is no memory and is deleted.
Whatever interrupts a pass, the next one goes on: what has to go is found by looking at rows.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session as BrowserSession
from django.db import DatabaseError
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from memory import queries
from memory.models import Entity, Erasure, Message, Process, Workspace
from memory.models.tenancy import SANDBOX_WORKSPACE_ID
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.sandboxes import erase_old_sandboxes

logger = logging.getLogger(__name__)

PASS_SECONDS = 120.0
"""A pass begins no batch after this; what is left is the next one's."""
ROWS_AT_ONCE = 5_000
MESSAGES_AT_ONCE = 2_000
"""So many of one entity go in one erase: its writers wait for that long, not for all of it."""
PROCESS_DAYS = 7
GRACE_DAYS = 2
"""Later than this nothing should be: passes come several times a day."""
KINDS = ("messages", "runs", "uses", "events")
ACTOR = Actor(name="retention")


class RetentionFailedError(Exception):
    """Some kinds could not be removed; the text names them."""


@dataclass(frozen=True, slots=True)
class Retained:
    """What a pass removed, by kind, and where it failed."""

    removed: Mapping[str, int]
    failed: Mapping[str, str]
    """The class of the error by kind; what was removed before it stays removed."""
    is_complete: bool
    """False when the time was up before everything was gone."""


class _TimeUpError(Exception):
    """The rest is left to the next pass."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass over all workspaces, or one."""

    workspace: Workspace | None
    ends_at: float
    now: datetime

    def look_at_the_clock(self) -> None:
        if time.monotonic() >= self.ends_at:
            raise _TimeUpError


def apply_retention(*, workspace: Workspace | None = None, seconds: float = PASS_SECONDS) -> Retained:
    """Remove what is beyond its days, in one workspace or in all; to be called outside of a transaction.

    A kind that fails keeps none of the others back.
    """
    running = _Pass(workspace, time.monotonic() + seconds, timezone.now())
    removed: dict[str, int] = {}
    failed: dict[str, str] = {}
    is_complete = True
    for kind, batches in _BATCHES.items():
        removed[kind] = 0
        try:
            for count in batches(running):
                removed[kind] += count
                running.look_at_the_clock()
        except _TimeUpError:
            is_complete = False
        except (DatabaseError, RefusedChangeError) as error:
            failed[kind] = type(error).__name__
            # The error's own words may repeat what a row holds.
            logger.warning("retention of %s failed: %s", kind, failed[kind])
    return Retained(removed, failed, is_complete)


def retention_overdue(*, workspace: Workspace | None = None, grace_days: int = GRACE_DAYS) -> dict[str, int]:
    """In how many workspaces rows have outlived their days and the grace, by kind; only kinds that have some.

    Something is wrong then: no worker takes the queue, or passes fail.
    """
    counts = queries.one("retention_overdue", grace_days=grace_days, **_chosen(workspace))
    return {kind: count for kind, count in zip(KINDS, counts, strict=True) if count}


def _chosen(workspace: Workspace | None) -> dict[str, object]:
    return {"workspace": workspace and workspace.pk, "run_days": settings.MEMSEEK.run_days}


def _messages(running: _Pass) -> Iterator[int]:
    """Entity by entity; what fails for one of them is raised once the others are done."""
    problem: DatabaseError | RefusedChangeError | None = None
    for workspace, until in _limits(running):
        for entity in _entities_with_words(workspace, before=until):
            try:
                yield from _erased(entity, until, f"kept for {workspace.message_days} days")
            except (DatabaseError, RefusedChangeError) as error:
                problem = error
    if problem is not None:
        raise problem


def _limits(running: _Pass) -> Iterator[tuple[Workspace, datetime]]:
    """Until when words go, by workspace; from midnight to midnight, so that it is once a day."""
    workspaces = Workspace.objects.exclude(message_days=None).order_by("pk")
    if running.workspace is not None:
        workspaces = workspaces.filter(pk=running.workspace.pk)
    midnight = running.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    for workspace in workspaces:
        yield workspace, midnight - timedelta(days=workspace.message_days or 0)


def _entities_with_words(workspace: Workspace, *, before: datetime) -> list[Entity]:
    old = _said(Message.objects.filter(workspace=workspace, entity=OuterRef("pk"))).filter(
        event_at__lt=before
    )
    entities = Entity.objects.for_workspace(workspace.pk).filter(Exists(old))
    return list(entities.select_related("workspace").order_by("pk"))


def _said(rows: QuerySet[Any]) -> QuerySet[Any]:
    said: QuerySet[Any] = rows.annotate(event_at=Coalesce("occurred_at", "recorded_at"))
    return said


def _erased(entity: Entity, until: datetime, reason: str) -> Iterator[int]:
    """Erase from the oldest words on, some at a time."""
    while (part := _next_part(entity, until)) is not None:
        scope = Scope("retention", until=part)
        plan = plan_erasure(entity=entity, scope=scope, actor=ACTOR, reason=reason)
        yield erase(erasure=plan, actor=ACTOR).counts.get("messages", 0)


def _next_part(entity: Entity, until: datetime) -> datetime | None:
    """Until when the next erase goes: some messages, and at least one instant; None when all are gone."""
    moments = _said(Message.objects.for_entity(entity)).filter(event_at__lt=until).order_by("event_at")
    found = moments.values_list("event_at", flat=True)
    oldest: datetime | None = found.first()
    if oldest is None:
        return None
    following: datetime = next(iter(found[MESSAGES_AT_ONCE : MESSAGES_AT_ONCE + 1]), until)
    return max(following, oldest + timedelta(microseconds=1))


def _by_query(name: str) -> Callable[[_Pass], Iterator[int]]:
    def batches(running: _Pass) -> Iterator[int]:
        parameters = _chosen(running.workspace)
        while count := queries.run(name, rows=ROWS_AT_ONCE, **parameters):
            yield count

    return batches


def _plans(running: _Pass) -> Iterator[int]:
    """A preview that nobody confirmed says no more what it would have taken."""
    yield Erasure.objects.filter(status=Erasure.Status.PLANNED, expires_at__lte=Now()).update(
        status=Erasure.Status.EXPIRED, selection={}
    )


def _sandboxes(running: _Pass) -> Iterator[int]:
    """Memories of visitors go whole, a day after they were made."""
    if running.workspace is None or running.workspace.pk == SANDBOX_WORKSPACE_ID:
        yield from erase_old_sandboxes()


def _processes(running: _Pass) -> Iterator[int]:
    count, _ = Process.objects.filter(seen_at__lt=Now() - timedelta(days=PROCESS_DAYS)).delete()
    yield count


def _visits(running: _Pass) -> Iterator[int]:
    """Sessions of browsers that are over: visitors leave many behind."""
    count, _ = BrowserSession.objects.filter(expire_date__lt=Now()).delete()
    yield count


_BATCHES: dict[str, Callable[[_Pass], Iterator[int]]] = {
    "sandboxes": _sandboxes,
    "messages": _messages,
    "runs": _by_query("retention_runs"),
    "uses": _by_query("retention_uses"),
    "events": _by_query("retention_events"),
    "replies": _by_query("retention_replies"),
    "plans": _plans,
    "processes": _processes,
    "visits": _visits,
}
