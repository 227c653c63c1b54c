"""The records of the timeline, layer by layer from the rows of named queries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any, Literal, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

from memory import queries
from memory.cascade.rules.sections import SECTION_ORDER, ParsedLine, render_scene
from memory.models import Atom, Authority, Entity, Scene, Trait
from memory.recall.records import Assertion

Collection = Literal["messages", "memories", "scenes", "persona"]
COLLECTIONS: tuple[Collection, ...] = get_args(Collection)
ACTIVE = "active"
SUPERSEDED = "superseded"
SECTIONS = {section.value: section for section in SECTION_ORDER}
AUTHORITIES = {level.value: level.label for level in Authority}
LIVE = Atom.Status.LIVE.value
HOLDING = frozenset({Scene.Status.LIVE.value, Trait.Status.LIVE.value})
REMEMBERED_SCENES = 256

Place = tuple[int, Collection, UUID]
"""A record's number in the one sequence, its layer and its id."""
Row = Sequence[Any]
Statement = tuple[str, Mapping[str, Any]]
"""The name of a query, and its parameters."""


@dataclass(frozen=True, slots=True)
class TimelineRecord:
    """One record of any layer. `key` names what it is a state of: a place, a chain, a scene, a slot.

    `citations` are the ids of what it rests on: messages, atoms, lines, corrections, or the kind and
    reference of something outside.
    """

    id: UUID
    seq: int
    collection: Collection
    type: str
    key: str
    status: str
    text: str
    content: Mapping[str, Any]
    occurred_at: datetime | None
    created_at: datetime
    citations: tuple[str, ...] = ()


def statements_of(entity: Entity, places: Iterable[Place]) -> dict[Collection, Statement]:
    """What reads the rows of these places: one statement for each layer that they are of."""
    ids: dict[Collection, list[UUID]] = defaultdict(list)
    for _, collection, id in places:
        ids[collection].append(id)
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    return {
        collection: (f"timeline_{collection}", {**owner, "rows": queries.array(wanted)})
        for collection, wanted in ids.items()
    }


def records_of(entity: Entity, rows: Mapping[Collection, Iterable[Row]]) -> list[TimelineRecord]:
    """The records of these rows of each layer, newest first."""
    zone = entity.zone
    records = [RECORDS[collection](row, zone) for collection, found in rows.items() for row in found]
    return sorted(records, key=lambda record: record.seq, reverse=True)


def _message(row: Row, zone: ZoneInfo) -> TimelineRecord:
    """L0, with its place in its session."""
    id, seq, text, occurred_at, recorded_at, session, role, speaker, ordinal = row[:9]
    attachment_text, parent, tool_name, tool_calls, tool_call_id, metadata = row[9:]
    return TimelineRecord(
        id=id,
        seq=seq,
        collection="messages",
        type=role,
        key=f"{session}#{ordinal}",
        status=ACTIVE,
        text=text,
        content={
            "role": role,
            "speaker": speaker,
            "ordinal": ordinal,
            "attachment_text": attachment_text,
            "parent": parent,
            "tool_name": tool_name,
            "tool_calls": queries.json_value(tool_calls),
            "tool_call_id": tool_call_id,
            "metadata": queries.json_value(metadata),
            "session_id": session,
        },
        occurred_at=_time(occurred_at),
        created_at=datetime.fromisoformat(recorded_at),
    )


def _memory(row: Row, zone: ZoneInfo) -> TimelineRecord:
    """L1, with the decision that made it and what took its place."""
    id, seq, chain, status, text, occurred_at, created_at, kind = row[:8]
    return TimelineRecord(
        id=id,
        seq=seq,
        collection="memories",
        type=kind,
        key=chain,
        status=ACTIVE if status == LIVE else status,
        text=text,
        content=_memory_content(row, zone),
        occurred_at=_time(occurred_at),
        created_at=datetime.fromisoformat(created_at),
        citations=_once(row[-1]),
    )


