"""What of a call is stored already: at most two statements, whatever the size of call and session."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q

from memory import queries
from memory.ingest.incoming import IncomingMessage
from memory.ingest.payload import content_hashes
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
        transcripts=_transcripts(entity, sessions, messages, candidates),
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
    entity: Entity,
    sessions: Mapping[str, Session],
    messages: Sequence[IncomingMessage],
    candidates: Mapping[str, Sequence[int]],
) -> dict[str, list[Slot]]:
    """The beginnings of the candidates, each one longer than what a resent transcript could repeat.

    Where nothing was ever erased, those that begin with other words are left out: most calls go on with a
    session, and its beginning would be read for nothing each time.
    """
    asked = [
        {
            "id": str(sessions[name].pk),
            "name": name,
            "wanted": len(indexes) + 1,
            "contents": [digest.hex() for digest in content_hashes(messages[indexes[0]])],
        }
        for name, indexes in candidates.items()
        if sessions[name].next_ordinal
    ]
    found: dict[str, list[Slot]] = defaultdict(list)
    if asked:
        is_whole = any(getattr(session, "has_tombstones", False) for session in sessions.values())
        owner = {"workspace": entity.workspace_id, "entity": entity.pk}
        [rows] = queries.kept_rows(
            ("session_beginnings", {**owner, "sessions": json.dumps(asked), "is_whole": is_whole})
        )
        for slot in _read(rows):
            found[slot.session].append(slot)
    return dict(found)


def _slots(rows: MessageQuerySet) -> list[Slot]:
    return _read(rows.values_list(*_COLUMNS))


def _read(rows: Iterable[tuple[Any, ...]]) -> list[Slot]:
    return [
        Slot(id, seq, session, ordinal, dedupe_key, bytes(digest))
        for id, seq, session, ordinal, dedupe_key, digest in rows
    ]
