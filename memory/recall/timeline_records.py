"""The records of the timeline, read layer by layer from their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from django.db.models import Max

from memory.cascade.rules.sections import SECTION_ORDER, ParsedLine, render_scene
from memory.models import (
    Atom,
    Entity,
    Evidence,
    Line,
    Message,
    Scene,
    SceneVersion,
    Trait,
    TraitVersion,
    VersionLine,
)
from memory.recall.atoms import assertion

Collection = Literal["messages", "memories", "scenes", "persona"]
COLLECTIONS: tuple[Collection, ...] = get_args(Collection)
ACTIVE = "active"
SUPERSEDED = "superseded"
SECTIONS = {section.value: section for section in SECTION_ORDER}

SAID = (
    *("role", "speaker", "ordinal", "attachment_text", "parent", "tool_name", "tool_calls", "tool_call_id"),
    "metadata",
)
"""What a message's content tells, under the names of its columns, beside the name of its session."""
_TARGETS = ("message_id", "atom_id", "line_id", "correction_id")


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


@dataclass(frozen=True, slots=True)
class _Receipts:
    """What a derived row rests on, and when the latest of its atoms was said."""

    citations: tuple[str, ...]
    said_at: datetime | None


NO_RECEIPTS = _Receipts((), None)


def message_records(entity: Entity, ids: Sequence[UUID]) -> Iterable[TimelineRecord]:
    """L0, with its place in its session."""
    rows = Message.objects.for_entity(entity).filter(pk__in=ids)
    # A page is a hundred of them: making models of the rows would take longer than reading them.
    for id, seq, text, occurred_at, recorded_at, session, *said in rows.values_list(
        "id", "seq", "text", "occurred_at", "recorded_at", "session__external_id", *SAID
    ):
        told = dict(zip(SAID, said, strict=True))
        yield TimelineRecord(
            id=id,
            seq=seq,
            collection="messages",
            type=told["role"],
            key=f"{session}#{told['ordinal']}",
            status=ACTIVE,
            text=text,
            content={**told, "session_id": session},
            occurred_at=occurred_at,
            created_at=recorded_at,
        )


def memory_records(entity: Entity, ids: Sequence[UUID]) -> Iterable[TimelineRecord]:
    """L1, with the decision that made it and what took its place."""
    receipts = _receipts(entity, "of_atom_id", ids)
    for row in Atom.objects.for_entity(entity).filter(pk__in=ids):
        yield TimelineRecord(
            id=row.pk,
            seq=row.seq,
            collection="memories",
            type=row.kind,
            key=str(row.chain_id),
            status=ACTIVE if row.status == Atom.Status.LIVE else row.status,
            text=row.text,
            content=_memory_content(row, entity),
            occurred_at=row.occurred_at,
            created_at=row.created_at,
            citations=receipts.get(row.pk, NO_RECEIPTS).citations,
        )


def _memory_content(row: Atom, entity: Entity) -> dict[str, Any]:
    asserted = assertion(row, entity)
    return {
        "memory_kind": row.kind,
        "priority": row.priority,
        "decision": row.decision,
        "merge_reason": row.merge_reason,
        "topic": row.topic,
        "subject": row.subject,
        "scope": row.scope,
        "authority": row.get_authority_display(),
        "happened_from": row.happened_from,
        "happened_until": row.happened_until,
        "last_seen_at": row.last_seen_at,
        "superseded_by": row.superseded_by_id,
        "assertion": asdict(asserted) if asserted is not None else None,
    }


