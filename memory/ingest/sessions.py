"""Sessions of an agent's turns: opened by any number of callers at once, found by id, sealed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from memory.cascade.work import flush
from memory.ingest.access import Access, UnknownEntityError
from memory.ingest.attempts import in_transaction
from memory.ingest.entities import (
    ensure_entity,
    ensure_entity_of,
    find_entity,
    find_entity_of,
    refuse_name,
    refuse_zone,
)
from memory.ingest.folding import wake_compaction_on_commit
from memory.ingest.incoming import SESSION_NAME_LIMIT
from memory.ingest.problems import refused
from memory.ingest.session_rows import TITLE_LIMIT, NoSessionError
from memory.ingest.storable import is_blank, text_problem
from memory.models import Entity, Session, Workspace
from memory.models.base import new_id


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session that takes turns, whose memory it is, and whether this call made it."""

    session: Session
    entity: Entity
    is_new: bool


@dataclass(frozen=True, slots=True)
class SessionWanted:
    """Which session: of an entity by name or by group and user, under an external id or a fresh one."""

    group_id: str = ""
    user_id: str = ""
    entity_name: str | None = None
    external_id: str | None = None
    title: str = ""
    time_zone: str | None = None
    """For an entity that is made; one that is there keeps its own."""


def open_session(
    *,
    workspace: Workspace,
    group_id: str = "",
    user_id: str = "",
    entity_name: str | None = None,
    external_id: str | None = None,
    title: str = "",
    time_zone: str | None = None,
) -> OpenedSession:
    """The session of this external id, made with its entity if missing; without an external id a fresh one.

    A session that is there already takes turns from now on, one that has ended stays sealed. Raises
    IngestError for what cannot be taken, and where entity, group and user contradict each other.
    """
    wanted = SessionWanted(group_id, user_id, entity_name, external_id, title, time_zone)
    return _opened(wanted, lambda: _ensured(workspace, wanted))


def open_session_with(access: Access, wanted: SessionWanted) -> OpenedSession:
    """The same for the holder of a key; one that is bound to entities makes no others.

    Raises UnknownEntityError as well.
    """
    if not access.is_bound:
        return _opened(wanted, lambda: _ensured(access.workspace, wanted))

    def reachable() -> Entity:
        found = _found(access.workspace, wanted)
        if found is None or found.pk not in access.entity_ids:
            raise UnknownEntityError(wanted.entity_name or f"{wanted.group_id}/{wanted.user_id}")
        return found

    return _opened(wanted, reachable)


def session_with(access: Access, session_id: UUID, *, is_reading: bool = False) -> Session:
    """The session of this id among those that a key opens; NoSessionError for any other.

    With `is_reading` also those of entities that are shared with the key's own: nothing may be written then.
    One statement; the session's entity and its workspace come along.
    """
    sessions = Session.objects.for_workspace(access.workspace.pk).filter(
        pk=session_id, entity__shadow_of__isnull=True
    )
    found = sessions.select_related("entity").first()
    is_reached = access.reads if is_reading else access.opens
    if found is None or not is_reached(found.entity_id):
        raise NoSessionError(str(session_id))
    found.entity.workspace = access.workspace
    return found


def end_session(session: Session) -> bool:
    """Seal a session and have what it holds worked on at once; False when it had ended before.

    Messages become claims, claims edges of the graph, and a session of a turn loop leaves a brief. A message
    that is being stored meanwhile is either in, and covered by all this, or refused.
    """
    was_open = seal(session, Q())
    try:
        session.refresh_from_db(fields=["ended_at", "parked_at", "parked_by"])
    except Session.DoesNotExist as error:
        raise NoSessionError(str(session.pk)) from error
    return was_open


