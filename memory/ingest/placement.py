"""Which messages of a call are stored already, and where the new ones go. Pure: no database is asked here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import contains
from uuid import UUID

from memory.ingest.incoming import IncomingMessage
from memory.ingest.payload import content_hashes
from memory.ingest.problems import IngestConflict, IngestError, Problem
from memory.models.base import new_id


@dataclass(frozen=True, slots=True)
class Slot:
    """A message's identity and place. `seq` is None while it waits to be inserted."""

    id: UUID
    seq: int | None
    session: str
    ordinal: int
    dedupe_key: str | None
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class OpenSession:
    """What placing has to know of a locked session."""

    next_ordinal: int
    is_sealed: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored: by key, by place, and from their beginning the sessions a transcript may repeat."""

    slots: Sequence[Slot] = ()
    transcripts: Mapping[str, Sequence[Slot]] = field(default_factory=dict)
    parents: frozenset[UUID] = frozenset()


def transcript_sessions(messages: Sequence[IncomingMessage]) -> dict[str, list[int]]:
    """Sessions whose messages in this call may be a resent transcript, with their indexes.

    A lone message is new words; keys and ordinals already say which message is which.
    """
    found: dict[str, list[int]] = defaultdict(list)
    addressed = {m.session for m in messages if m.ordinal is not None or m.dedupe_key is not None}
    for index, message in enumerate(messages):
        if message.session not in addressed:
            found[message.session].append(index)
    return {session: indexes for session, indexes in found.items() if len(indexes) > 1}


def place(
    messages: Sequence[IncomingMessage],
    *,
    sessions: Mapping[str, OpenSession],
    known: Known,
    erased: frozenset[int] = frozenset(),
) -> dict[int, Slot]:
    """A slot for every message that was not erased, by index in their order; new ones have no `seq` yet.

    Raises IngestConflict where a key or ordinal stands for other words and for a new message in a sealed
    session, IngestError for an unknown parent.
    """
    hashes = [content_hashes(message) for message in messages]
    placing = _Placing(sessions, known, _highest_ordinals(messages))
    repeated = _repeated(messages, hashes, known.transcripts, erased)
    slots = {
        index: repeated.get(index) or placing.place(index, message, hashes[index])
        for index, message in enumerate(messages)
        if index not in erased
    }
    if placing.problems:
        raise IngestError(placing.problems)
    if placing.conflicts:
        raise IngestConflict(placing.conflicts)
    return slots


def _highest_ordinals(messages: Iterable[IncomingMessage]) -> dict[str, int]:
    highest: dict[str, int] = {}
    for message in messages:
        if message.ordinal is not None:
            highest[message.session] = max(message.ordinal, highest.get(message.session, 0))
    return highest


def _repeated(
    messages: Sequence[IncomingMessage],
    hashes: Sequence[Sequence[bytes]],
    transcripts: Mapping[str, Sequence[Slot]],
    erased: frozenset[int],
) -> dict[int, Slot]:
    """Slots by index for the beginning of each resent transcript."""
    repeated: dict[int, Slot] = {}
    for session, sent in transcript_sessions(messages).items():
        indexes = [index for index in sent if index not in erased]
        stored = transcripts.get(session, ())
        beginning = [hashes[index] for index in indexes[: len(stored)]]
        if is_beginning([slot.content_hash for slot in stored], beginning):
            repeated |= dict(zip(indexes, stored, strict=False))
    return repeated


def is_beginning(stored: Sequence[bytes], sent: Sequence[Sequence[bytes]]) -> bool:
    """Whether these messages, each by its possible hashes, are the stored ones and no fewer."""
    return len(stored) == len(sent) and all(map(contains, sent, stored))


class _Placing:
    """One call's placing: what is known grows by what the call itself adds."""

    def __init__(
        self, sessions: Mapping[str, OpenSession], known: Known, highest_ordinals: Mapping[str, int]
    ) -> None:
        self.problems: list[Problem] = []
        self.conflicts: list[Problem] = []
        self._sessions = sessions
        self._parents = known.parents
        self._by_key: dict[str, Slot] = {}
        self._by_place: dict[tuple[str, int], Slot] = {}
        self._next = {
            name: max(session.next_ordinal, highest_ordinals.get(name, -1) + 1)
            for name, session in sessions.items()
        }
        for slot in known.slots:
            self._remember(slot)

    def place(self, index: int, message: IncomingMessage, digests: Sequence[bytes]) -> Slot:
        """The slot of what is stored already, or a new one."""
        candidates = self._candidates(message)
        if not candidates:
            return self._new_slot(index, message, digests[0])
        for name, slot in candidates.items():
            if not _is_same(message, digests, slot):
                self.conflicts.append(Problem(index, name, "already stands for another message"))
        return next(iter(candidates.values()))

    def _candidates(self, message: IncomingMessage) -> dict[str, Slot]:
        """What stands under the message's key and ordinal, by the name of the field that found it."""
        found: dict[str, Slot] = {}
        if message.dedupe_key in self._by_key:
            found["dedupe_key"] = self._by_key[message.dedupe_key]
        if message.ordinal is not None and (message.session, message.ordinal) in self._by_place:
            found["ordinal"] = self._by_place[message.session, message.ordinal]
        return found

    def _new_slot(self, index: int, message: IncomingMessage, digest: bytes) -> Slot:
        if self._sessions[message.session].is_sealed:
            self.conflicts.append(Problem(index, "session", "has ended and takes no more messages"))
        if message.parent is not None and message.parent not in self._parents:
            self.problems.append(Problem(index, "parent", "is no stored message of this entity"))
        ordinal = message.ordinal
        if ordinal is None:
            ordinal = self._next[message.session]
            self._next[message.session] += 1
        slot = Slot(new_id(), None, message.session, ordinal, message.dedupe_key, digest)
        self._remember(slot)
        return slot

    def _remember(self, slot: Slot) -> None:
        self._by_place[slot.session, slot.ordinal] = slot
        if slot.dedupe_key is not None:
            self._by_key[slot.dedupe_key] = slot


def _is_same(message: IncomingMessage, digests: Sequence[bytes], slot: Slot) -> bool:
    """Same words, and no address of the message contradicts the slot's."""
    has_other_key = (
        None not in (message.dedupe_key, slot.dedupe_key) and message.dedupe_key != slot.dedupe_key
    )
    has_other_place = message.ordinal is not None and message.ordinal != slot.ordinal
    return slot.content_hash in digests and not has_other_key and not has_other_place
