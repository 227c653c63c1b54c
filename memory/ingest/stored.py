"""What of a call is stored already: at most two statements, whatever the size of call and session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q

from memory.ingest.incoming import IncomingMessage
from memory.ingest.placement import Known, Slot, transcript_sessions
from memory.models import Entity, Message, Session
from memory.models.messages import MessageQuerySet

_COLUMNS = ("id", "seq", "session__external_id", "ordinal", "dedupe_key", "content_hash")


def find_known(
    entity: Entity,
    sessions: Mapping[str, Session],
    messages: Sequence[IncomingMessage],
    *,
    may_resend: bool = True,
) -> Known:
    """Look up keys, ordinals, parents and transcripts; call it with the sessions locked."""
    slots = _addressed(entity, sessions, messages)
    candidates = transcript_sessions(messages) if may_resend else {}
    return Known(
        slots=slots,
        transcripts=_transcripts(entity, sessions, candidates),
        parents=frozenset(slot.id for slot in slots),
    )


def _addressed(
    entity: Entity, sessions: Mapping[str, Session], messages: Sequence[IncomingMessage]
) -> list[Slot]:
    keys = {message.dedupe_key for message in messages if message.dedupe_key is not None}
    parents = {message.parent for message in messages if message.parent is not None}
    ordinals: dict[str, set[int]] = defaultdict(set)
    for message in messages:
        if message.ordinal is not None:
            ordinals[message.session].add(message.ordinal)
    if not (keys or parents or ordinals):
        return []
    wanted = Q(dedupe_key__in=keys) | Q(pk__in=parents)
    for name, numbers in ordinals.items():
        wanted |= Q(session=sessions[name].pk, ordinal__in=numbers)
    return _slots(Message.objects.for_entity(entity).filter(wanted).order_by())


def _transcripts(
    entity: Entity, sessions: Mapping[str, Session], candidates: Mapping[str, Sequence[int]]
) -> dict[str, list[Slot]]:
    """The beginnings of the candidates, each one longer than what a resent transcript could repeat."""
    beginnings = [
        Message.objects.for_entity(entity)
        .filter(session=sessions[name].pk)
        .order_by("ordinal")[: len(indexes) + 1]
        .values_list(*_COLUMNS)
        for name, indexes in candidates.items()
        if sessions[name].next_ordinal
    ]
    found: dict[str, list[Slot]] = defaultdict(list)
    if beginnings:
        first, *others = beginnings
        for slot in _read(first.union(*others, all=True) if others else first):
            found[slot.session].append(slot)
    return {name: sorted(slots, key=lambda slot: slot.ordinal) for name, slots in found.items()}


def _slots(rows: MessageQuerySet) -> list[Slot]:
    return _read(rows.values_list(*_COLUMNS))


def _read(rows: Iterable[tuple[Any, ...]]) -> list[Slot]:
    return [
        Slot(id, seq, session, ordinal, dedupe_key, bytes(digest))
        for id, seq, session, ordinal, dedupe_key, digest in rows
    ]
