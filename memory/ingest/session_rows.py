"""The rows of sessions: made by their first message, locked while messages are appended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Exists, OuterRef

from memory import queries
from memory.ingest.entities import asked_by_name, found_by_name
from memory.models import Entity, Session, Tombstone, Workspace
from memory.models.base import new_id
from memory.models.messages import SessionQuerySet

TITLE_LIMIT = 200
SESSION_FIELDS = (
    *("id", "workspace_id", "entity_id", "created_at", "consumed_by_id", "parked_by_id", "parked_at"),
    *("external_id", "title", "next_ordinal", "takes_turns", "folded_until", "fold_asked_at"),
    *("last_message_at", "ended_at"),
)


class NoSessionError(LookupError):
    """There is no such session, or it can not be reached; which of both is not said."""


def find_and_lock(
    workspace: Workspace, entity_name: str, names: Iterable[str]
) -> tuple[Entity | None, dict[str, Session]]:
    """The entity of a name and, where one session is named that is there, that session, locked: one exchange.

    For callers that may reach every entity of the workspace. What is missing is left to `lock_sessions`.
    """
    asked = asked_by_name(workspace, entity_name)
    wanted = list(set(names))
    if len(wanted) != 1:
        [found] = queries.kept_rows(asked)
        return found_by_name(workspace, found), {}
    owner = {"workspace": workspace.pk, "entity": None, "entity_name": entity_name}
    found, locked = queries.kept_rows(asked, ("session_lock", {**owner, "names": wanted}))
    entity = found_by_name(workspace, found)
    # Between the two questions the name may have passed to another entity.
    sessions = {row.external_id: row for row in _read(locked) if entity and row.entity_id == entity.pk}
    return entity, sessions


def lock_sessions(
    entity: Entity, names: Iterable[str], looked_for: Mapping[str, Session] | None = None
) -> dict[str, Session]:
    """The sessions of these external ids, made where missing and locked until the transaction ends.

    There and back once, unless some are erased at the same moment. First all are made, then all are locked,
    each in the order of their names, so that calls which share sessions wait for each other and never in a
    circle.
    Each says in `has_tombstones` whether anything was ever erased in its workspace. `looked_for` is what
    `find_and_lock` found: one session alone that is not there need not be looked for again.
    """
    ordered = sorted(set(names))
    locked = dict(looked_for or {})
    may_be_there = looked_for is None
    # A session that was there may be erased while it is waited for: then it is made anew.
    while missing := [name for name in ordered if name not in locked]:
        for session in _made_and_locked(entity, missing, may_be_there=may_be_there):
            locked[session.external_id] = session
        may_be_there = True
    return locked


def _made_and_locked(entity: Entity, names: Sequence[str], *, may_be_there: bool) -> Iterator[Session]:
    owner = {"workspace": entity.workspace_id, "entity": entity.pk, "names": list(names)}
    locking = ("session_lock", {**owner, "entity_name": None})
    # Nearly every call goes on with one session. Of several, those that are there must not be locked first.
    [found] = queries.kept_rows(locking) if may_be_there and len(names) == 1 else [[]]
    if not found:
        _, found = queries.kept_rows(("session_make", {**owner, "ids": [new_id() for _ in names]}), locking)
    return _read(found)


def _read(found: Iterable[tuple[Any, ...]]) -> Iterator[Session]:
    for *columns, has_tombstones in found:
        session = Session.from_db(DEFAULT_DB_ALIAS, SESSION_FIELDS, columns)
        session.has_tombstones = has_tombstones  # type: ignore[attr-defined]  # as `_with_tombstones` has it
        yield session


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
