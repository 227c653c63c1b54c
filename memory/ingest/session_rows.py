"""The rows of sessions: made by their first message, locked while messages are appended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Exists, OuterRef

from memory.models import Entity, Session, Tombstone
from memory.models.messages import SessionQuerySet

TITLE_LIMIT = 200


class NoSessionError(LookupError):
    """There is no such session, or it can not be reached; which of both is not said."""


def lock_sessions(entity: Entity, names: Iterable[str]) -> dict[str, Session]:
    """The sessions of these external ids, made where missing and locked until the transaction ends.

    Two statements, unless some are erased at the same moment. First all are made, then all are locked, each
    in the order of their names, so that calls which share sessions wait for each other and never in a circle.
    Each says in `has_tombstones` whether anything was ever erased in its workspace.
    """
    ordered = sorted(set(names))
    locked: dict[str, Session] = {}
    # A session that was there may be erased while it is waited for: then it is made anew.
    while missing := [name for name in ordered if name not in locked]:
        rows = [
            Session(workspace_id=entity.workspace_id, entity=entity, external_id=name) for name in missing
        ]
        Session.objects.bulk_create(rows, ignore_conflicts=True)
        found = _with_tombstones(Session.objects.for_entity(entity)).filter(external_id__in=missing)
        for session in found.order_by("external_id").select_for_update(no_key=True):
            locked[session.external_id] = session
    return locked


def lock_session(session: Session) -> Session:
    """The session as it stands, locked until the transaction ends; NoSessionError when it is gone."""
    rows = Session.objects.for_workspace(session.workspace_id).filter(pk=session.pk)
    locked = _with_tombstones(rows).select_for_update(no_key=True).first()
    if locked is None:
        raise NoSessionError(str(session.pk))
    return locked


def remove_unused(sessions: Iterable[Session]) -> None:
    """Take away locked sessions that never held a message and that no agent has opened: all was erased."""
    unused = [row.pk for row in sessions if row.next_ordinal == 0 and not row.takes_turns]
    Session.objects.filter(pk__in=unused).delete()


def _with_tombstones(rows: SessionQuerySet) -> SessionQuerySet:
    stones = Tombstone.objects.filter(workspace=OuterRef("workspace"))
    return rows.annotate(has_tombstones=Exists(stones))


def name_sessions(entity: Entity, titles: Mapping[str, str]) -> None:
    """Give titles to sessions that have none, by their external id; what is too long for one is cut."""
    unnamed = Session.objects.for_entity(entity).filter(external_id__in=titles, title="")
    rows = list(unnamed.only("id", "external_id"))
    for row in rows:
        row.title = titles[row.external_id][:TITLE_LIMIT]
    Session.objects.bulk_update(rows, ["title"])
