"""Replay: the sessions of an entity, and one of them whole, word for word, with everything that is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Max, Min, Q

from memory.ingest.storable import text_problem
from memory.models import Entity, Message, Session

PAGE_SIZE = 50

State = Literal["kept", "pending", "parked", "read"]


class UnknownSessionError(LookupError):
    """The entity has no such session."""


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One conversation. Times of what was said are in the entity's own zone."""

    id: UUID
    session: str
    """The name that its messages were stored under."""
    title: str
    messages: int
    first_said_at: datetime | None
    last_said_at: datetime | None
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """Sessions in the order in which they were opened, and how many there are."""

    total: int
    sessions: tuple[SessionRecord, ...]
    next_after: UUID | None


@dataclass(frozen=True, slots=True)
class ReplayedMessage:
    """A message as it was stored."""

    id: UUID
    seq: int
    ordinal: int
    role: str
    speaker: str
    text: str
    attachment_text: str
    parent: UUID | None
    tool_name: str
    tool_calls: Sequence[Any]
    tool_call_id: str
    metadata: Mapping[str, Any]
    said_at: datetime | None
    recorded_at: datetime
    dedupe_key: str | None
    content_hash: str
    state: State
    """Whether l1_extract has read it; `kept` is never read: system texts, recalled blocks."""


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """Messages of one session in their order, and how many it has."""

    session: Session
    total: int
    messages: tuple[ReplayedMessage, ...]
    next_after: int | None


def list_sessions(entity: Entity, *, after: UUID | None = None, limit: int = PAGE_SIZE) -> SessionsPage:
    """One page in three statements; ids are ordered by time, so that new sessions come last.

    ValueError for a limit below 1.
    """
    _refuse_empty(limit)
    sessions = Session.objects.for_entity(entity)
    rest = sessions if after is None else sessions.filter(pk__gt=after)
    found = list(rest.order_by("pk")[: limit + 1])
    shown = found[:limit]
    spoken = _spoken(entity, shown)
    return SessionsPage(
        total=sessions.count(),
        sessions=tuple(_session_record(entity, session, spoken.get(session.pk, {})) for session in shown),
        next_after=shown[-1].pk if len(found) > limit else None,
    )


def _spoken(entity: Entity, sessions: Sequence[Session]) -> dict[UUID, Mapping[str, Any]]:
    """How many messages each session has, and when the first and the last were said."""
    rows = (
        Message.objects.for_entity(entity)
        .filter(session__in=sessions)
        .order_by()
        .values("session_id")
        .annotate(messages=Count("pk"), first=Min("occurred_at"), last=Max("occurred_at"))
    )
    return {row["session_id"]: row for row in rows}


def _session_record(entity: Entity, session: Session, spoken: Mapping[str, Any]) -> SessionRecord:
    return SessionRecord(
        id=session.pk,
        session=session.external_id,
        title=session.title,
        messages=spoken.get("messages", 0),
        first_said_at=_local(entity, spoken.get("first")),
        last_said_at=_local(entity, spoken.get("last")),
        created_at=session.created_at,
        ended_at=session.ended_at,
    )


def find_session(entity: Entity, name: str) -> Session:
    """The session of that name, or of that id; UnknownSessionError when there is none."""
    if text_problem(name):
        raise UnknownSessionError(name)
    named = Q(external_id=name)
    with suppress(ValueError):
        named |= Q(pk=UUID(name))
    found = list(Session.objects.for_entity(entity).filter(named))
    if not found:
        raise UnknownSessionError(name)
    # A name may be written like an id: the name counts.
    return max(found, key=lambda session: session.external_id == name)


def replay_session(
    entity: Entity, name: str, *, after: int | None = None, limit: int = PAGE_SIZE
) -> ReplayPage:
    """One page of a session in three statements; UnknownSessionError, and ValueError for a limit below 1."""
    _refuse_empty(limit)
    session = find_session(entity, name)
    messages = Message.objects.for_entity(entity).filter(session=session)
    rest = messages if after is None else messages.filter(ordinal__gt=after)
    found = list(rest.order_by("ordinal")[: limit + 1])
    shown = found[:limit]
    return ReplayPage(
        session=session,
        total=messages.count(),
        messages=tuple(replayed(entity, message) for message in shown),
        next_after=shown[-1].ordinal if len(found) > limit else None,
    )


def replayed(entity: Entity, message: Message) -> ReplayedMessage:
    """The record of a row; times are in the entity's own zone."""
    return ReplayedMessage(
        id=message.pk,
        seq=message.seq,
        ordinal=message.ordinal,
        role=message.role,
        speaker=message.speaker,
        text=message.text,
        attachment_text=message.attachment_text,
        parent=message.parent_id,
        tool_name=message.tool_name,
        tool_calls=message.tool_calls,
        tool_call_id=message.tool_call_id,
        metadata=message.metadata,
        said_at=_local(entity, message.occurred_at),
        recorded_at=message.recorded_at,
        dedupe_key=message.dedupe_key,
        content_hash=bytes(message.content_hash).hex(),
        state=_state(message),
    )


def _state(message: Message) -> State:
    if message.consumed_by_id is not None:
        return "read"
    if message.parked_at is not None:
        return "parked"
    return "pending" if message.is_extractable else "kept"


def _local(entity: Entity, moment: datetime | None) -> datetime | None:
    return moment and moment.astimezone(entity.zone)


def _refuse_empty(limit: int) -> None:
    if limit < 1:
        raise ValueError("A page holds at least one row.")