def scene_records(entity: Entity, ids: Sequence[UUID]) -> Iterable[TimelineRecord]:
    """L2: versions as Markdown. They cite what their lines rest on."""
    lines = _lines(entity, ids)
    receipts = _receipts(entity, "of_line_id", [line.pk for found in lines.values() for line in found])
    for row in SceneVersion.objects.for_entity(entity).filter(pk__in=ids).select_related("scene"):
        rests_on = _joined(receipts.get(line.pk, NO_RECEIPTS) for line in lines[row.pk])
        yield TimelineRecord(
            id=row.pk,
            seq=row.seq,
            collection="scenes",
            type="scene",
            key=row.scene.slug,
            status=_head_status(is_head=row.is_head, owner=row.scene.status),
            text=render_scene(
                row.title, (ParsedLine(SECTIONS[line.section], line.text) for line in lines[row.pk])
            ),
            content=_scene_content(row),
            occurred_at=rests_on.said_at,
            created_at=row.created_at,
            citations=rests_on.citations,
        )


def _scene_content(row: SceneVersion) -> dict[str, Any]:
    return {
        "title": row.title,
        "summary": row.summary,
        "version": row.number,
        "heat": row.scene.heat,
        "slot": row.scene.slot,
        "scene_status": row.scene.status,
    }


def trait_records(entity: Entity, ids: Sequence[UUID]) -> Iterable[TimelineRecord]:
    """L3: wordings of traits. They cite scene lines, and are as recent as the words under those."""
    receipts = _receipts(entity, "of_trait_version_id", ids)
    rows = TraitVersion.objects.for_entity(entity).filter(pk__in=ids).select_related("trait")
    for row in rows.annotate(said_at=Max("evidence__line__evidence__atom__occurred_at")):
        yield TimelineRecord(
            id=row.pk,
            seq=row.seq,
            collection="persona",
            type="trait",
            key=row.trait.slot,
            status=_head_status(is_head=row.is_head, owner=row.trait.status),
            text=row.text,
            content={"slot": row.trait.slot, "version": row.number},
            occurred_at=row.said_at,  # type: ignore[attr-defined]  # annotated above
            created_at=row.created_at,
            citations=receipts.get(row.pk, NO_RECEIPTS).citations,
        )


def _head_status(*, is_head: bool, owner: str) -> str:
    """An earlier version is superseded; the head shares the state of its scene or trait."""
    if not is_head:
        return SUPERSEDED
    return ACTIVE if owner in {Scene.Status.LIVE.value, Trait.Status.LIVE.value} else owner


def _lines(entity: Entity, versions: Sequence[UUID]) -> dict[UUID, list[Line]]:
    found: dict[UUID, list[Line]] = defaultdict(list)
    places = VersionLine.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, version__in=versions
    )
    for place in places.select_related("line").order_by("version", "position"):
        found[place.version_id].append(place.line)
    return found


def _receipts(entity: Entity, derived: str, ids: Sequence[UUID]) -> dict[UUID, _Receipts]:
    """Receipts by derived row, in the order in which they were given."""
    found: dict[UUID, list[_Receipts]] = defaultdict(list)
    rows = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, **{f"{derived}__in": ids}
    ).order_by("pk")
    columns = (derived, "atom__occurred_at", *_TARGETS, "outside_kind", "outside_reference")
    for owner, said_at, *targets, outside_kind, outside_reference in rows.values_list(*columns):
        outside = [f"{outside_kind}:{outside_reference}"] if outside_kind else []
        cited = [str(target) for target in targets if target is not None] + outside
        found[owner].append(_Receipts(tuple(cited), said_at))
    return {owner: _joined(receipts) for owner, receipts in found.items()}


def _joined(receipts: Iterable[_Receipts]) -> _Receipts:
    """Several lists of receipts as one: each citation once, the latest time."""
    gathered = list(receipts)
    cited = dict.fromkeys(citation for one in gathered for citation in one.citations)
    times = [one.said_at for one in gathered if one.said_at is not None]
    return _Receipts(tuple(cited), max(times, default=None))


READERS: Mapping[Collection, Callable[[Entity, Sequence[UUID]], Iterable[TimelineRecord]]] = {
    "messages": message_records,
    "memories": memory_records,
    "scenes": scene_records,
    "persona": trait_records,
}
