"""Appending messages: the one way in for words, used by every door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.conf import settings

from memory.cascade.wakeups import wake_on_commit
from memory.indexing.wakeups import wake_index_on_commit
from memory.ingest.access import Access
from memory.ingest.attempts import in_transaction
from memory.ingest.entities import ensure_entity, refuse_name
from memory.ingest.erased import find_erased
from memory.ingest.folding import wake_compaction_on_commit
from memory.ingest.incoming import IncomingMessage, refuse_size
from memory.ingest.placement import Known, OpenSession, Slot, place
from memory.ingest.redaction_messages import redacted_messages
from memory.ingest.session_rows import find_and_lock, lock_sessions, remove_unused
from memory.ingest.stored import find_known
from memory.ingest.writing import write_messages
from memory.models import Entity, Session, Step

Refuse = Callable[[Known, Mapping[int, Slot]], None]


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
    """The outcome for the messages of the call, in its order."""

    entity: Entity
    messages: tuple[AppendedMessage, ...]
    redacted: Mapping[str, int] = field(default_factory=dict)
    """How much of which kind was taken out of the words before they were stored."""
    erased: tuple[int, ...] = ()
    """Places in the call of messages that were erased before: they stay so, and are not among `messages`."""

    @property
    def new_count(self) -> int:
        """How many were not stored before."""
        return len({message.id for message in self.messages if message.is_new})


def append_messages(*, entity: Entity, messages: Sequence[IncomingMessage], wake: bool = True) -> Appended:
    """Store 1 to 100 messages, all or none, in a constant number of statements.

    A message that is stored already (same dedupe key, same ordinal, or the beginning of a resent
    transcript) keeps its id; one that was erased is left out, and told in `erased`.
    `wake=False` leaves waking the cascade to a later `flush`.

    Raises IngestError or IngestConflict, both naming message and field.
    """
    refuse_size(messages)
    words, redacted = redacted_messages(messages)
    return replace(in_transaction(lambda: _append(entity, words, wake=wake)), redacted=redacted)


def record_messages(*, access: Access, entity_name: str, messages: Sequence[IncomingMessage]) -> Appended:
    """Append for the holder of a key; the entity is made with its first messages, or not at all.

    Raises UnknownEntityError as well: a key that is bound to entities makes no others.
    """
    refuse_size(messages)
    words, redacted = redacted_messages(messages)

    def record() -> Appended:
        if access.is_bound:
            return _append(access.entity(entity_name), words, wake=True)
        refuse_name(entity_name)
        names = (message.session for message in words)
        found, looked_for = find_and_lock(access.workspace, entity_name, names)
        entity = found or ensure_entity(workspace=access.workspace, name=entity_name)
        return _append(entity, words, wake=True, looked_for=looked_for)

    return replace(in_transaction(record), redacted=redacted)


def _append(
    entity: Entity,
    messages: Sequence[IncomingMessage],
    *,
    wake: bool,
    looked_for: Mapping[str, Session] | None = None,
) -> Appended:
    sessions = lock_sessions(entity, (message.session for message in messages), looked_for)
    appended = store_messages(entity, sessions, messages, wake=wake)
    if appended.erased:
        remove_unused(sessions.values())
    return appended


def store_messages(
    entity: Entity,
    sessions: Mapping[str, Session],
    messages: Sequence[IncomingMessage],
    *,
    wake: bool = True,
    may_resend: bool = True,
    refuse: Refuse | None = None,
) -> Appended:
    """Within a transaction: store messages of sessions that it has locked, by their external ids.

    `may_resend` has a batch looked at as a transcript that may be stored already. `refuse` sees what is known
    and where each message goes, before anything is written.
    """
    opened = {name: OpenSession(row.next_ordinal, row.ended_at is not None) for name, row in sessions.items()}
    known = find_known(entity, sessions, messages, may_resend=may_resend)
    erased = find_erased(entity, sessions, messages, known, may_resend=may_resend)
    placed = place(messages, sessions=opened, known=known, erased=erased)
    if refuse is not None:
        refuse(known, placed)
    numbers: Mapping[UUID, int] = {}
    if new := _new_ones(placed):
        written = write_messages(entity, sessions, messages, new, wakes=wake)
        numbers = written.numbers
        for session in written.asked:
            wake_compaction_on_commit(session)
        if written.was_marked:
            _wake(entity)
    outcomes = tuple(_outcome(slot, numbers.get(slot.id)) for slot in placed.values())
    return Appended(entity, outcomes, erased=tuple(sorted(erased)))


def _new_ones(placed: Mapping[int, Slot]) -> dict[int, Slot]:
    """The slots to be filled; two messages of a call may be one, by their key, and it is written once."""
    first: dict[UUID, int] = {}
    for index, slot in placed.items():
        if slot.seq is None:
            first.setdefault(slot.id, index)
    return {index: placed[index] for index in first.values()}


def _wake(entity: Entity) -> None:
    """Have the words read and indexed once they are committed; not where a worker is on its way already.

    Indexing waits for the same pause as reading: one task then takes all that was said until then.
    """
    wake_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.L1_EXTRACT)
    pause = settings.MEMSEEK.waking.quiet_seconds
    wake_index_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk, delay_seconds=pause)


def _outcome(slot: Slot, number: int | None) -> AppendedMessage:
    seq = slot.seq if number is None else number
    if seq is None:
        raise AssertionError("a slot is stored already or was inserted by this call")
    return AppendedMessage(slot.id, seq, slot.ordinal, slot.session, is_new=number is not None)
