"""Storing the turns of a conversation, each once, whatever a client sends again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory.cascade.recording import storable
from memory.ingest.access import Access
from memory.ingest.entities import find_entity
from memory.ingest.incoming import (
    MESSAGES_PER_CALL,
    TOOL_CALLS_BYTES_LIMIT,
    TOOL_NAME_LIMIT,
    read_messages,
)
from memory.ingest.messages import record_messages
from memory.ingest.problems import IngestConflict
from memory.ingest.storable import canonical_json
from memory.models import Entity, Session
from memory.models.messages import MESSAGE_TEXT_LIMIT, SPEAKER_LIMIT
from memory.proxy.conversation import Said
from memory.proxy.placing import Place, known_keys

ATTEMPTS = 4
MOST_SEQUELS = 99
CUT_ARGUMENTS_CHARACTERS = 1_000
MOST_CALLS_KEPT = 32


def store_turns(*, access: Access, entity_name: str, place: Place, turns: Sequence[Said]) -> int:
    """Store those turns of a place that are not stored yet; how many there were.

    Whatever else stores the same turns at the same moment, each is stored once. Raises UnknownEntityError and
    IngestError.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _store(access, entity_name, place, turns)
        except IngestConflict:
            # Somebody else has stored some of them meanwhile, or has ended the session.
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")


def _store(access: Access, entity_name: str, place: Place, turns: Sequence[Said]) -> int:
    entity = find_entity(workspace=access.workspace, name=entity_name)
    known = known_keys(entity, place.keys) if entity is not None else frozenset()
    new = [
        index
        for index, (turn, key) in enumerate(zip(turns, place.keys, strict=True))
        if key not in known and not turn.is_blank
    ]
    if not new:
        return 0
    session = _open_session(entity, place.session) if entity is not None else place.session
    live_from = _live_from(turns, place.keys, known)
    items = [
        item
        for index in new
        for item in _items(turns[index], place.keys[index], session, is_live=index >= live_from)
    ]
    for first in range(0, len(items), MESSAGES_PER_CALL):
        batch = read_messages(items[first : first + MESSAGES_PER_CALL])
        record_messages(access=access, entity_name=entity_name, messages=batch)
    return len(new)


def _live_from(turns: Sequence[Said], keys: Sequence[str], known: frozenset[str]) -> int:
    """From which turn on it was said now: behind what is stored, else from the newest of the user.

    What is older and comes for the first time was said nobody knows when.
    """
    stored = [index for index, key in enumerate(keys) if key in known]
    if stored:
        return stored[-1] + 1
    return max((index for index, turn in enumerate(turns) if turn.role == "user"), default=0)


def _open_session(entity: Entity, name: str) -> str:
    """The session of this name, or the next one where it has ended and takes no more words."""
    names = [name, *(f"{name[:120]}~{number}" for number in range(2, MOST_SEQUELS))]
    ended = Session.objects.for_entity(entity).filter(external_id__in=names, ended_at__isnull=False)
    sealed = set(ended.values_list("external_id", flat=True))
    return next(candidate for candidate in names if candidate not in sealed)


def _items(said: Said, key: str, session: str, *, is_live: bool) -> Iterator[dict[str, Any]]:
    """The turn as messages: one, or several where it is longer than a message may be."""
    text = storable(said.text, len(said.text))
    pieces = [text[at : at + MESSAGE_TEXT_LIMIT] for at in range(0, len(text), MESSAGE_TEXT_LIMIT)] or [""]
    for number, piece in enumerate(pieces):
        item: dict[str, Any] = {
            "session": session,
            "role": said.role,
            "text": piece,
            "speaker": storable(said.speaker, SPEAKER_LIMIT),
            "dedupe_key": key if number == 0 else f"{key}:{number}",
            "metadata": _metadata(said, number, len(pieces)),
        }
        if number == 0:
            item |= _tool_fields(said)
        if not is_live:
            item["occurred_at"] = None
        if number == 0 or piece.strip():
            yield item


def _tool_fields(said: Said) -> dict[str, Any]:
    return {
        "tool_calls": stored_calls(said.tool_calls),
        "tool_call_id": storable(said.tool_call_id, TOOL_NAME_LIMIT),
        "tool_name": storable(said.tool_name, TOOL_NAME_LIMIT),
    }


def _metadata(said: Said, number: int, pieces: int) -> dict[str, Any]:
    told: dict[str, Any] = {name: storable(value, 200) for name, value in said.note.items()}
    if said.attachments:
        told["attachments"] = [storable(kind, 32) for kind in said.attachments[:MOST_CALLS_KEPT]]
    if pieces > 1:
        told["part"] = [number + 1, pieces]
    return told


def stored_calls(calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Calls as they may be stored; where they are too large, their arguments are cut."""
    whole = [_storable_call(call, None) for call in calls]
    if len(canonical_json(whole)) <= TOOL_CALLS_BYTES_LIMIT:
        return whole
    return [_storable_call(call, CUT_ARGUMENTS_CHARACTERS) for call in calls[:MOST_CALLS_KEPT]]


def _storable_call(call: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
    """Id, type, name and arguments: nothing else of a call means anything to whoever reads it later."""
    function = call.get("function", call.get("custom"))
    inner = function if isinstance(function, Mapping) else {}
    given = str(inner.get("arguments", inner.get("input", "")))
    return {
        "id": storable(str(call.get("id", "")), TOOL_NAME_LIMIT),
        "type": "function",
        "function": {
            "name": storable(str(inner.get("name", "")), TOOL_NAME_LIMIT),
            "arguments": storable(given, len(given) if limit is None else limit),
        },
    }
