"""Which messages of a call were erased before: an import or a retry does not revive them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memory.ingest.incoming import IncomingMessage
from memory.ingest.payload import content_hashes
from memory.ingest.placement import Known, is_beginning, transcript_sessions
from memory.ingest.tombstones import Kind, buried
from memory.models import Entity, Session


def find_erased(
    entity: Entity,
    sessions: Mapping[str, Session],
    messages: Sequence[IncomingMessage],
    known: Known,
    *,
    may_resend: bool,
) -> frozenset[int]:
    """The indexes of messages that were erased; at most one statement, none where nothing was ever erased.

    A message goes by its dedupe key; by what it says only where it claims to be a certain one: with an
    ordinal, with a key and a time of its own, or in a transcript that begins as the session does. What is
    said live is new, even in words that were erased. Call it with the sessions locked.
    """
    if not any(getattr(session, "has_tombstones", False) for session in sessions.values()):
        return frozenset()
    alone = {
        index: claims for index, message in enumerate(messages) if (claims := [*_claims(message, known)])
    }
    sent = transcript_sessions(messages) if may_resend else {}
    hashes = {index: content_hashes(messages[index]) for indexes in sent.values() for index in indexes}
    repeated: dict[int, list[tuple[Kind, bytes]]] = {
        index: [("content", digest) for digest in digests] for index, digests in hashes.items()
    }
    found = buried(entity, {**alone, **repeated})
    lost = {
        index
        for session, indexes in sent.items()
        if not _is_resent(
            [hashes[index] for index in indexes if index not in found], session, indexes, found, known
        )
        for index in indexes
    }
    return found - lost


def _claims(message: IncomingMessage, known: Known) -> Iterator[tuple[Kind, bytes]]:
    """What a message goes by that says which one it is, unless that is stored."""
    key, ordinal = message.dedupe_key, message.ordinal
    for slot in known.slots:
        if key is not None and slot.dedupe_key == key:
            return
        if ordinal is not None and (slot.session, slot.ordinal) == (message.session, ordinal):
            return
    if key is not None:
        yield "key", key.encode()
    if ordinal is not None or (key is not None and not message.is_said_now):
        for digest in content_hashes(message):
            yield "content", digest


def _is_resent(
    left: Sequence[Sequence[bytes]], session: str, indexes: Sequence[int], found: frozenset[int], known: Known
) -> bool:
    """Whether what is left of a batch begins as the session does now, or the session lost its beginning."""
    stored = [slot.content_hash for slot in known.transcripts.get(session, ())]
    if not stored:
        return indexes[0] in found
    return is_beginning(stored, left[: len(stored)])
