"""From scored units to results: an atom and the messages it cites are one, and what is shown is read once."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np

from memory import queries
from memory.cascade.designs import Weights
from memory.ingest.recalled import strip_recalled
from memory.models import Authority, Entity, Message, SceneVersion, TraitVersion
from memory.models.search import Layer
from memory.recall.arms import Filters
from memory.recall.covering import Covering, cover
from memory.recall.fusion import Candidate, Scores, lift_together, ranked, standardised
from memory.recall.hits import CitedMessage, Hit
from memory.recall.records import Assertion, OutsideReceipt, SceneRecord

LOOKED_AT = 4
"""So many times the wanted results are gathered, since several units may become one."""


@dataclass(slots=True)
class _Group:
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


def gather(
    entity: Entity,
    candidates: Sequence[Candidate],
    scores: Scores,
    *,
    filters: Filters,
    weights: Weights,
    limit: int,
    scenes: Sequence[SceneRecord] | None = None,
) -> tuple[Hit, ...]:
    """The best results, in their order: by score, then by unit.

    `scenes` are all live ones where the caller has read them: sections are taken from there.
    """
    best_units = ranked(candidates, scores)[: limit * LOOKED_AT]
    covering = cover(
        entity,
        filters,
        messages=[candidate.row for candidate in best_units if candidate.layer == Layer.MESSAGE],
        atoms=[candidate.row for candidate in best_units if candidate.layer == Layer.ATOM],
    )
    groups = _groups(best_units, scores, covering)
    if filters.is_about_claims:
        groups = [group for group in groups if group.layer == Layer.ATOM]
    _lift_topics(groups, covering, weights)
    best = sorted(groups, key=lambda group: -group.score)[:limit]
    for group in best:
        group.terms = {**scores.terms(group.unit), **group.terms}
    return _Reader(entity, best, scenes).hits()


def _lift_topics(groups: Sequence[_Group], covering: Covering, weights: Weights) -> None:
    """What was found under one topic lifts the rest of that topic, also what the second look added to it."""
    topics = [covering.topics.get(group.row, "") for group in groups]
    scores = standardised(np.array([group.score for group in groups]))
    lifts = weights.topic * lift_together(topics, scores)
    for group, topic, lift in zip(groups, topics, lifts.tolist(), strict=True):
        if topic:
            group.terms = {"topic": lift}
            group.score += lift


def _groups(candidates: Sequence[Candidate], scores: Scores, covering: Covering) -> list[_Group]:
    """Groups in the order in which they were found first."""
    groups: dict[tuple[UUID, str], _Group] = {}
    for candidate in candidates:
        for layer, row in _stands_for(candidate, covering):
            # The ids of all layers differ: row and section name a group.
            group = groups.get((row, candidate.section))
            if group is None:
                group = groups[row, candidate.section] = _Group(layer, row, candidate.section)
            group.lift(scores.totals[candidate.unit], candidate.unit)
            if candidate.row in covering.cited.get(row, ()) and candidate.row not in group.messages:
                group.messages.append(candidate.row)
    for group in groups.values():
        group.messages += [row for row in covering.cited.get(group.row, ()) if row not in group.messages]
    return list(groups.values())


def _stands_for(candidate: Candidate, covering: Covering) -> list[tuple[Layer, UUID]]:
    """A message that live claims cover stands for them; anything else for itself."""
    if candidate.layer == Layer.MESSAGE and (claims := covering.claims_of(candidate.row)):
        return [(Layer.ATOM, claim) for claim in claims]
    return [(candidate.layer, candidate.row)]


@dataclass(slots=True)
class _Section:
    """A section of a scene: the scene's title, and its lines by id."""

    title: str
    lines: list[tuple[UUID, str]]


