"""Sessions: made by their first message, locked while messages are appended, sealed when they end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import transaction
from django.db.models.functions import Now

from memory.cascade.work import flush
from memory.models import Entity, Session

TITLE_LIMIT = 200


def lock_sessions(entity: Entity, names: Iterable[str]) -> dict[str, Session]:
    """The sessions of these external ids, made where missing and locked until the transaction ends.

    Two statements. First all are made, then all are locked, each in the order of their names, so that calls
    which share sessions wait for each other and never in a circle.
    """
    ordered = sorted(set(names))
    rows = [Session(workspace_id=entity.workspace_id, entity=entity, external_id=name) for name in ordered]
    Session.objects.bulk_create(rows, ignore_conflicts=True)
    locked = (
        Session.objects.for_entity(entity)
        .filter(external_id__in=ordered)
        .order_by("external_id")
        .select_for_update(no_key=True)
    )
    return {session.external_id: session for session in locked}


def name_sessions(entity: Entity, titles: Mapping[str, str]) -> None:
    """Give titles to sessions that have none, by their external id; what is too long for one is cut."""
    unnamed = Session.objects.for_entity(entity).filter(external_id__in=titles, title="")
    rows = list(unnamed.only("id", "external_id"))
    for row in rows:
        row.title = titles[row.external_id][:TITLE_LIMIT]
    Session.objects.bulk_update(rows, ["title"])


def end_session(session: Session) -> bool:
    """Seal a session and have what it holds worked on at once; False when it had ended before."""
    with transaction.atomic():
        ended = (
            Session.objects.for_workspace(session.workspace_id)
            .filter(pk=session.pk, ended_at__isnull=True)
            .update(ended_at=Now())
        )
        if ended:
            flush(session.entity)
    session.refresh_from_db(fields=["ended_at"])
    return bool(ended)