def seal(session: Session, condition: Q) -> bool:
    """End a session if it is open and meets the condition; the number of rows decides among many callers."""
    # What failed to be folded stands in no brief's way: that is another question to the model.
    ended = Session.objects.for_workspace(session.workspace_id).filter(
        condition, pk=session.pk, ended_at__isnull=True
    )
    was_open = bool(ended.update(ended_at=Now(), parked_at=None, parked_by=None))
    if was_open:
        # After the session is free again: a fold takes its work row first, and the session then.
        with transaction.atomic():
            flush(session.entity)
    return was_open


def _opened(wanted: SessionWanted, entity: Callable[[], Entity]) -> OpenedSession:
    _refuse_wanted(wanted)
    return in_transaction(lambda: _open(entity(), wanted))


def _refuse_wanted(wanted: SessionWanted) -> None:
    name, title = wanted.external_id, wanted.title
    if wanted.entity_name is not None:
        refuse_name(wanted.entity_name)
    if name is not None and (text_problem(name) or is_blank(name) or len(name) > SESSION_NAME_LIMIT):
        raise refused("external_id", f"is no text of 1 to {SESSION_NAME_LIMIT} characters")
    if text_problem(title) or len(title) > TITLE_LIMIT:
        raise refused("title", f"is no text of at most {TITLE_LIMIT} characters")
    if wanted.time_zone is not None:
        refuse_zone(wanted.time_zone)


def _found(workspace: Workspace, wanted: SessionWanted) -> Entity | None:
    owner = (wanted.group_id, wanted.user_id)
    if wanted.entity_name is None:
        return find_entity_of(workspace=workspace, group_id=owner[0], user_id=owner[1])
    found = find_entity(workspace=workspace, name=wanted.entity_name)
    if found is not None and owner not in (("", ""), (found.group_id, found.user_id)):
        raise refused("entity", "has another group_id or user_id")
    return found


def _ensured(workspace: Workspace, wanted: SessionWanted) -> Entity:
    found = _found(workspace, wanted)
    if found is not None:
        return found
    owner = {"group_id": wanted.group_id, "user_id": wanted.user_id}
    if wanted.entity_name is None:
        return ensure_entity_of(workspace=workspace, time_zone=wanted.time_zone, **owner)
    ensure_entity(workspace=workspace, name=wanted.entity_name, time_zone=wanted.time_zone, **owner)
    made = _found(workspace, wanted)
    if made is None:
        raise UnknownEntityError(wanted.entity_name)
    return made


def _open(entity: Entity, wanted: SessionWanted) -> OpenedSession:
    fresh = _fresh(entity, wanted)
    same = Session.objects.for_entity(entity).filter(external_id=fresh.external_id)
    found = same.first() if wanted.external_id is not None else None
    if found is None:
        # Whoever else is making it commits first; then its row is there.
        Session.objects.bulk_create([fresh], ignore_conflicts=True)
        found = same.get()
    found.entity = entity
    if found.pk != fresh.pk:
        _resume(found, title=wanted.title)
    return OpenedSession(found, entity, is_new=found.pk == fresh.pk)


def _fresh(entity: Entity, wanted: SessionWanted) -> Session:
    session_id = new_id()
    return Session(
        id=session_id,
        workspace_id=entity.workspace_id,
        entity=entity,
        external_id=wanted.external_id or str(session_id),
        title=wanted.title,
        takes_turns=True,
    )


def _resume(session: Session, *, title: str) -> None:
    """Have a session that was stored otherwise take turns, and give it a title if it has none."""
    changed: dict[str, object] = {}
    if title and not session.title:
        changed["title"] = session.title = title
    if not session.takes_turns:
        changed["takes_turns"] = session.takes_turns = True
        is_long = session.next_ordinal - session.folded_until > settings.MEMSEEK.sessions.fold_after_turns
        if is_long and session.ended_at is None:
            changed["fold_asked_at"] = Now()
        wake_compaction_on_commit(session)
    if changed:
        Session.objects.for_workspace(session.workspace_id).filter(pk=session.pk).update(**changed)