class _Reader:
    """Reads the rows of the results: one statement for each kind of row, whatever their number."""

    def __init__(
        self, entity: Entity, groups: Sequence[_Group], scenes: Sequence[SceneRecord] | None
    ) -> None:
        self._entity = entity
        self._groups = groups
        self._scenes = scenes

    def hits(self) -> tuple[Hit, ...]:
        """The results in the order of their groups; what was erased meanwhile is left out."""
        atoms, messages, superseded = self._atoms_and_messages()
        sections = self._sections()
        traits = self._traits()
        found: list[Hit] = []
        for group in self._groups:
            if group.layer == Layer.ATOM and group.row in atoms:
                found.append(_atom(group, atoms[group.row], messages, self._entity.zone))
            elif group.layer == Layer.MESSAGE and group.row in messages:
                found.append(_raw(group, messages[group.row], is_superseded=group.row in superseded))
            elif group.layer == Layer.SECTION and (group.row, group.section) in sections:
                found.append(_section(group, sections[group.row, group.section]))
            elif group.layer == Layer.TRAIT and group.row in traits:
                found.append(_trait(group, traits[group.row]))
        return tuple(found)

    def _rows(self, layer: Layer) -> list[UUID]:
        return [group.row for group in self._groups if group.layer == layer]

    def _atoms_and_messages(
        self,
    ) -> tuple[dict[UUID, tuple[Any, ...]], dict[UUID, CitedMessage], frozenset[UUID]]:
        """Both at once, since most results are of both; and the messages whose claim no longer holds."""
        owner = {"workspace": self._entity.workspace_id, "entity": self._entity.pk}
        raw = self._rows(Layer.MESSAGE)
        wanted = {row for group in self._groups for row in group.messages} | set(raw)
        atoms, messages = queries.kept_rows(
            ("result_atoms", {**owner, "rows": queries.array(self._rows(Layer.ATOM))}),
            ("result_messages", {**owner, "rows": queries.array(wanted), "raw": queries.array(raw)}),
        )
        zone = self._entity.zone
        return (
            {row[0]: row for row in atoms},
            {row[0]: _message(row[:-1], zone) for row in messages},
            frozenset(row[0] for row in messages if row[-1]),
        )

    def _sections(self) -> dict[tuple[UUID, str], _Section]:
        """Standing lines of the sections found; a line that is due is left out."""
        wanted = frozenset(self._rows(Layer.SECTION))
        if not wanted:
            return {}
        if self._scenes is None:
            return self._read_sections(wanted)
        return {
            (scene.id, section.section): _Section(
                scene.title, [(line.id, line.text) for line in section.lines]
            )
            for scene in self._scenes
            if scene.id in wanted
            for section in scene.sections
        }

    def _read_sections(self, scenes: Collection[UUID]) -> dict[tuple[UUID, str], _Section]:
        from memory.recall.ladder import standing_places

        rows = SceneVersion.objects.for_entity(self._entity).live().filter(scene__in=scenes)
        heads = {head.pk: head for head in rows}
        sections: dict[tuple[UUID, str], _Section] = {}
        for place in standing_places(heads):
            head = heads[place.version_id]
            section = sections.setdefault((head.scene_id, place.line.section), _Section(head.title, []))
            section.lines.append((place.line_id, place.line.text))
        return sections

    def _traits(self) -> dict[UUID, TraitVersion]:
        traits = self._rows(Layer.TRAIT)
        if not traits:
            return {}
        rows = TraitVersion.objects.for_entity(self._entity).live().filter(trait__in=traits)
        return {version.trait_id: version for version in rows.select_related("trait")}


def _atom(group: _Group, row: Sequence[Any], messages: Mapping[UUID, CitedMessage], zone: ZoneInfo) -> Hit:
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


def _raw(group: _Group, message: CitedMessage, *, is_superseded: bool) -> Hit:
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


def _section(group: _Group, section: _Section) -> Hit:
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


def _trait(group: _Group, version: TraitVersion) -> Hit:
    return Hit(
        layer="trait",
        id=group.row,
        text=version.text,
        score=group.score,
        terms=group.terms,
        kind=version.trait.slot,
    )
