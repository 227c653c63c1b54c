"""Appending messages: the one way in for words, used by every door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from psycopg.errors import DeadlockDetected, UniqueViolation

from memory.cascade.work import mark_due
from memory.indexing.wakeups import wake_index_on_commit
from memory.ingest.access import Access
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage, refuse_size
from memory.ingest.payload import is_extractable
from memory.ingest.placement import OpenSession, Slot, place
from memory.ingest.sessions import lock_sessions
from memory.ingest.stored import find_known
from memory.models import Entity, Message, Outbox, Session, Step

ATTEMPTS = 3
"""Once is enough for one key that two calls store at once; calls that share several keys may meet again."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AppendedMessage:
    """Where a message of the call is now stored, and whether this call stored it."""

    id: UUID
    seq: int
    ordinal: int
    session: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Appended:
    """The outcome for every message of the call, in its order."""

    entity: Entity
    messages: tuple[AppendedMessage, ...]

    @property
    def new_count(self) -> int:
        """How many were not stored before."""
        return len({message.id for message in self.messages if message.is_new})


def append_messages(*, entity: Entity, messages: Sequence[IncomingMessage], wake: bool = True) -> Appended:
    """Store 1 to 100 messages, all or none, in a constant number of statements.

    A message that is stored already (same dedupe key, same ordinal, or the beginning of a resent
    transcript) keeps its id. `wake=False` leaves waking the cascade to a later `flush`.

    Raises IngestError or IngestConflict, both naming message and field.
    """
    refuse_size(messages)
    return _in_transaction(lambda: _append(entity, messages, wake=wake))


def record_messages(*, access: Access, entity_name: str, messages: Sequence[IncomingMessage]) -> Appended:
    """Append for the holder of a key; the entity is made with its first messages, or not at all.

    Raises UnknownEntityError as well: a key that is bound to entities makes no others.
    """
    refuse_size(messages)

    def record() -> Appended:
        if access.is_bound:
            return _append(access.entity(entity_name), messages, wake=True)
        return _append(ensure_entity(workspace=access.workspace, name=entity_name), messages, wake=True)

    return _in_transaction(record)


def _in_transaction(action: Callable[[], Result]) -> Result:
    """Run in a transaction of its own, and again when another call stored the same key meanwhile."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic(durable=True):
                return action()
        except (IntegrityError, OperationalError) as error:
            was_race = isinstance(error.__cause__, (UniqueViolation, DeadlockDetected))
            if attempt == ATTEMPTS or not was_race:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")


def _append(entity: Entity, messages: Sequence[IncomingMessage], *, wake: bool) -> Appended:
    sessions = lock_sessions(entity, (message.session for message in messages))
    opened = {name: OpenSession(row.next_ordinal, row.ended_at is not None) for name, row in sessions.items()}
    slots = place(messages, sessions=opened, known=find_known(entity, sessions, messages))
    rows = _insert(entity, sessions, messages, slots)
    if rows:
        _advance(sessions, rows)
        _announce(entity, rows)
    if wake and any(row.is_extractable for row in rows.values()):
        _wake(entity)
    return Appended(entity, tuple(_outcome(slot, rows.get(slot.id)) for slot in slots))


def _wake(entity: Entity) -> None:
    """Have the words read and indexed, unless a worker is on its way already.

    Indexing waits for the same pause as reading: one task then takes all that was said until then.
    """
    if mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.L1_EXTRACT):
        pause = settings.MEMSEEK.waking.quiet_seconds
        wake_index_on_commit(entity_id=entity.pk, delay_seconds=pause)


def _insert(
    entity: Entity,
    sessions: Mapping[str, Session],
    messages: Sequence[IncomingMessage],
    slots: Sequence[Slot],
) -> dict[UUID, Message]:
    """Insert the new messages in one statement, in the call's order, which numbers them; by id."""
    now = datetime.now(UTC)
    rows = {
        slot.id: _row(entity, sessions[slot.session], message, slot, now)
        for message, slot in zip(messages, slots, strict=True)
        if slot.seq is None
    }
    Message.objects.bulk_create(rows.values())
    return rows


def _row(entity: Entity, session: Session, message: IncomingMessage, slot: Slot, now: datetime) -> Message:
    said = message.model_dump(exclude={"session", "ordinal", "occurred_at", "parent"})
    return Message(
        id=slot.id,
        workspace_id=entity.workspace_id,
        entity=entity,
        session=session,
        ordinal=slot.ordinal,
        parent_id=message.parent,
        occurred_at=now if message.is_said_now else message.occurred_at,
        content_hash=slot.content_hash,
        is_extractable=is_extractable(message),
        **said,
    )


def _advance(sessions: Mapping[str, Session], rows: Mapping[UUID, Message]) -> None:
    grown: dict[UUID, Session] = {}
    for row in rows.values():
        session = sessions[row.session.external_id]
        session.next_ordinal = max(session.next_ordinal, row.ordinal + 1)
        grown[session.pk] = session
    Session.objects.bulk_update(grown.values(), ["next_ordinal"])


def _announce(entity: Entity, rows: Mapping[UUID, Message]) -> None:
    Outbox.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        event=Outbox.Event.MESSAGE_STORED,
        ids={"messages": [str(id) for id in rows]},
    )


def _outcome(slot: Slot, row: Message | None) -> AppendedMessage:
    seq = row.seq if row else slot.seq
    if seq is None:
        raise AssertionError("a slot is stored already or was inserted by this call")
    return AppendedMessage(slot.id, seq, slot.ordinal, slot.session, is_new=row is not None)
