"""What a call adds to the database, there and back once: messages, growth of sessions, event, due time.

Most of what storing takes is the way there, so it is one named query whose plan is kept, and no models.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memory import queries
from memory.ingest.folding import asks_for_fold
from memory.ingest.incoming import IncomingMessage
from memory.ingest.payload import is_extractable
from memory.ingest.placement import Slot
from memory.models import Entity, Session, Step

OPTIONAL = ("speaker", "text", "attachment_text", "tool_name", "tool_calls", "tool_call_id", "metadata")
"""Columns of a message that are empty where it says nothing of them."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was added."""

    numbers: Mapping[UUID, int]
    """Of the new messages, by their ids."""
    asked: Sequence[Session]
    """Sessions that have grown long enough to be folded."""
    was_marked: bool
    """Whether extraction was not due before."""


def write_messages(
    entity: Entity,
    sessions: Mapping[str, Session],
    messages: Sequence[IncomingMessage],
    new: Mapping[int, Slot],
    *,
    wakes: bool,
) -> Written:
    """Within a transaction: add the new messages of locked sessions, by their index, and what goes with them.

    `wakes` marks extraction due, if there is something to learn. Where sessions go on is set on them too.
    """
    rows = list(_rows(sessions, messages, new))
    asked = _grow(sessions, new.values())
    grown = [
        {"id": str(row.pk), "next_ordinal": row.next_ordinal, "asks_for_fold": row in asked}
        for row in (sessions[name] for name in dict.fromkeys(slot.session for slot in new.values()))
    ]
    is_due = wakes and any(row["is_extractable"] for row in rows)
    values = {
        "workspace": entity.workspace_id,
        "entity": entity.pk,
        "messages": _json(rows),
        "sessions": _json(grown),
        "event": _json({"messages": [row["id"] for row in rows]}),
        "step": Step.L1_EXTRACT.value if is_due else None,
    }
    [added] = queries.kept_rows(("message_add", values))
    numbers = {id: number for id, number, _ in added}
    return Written(numbers, asked, was_marked=any(was_marked for *_, was_marked in added))


def _rows(
    sessions: Mapping[str, Session], messages: Sequence[IncomingMessage], new: Mapping[int, Slot]
) -> Iterator[dict[str, Any]]:
    now = datetime.now(UTC).isoformat()
    for place, (index, slot) in enumerate(new.items()):
        message = messages[index]
        row: dict[str, Any] = {
            "place": place,
            "id": str(slot.id),
            "session": str(sessions[slot.session].pk),
            "ordinal": slot.ordinal,
            "role": message.role,
            "content_hash": slot.content_hash.hex(),
            "dedupe_key": message.dedupe_key,
            "is_extractable": is_extractable(message),
        }
        if message.is_said_now:
            row["occurred_at"] = now
        elif message.occurred_at is not None:
            row["occurred_at"] = message.occurred_at.isoformat()
        if message.parent is not None:
            row["parent"] = str(message.parent)
        row.update({name: value for name in OPTIONAL if (value := getattr(message, name))})
        yield row


def _grow(sessions: Mapping[str, Session], new: Iterable[Slot]) -> list[Session]:
    """Set where each session goes on; gives those that are to be folded."""
    added: Counter[str] = Counter()
    for slot in new:
        added[slot.session] += 1
        row = sessions[slot.session]
        row.next_ordinal = max(row.next_ordinal, slot.ordinal + 1)
    return [sessions[name] for name, count in added.items() if asks_for_fold(sessions[name], added=count)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
