"""Results from what was gathered: the rows of all their kinds are read at once, and become what is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from memory import queries
from memory.ingest.recalled import strip_recalled
from memory.models import Authority, Entity, Message
from memory.models.search import Layer
from memory.recall.hits import CitedMessage, Hit
from memory.recall.records import Assertion, OutsideReceipt, SceneRecord


@dataclass(slots=True)
class Group:
    """What will be one result."""

    layer: Layer
    row: UUID
    section: str = ""
    score: float = float("-inf")
    unit: int = 0
    """What found it; the best of several."""
    terms: Mapping[str, float] = field(default_factory=dict)
    messages: list[UUID] = field(default_factory=list)

    def lift(self, score: float, unit: int) -> None:
        """The best of what found it counts."""
        if score > self.score:
            self.score, self.unit = score, unit


def read_hits(
    entity: Entity, groups: Sequence[Group], scenes: Sequence[SceneRecord] | None
) -> tuple[Hit, ...]:
    """The results in the order of their groups; what was erased meanwhile is left out.

    `scenes` are all live ones where the caller has read them.
    """
    return _Reader(entity, groups, scenes).hits()


@dataclass(slots=True)
class _Section:
    """A section of a scene: the scene's title, and its lines by id."""

    title: str
    lines: list[tuple[UUID, str]]


class _Reader:
    """Reads the rows of the results: one statement for each kind of row, whatever their number, at once."""

    def __init__(self, entity: Entity, groups: Sequence[Group], scenes: Sequence[SceneRecord] | None) -> None:
        self._entity = entity
        self._groups = groups
        self._scenes = scenes

    def hits(self) -> tuple[Hit, ...]:
        """The results in the order of their groups; what was erased meanwhile is left out."""
        rows = self._read()
        found: list[Hit] = []
        for group in self._groups:
            if group.layer == Layer.ATOM and group.row in rows.atoms:
                found.append(_atom(group, rows.atoms[group.row], rows.messages, self._entity.zone))
            elif group.layer == Layer.MESSAGE and group.row in rows.messages:
                message = rows.messages[group.row]
                found.append(_raw(group, message, is_superseded=group.row in rows.superseded))
            elif group.layer == Layer.SECTION and (group.row, group.section) in rows.sections:
                found.append(_section(group, rows.sections[group.row, group.section]))
            elif group.layer == Layer.TRAIT and group.row in rows.traits:
                found.append(_trait(group, *rows.traits[group.row]))
        return tuple(found)

    def _rows(self, layer: Layer) -> list[UUID]:
        return [group.row for group in self._groups if group.layer == layer]

    def _read(self) -> _Rows:
        """All kinds of rows at once: there and back once."""
        raw = self._rows(Layer.MESSAGE)
        wanted = {row for group in self._groups for row in group.messages} | set(raw)
        asked: dict[str, dict[str, str]] = {
            "result_atoms": {"rows": queries.array(self._rows(Layer.ATOM))},
            "result_messages": {"rows": queries.array(wanted), "raw": queries.array(raw)},
        }
        scenes, traits = self._rows(Layer.SECTION), self._rows(Layer.TRAIT)
        if scenes and self._scenes is None:
            asked["result_sections"] = {"scenes": queries.array(set(scenes))}
        if traits:
            asked["result_traits"] = {"traits": queries.array(traits)}
        owner = {"workspace": self._entity.workspace_id, "entity": self._entity.pk}
        read = queries.kept_rows(*((name, {**owner, **more}) for name, more in asked.items()))
        found = dict(zip(asked, read, strict=True))
        zone = self._entity.zone
        return _Rows(
            atoms={row[0]: row for row in found["result_atoms"]},
            messages={row[0]: _message(row[:-1], zone) for row in found["result_messages"]},
            superseded=frozenset(row[0] for row in found["result_messages"] if row[-1]),
            sections=_sections(found.get("result_sections", ())) | self._known_sections(frozenset(scenes)),
            traits={row[0]: (row[1], row[2]) for row in found.get("result_traits", ())},
        )

    def _known_sections(self, scenes: frozenset[UUID]) -> dict[tuple[UUID, str], _Section]:
        """Those of scenes that the caller has read."""
        return {
            (scene.id, section.section): _Section(
                scene.title, [(line.id, line.text) for line in section.lines]
            )
            for scene in self._scenes or ()
            if scene.id in scenes
            for section in scene.sections
        }