def _memory_content(row: Row, zone: ZoneInfo) -> dict[str, Any]:
    kind, priority, decision, merge_reason, topic, subject, scope, authority = row[7:15]
    happened_from, happened_until, last_seen_at, superseded_by = row[15:19]
    return {
        "memory_kind": kind,
        "priority": priority,
        "decision": decision,
        "merge_reason": merge_reason,
        "topic": topic,
        "subject": subject,
        "scope": scope,
        "authority": AUTHORITIES[authority],
        "happened_from": happened_from,
        "happened_until": happened_until,
        "last_seen_at": _time(last_seen_at),
        "superseded_by": superseded_by,
        "assertion": _assertion(row[19:26], zone),
    }


def _assertion(row: Row, zone: ZoneInfo) -> dict[str, Any] | None:
    """What an observed claim asserts, its times in the entity's own zone."""
    subject_kind, subject_id, predicate, value, live_source, valid_from, valid_until = row
    if not predicate:
        return None
    asserted = Assertion(
        subject_kind=subject_kind,
        subject_id=subject_id,
        predicate=predicate,
        value=queries.json_value(value),
        live_source=live_source,
        valid_from=_time(valid_from, zone),
        valid_until=_time(valid_until, zone),
    )
    return asdict(asserted)


def _scene(row: Row, zone: ZoneInfo) -> TimelineRecord:
    """L2: a version as Markdown. It cites what its lines rest on."""
    id, seq, slug, is_head, status, created_at, title, summary, number, heat, slot, said_at, written = row
    lines = json.loads(written) if written else []
    return TimelineRecord(
        id=id,
        seq=seq,
        collection="scenes",
        type="scene",
        key=slug,
        status=_head_status(is_head=is_head, owner=status),
        text=_markdown(title, tuple((section, text) for section, text, _ in lines)),
        content={
            "title": title,
            "summary": summary,
            "version": number,
            "heat": heat,
            "slot": slot,
            "scene_status": status,
        },
        occurred_at=_time(said_at),
        created_at=datetime.fromisoformat(created_at),
        citations=_once(cited for _, _, citations in lines for cited in citations or ()),
    )


@lru_cache(REMEMBERED_SCENES)
def _markdown(title: str, lines: tuple[tuple[str, str], ...]) -> str:
    """The same few scenes are on many pages."""
    return render_scene(title, (ParsedLine(SECTIONS[section], text) for section, text in lines))


def _trait(row: Row, zone: ZoneInfo) -> TimelineRecord:
    """L3: a wording of a trait. It cites scene lines, and is as recent as the words under those."""
    id, seq, slot, is_head, status, text, created_at, number, said_at, citations = row
    return TimelineRecord(
        id=id,
        seq=seq,
        collection="persona",
        type="trait",
        key=slot,
        status=_head_status(is_head=is_head, owner=status),
        text=text,
        content={"slot": slot, "version": number},
        occurred_at=_time(said_at),
        created_at=datetime.fromisoformat(created_at),
        citations=_once(citations),
    )


def _head_status(*, is_head: bool, owner: str) -> str:
    """An earlier version is superseded; the head shares the state of its scene or trait."""
    if not is_head:
        return SUPERSEDED
    return ACTIVE if owner in HOLDING else owner


def _time(told: str | None, zone: tzinfo = UTC) -> datetime | None:
    """A time out of its text: the driver takes ten times as long, and there are hundreds on a page."""
    return datetime.fromisoformat(told).astimezone(zone) if told else None


def _once(citations: Iterable[str] | None) -> tuple[str, ...]:
    """Each citation once, in the order in which they were given."""
    return tuple(dict.fromkeys(citations or ()))


RECORDS: Mapping[Collection, Callable[[Row, ZoneInfo], TimelineRecord]] = {
    "messages": _message,
    "memories": _memory,
    "scenes": _scene,
    "persona": _trait,
}