@dataclass(frozen=True, slots=True)
class _Rows:
    """What results are made of, by the ids of their rows."""

    atoms: Mapping[UUID, tuple[Any, ...]]
    messages: Mapping[UUID, CitedMessage]
    superseded: frozenset[UUID]
    """Messages whose claim no longer holds."""
    sections: Mapping[tuple[UUID, str], _Section]
    """Their standing lines, by scene and section; a line that is due is left out."""
    traits: Mapping[UUID, tuple[str, str]]
    """Their words and slots."""


def _sections(rows: Iterable[Sequence[Any]]) -> dict[tuple[UUID, str], _Section]:
    sections: dict[tuple[UUID, str], _Section] = {}
    for scene, section, title, line, text in rows:
        sections.setdefault((scene, section), _Section(title, [])).lines.append((line, text))
    return sections


def _atom(group: Group, row: Sequence[Any], messages: Mapping[UUID, CitedMessage], zone: ZoneInfo) -> Hit:
    id, text, kind, priority, topic, subject, authority, happened_from, happened_until, occurred_at = row[:10]
    return Hit(
        layer="atom",
        id=id,
        text=text,
        score=group.score,
        terms=group.terms,
        messages=tuple(messages[row] for row in group.messages if row in messages),
        kind=kind,
        priority=priority,
        topic=topic,
        subject=subject,
        authority=Authority(authority).label,
        happened_from=happened_from,
        happened_until=happened_until,
        said_at=occurred_at and occurred_at.astimezone(zone),
        assertion=_assertion(row[10:17], zone),
        scope=row[17],
        outside=_outside(row[18]),
    )


def _assertion(row: Sequence[Any], zone: ZoneInfo) -> Assertion | None:
    """What an observed claim asserts; None for what was taken from words."""
    subject_kind, subject_id, predicate, value, live_source, valid_from, valid_until = row
    if not predicate:
        return None
    return Assertion(
        subject_kind=subject_kind,
        subject_id=subject_id,
        predicate=predicate,
        value=queries.json_value(value),
        live_source=live_source,
        valid_from=valid_from and valid_from.astimezone(zone),
        valid_until=valid_until and valid_until.astimezone(zone),
    )


def _outside(receipts: str | None) -> tuple[OutsideReceipt, ...]:
    found = queries.json_value(receipts) or ()
    return tuple(OutsideReceipt(kind, reference, Authority(level).label) for kind, reference, level in found)


def _message(row: Sequence[Any], zone: ZoneInfo) -> CitedMessage:
    id, session, ordinal, role, speaker, text, attachment_text, occurred_at, metadata = row
    return CitedMessage(
        id=id,
        session=session,
        ordinal=ordinal,
        role=role,
        speaker=speaker,
        text=strip_recalled(text),
        attachment_text=strip_recalled(attachment_text),
        said_at=occurred_at and occurred_at.astimezone(zone),
        metadata=json.loads(metadata),
    )


def cited_message(entity: Entity, message: Message) -> CitedMessage:
    """A message as results show it; its session must have been read with it."""
    return CitedMessage(
        id=message.pk,
        session=message.session.external_id,
        ordinal=message.ordinal,
        role=message.role,
        speaker=message.speaker,
        text=strip_recalled(message.text),
        attachment_text=strip_recalled(message.attachment_text),
        said_at=message.occurred_at and message.occurred_at.astimezone(entity.zone),
        metadata=message.metadata,
    )


def _raw(group: Group, message: CitedMessage, *, is_superseded: bool) -> Hit:
    return Hit(
        layer="message",
        id=group.row,
        text=message.text,
        score=group.score,
        terms=group.terms,
        messages=(message,),
        is_raw=True,
        is_superseded=is_superseded,
        subject=message.speaker,
        said_at=message.said_at,
    )


def _section(group: Group, section: _Section) -> Hit:
    return Hit(
        layer="section",
        id=group.row,
        text="\n".join(text for _, text in section.lines),
        score=group.score,
        terms=group.terms,
        section=group.section,
        title=section.title,
        lines=tuple(line for line, _ in section.lines),
    )


def _trait(group: Group, text: str, slot: str) -> Hit:
    return Hit(
        layer="trait",
        id=group.row,
        text=text,
        score=group.score,
        terms=group.terms,
        kind=slot,
    )
