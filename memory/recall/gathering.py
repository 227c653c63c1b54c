"""From scored units to results: an atom and the messages it cites are one, and what is shown is read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.ingest.recalled import strip_recalled
from memory.models import Atom, Entity, Message, SceneVersion, TraitVersion, VersionLine
from memory.models.search import Layer
from memory.recall.covering import Covering, cover
from memory.recall.fusion import Candidate
from memory.recall.hits import CitedMessage, Hit

LOOKED_AT = 4
"""So many times the wanted results are gathered, since several units may become one."""

Scored = Mapping[int, Mapping[str, float]]


@dataclass(slots=True)
class _Group:
    """What will be one result."""

    layer: Layer
    row: UUID
    section: str = ""
    score: float = float("-inf")
    terms: Mapping[str, float] = field(default_factory=dict)
    messages: list[UUID] = field(default_factory=list)

    def lift(self, score: float, terms: Mapping[str, float]) -> None:
        """The best of what found it counts."""
        if score > self.score:
            self.score, self.terms = score, terms


def gather(entity: Entity, candidates: Sequence[Candidate], scored: Scored, *, limit: int) -> tuple[Hit, ...]:
    """The best results, in their order: by score, then by unit."""
    ranked = sorted(candidates, key=lambda found: (-sum(scored[found.unit].values()), found.unit))
    ranked = ranked[: limit * LOOKED_AT]
    groups = _groups(entity, ranked, scored)
    best = sorted(groups, key=lambda group: -group.score)[:limit]
    return _Reader(entity, best).hits()


def _groups(entity: Entity, ranked: Sequence[Candidate], scored: Scored) -> list[_Group]:
    """Groups in the order in which they were found first."""
    covering = cover(
        entity,
        messages=[candidate.row for candidate in ranked if candidate.layer == Layer.MESSAGE],
        atoms=[candidate.row for candidate in ranked if candidate.layer == Layer.ATOM],
    )
    groups: dict[tuple[Layer, UUID, str], _Group] = {}
    for candidate in ranked:
        terms = scored[candidate.unit]
        for layer, row in _stands_for(candidate, covering):
            group = groups.setdefault((layer, row, candidate.section), _Group(layer, row, candidate.section))
            group.lift(sum(terms.values()), terms)
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


class _Reader:
    """Reads the rows of the results: one statement for each kind of row, whatever their number."""

    def __init__(self, entity: Entity, groups: Sequence[_Group]) -> None:
        self._entity = entity
        self._groups = groups

    def hits(self) -> tuple[Hit, ...]:
        """The results in the order of their groups; what was erased meanwhile is left out."""
        atoms = Atom.objects.for_entity(self._entity).live().in_bulk(self._rows(Layer.ATOM))
        messages = self._messages()
        sections = self._sections()
        traits = self._traits()
        found: list[Hit] = []
        for group in self._groups:
            if group.layer == Layer.ATOM and group.row in atoms:
                found.append(self._atom(group, atoms[group.row], messages))
            elif group.layer == Layer.MESSAGE and group.row in messages:
                found.append(_raw(group, messages[group.row]))
            elif group.layer == Layer.SECTION and (group.row, group.section) in sections:
                found.append(_section(group, *sections[group.row, group.section]))
            elif group.layer == Layer.TRAIT and group.row in traits:
                found.append(_trait(group, traits[group.row]))
        return tuple(found)

    def _rows(self, layer: Layer) -> list[UUID]:
        return [group.row for group in self._groups if group.layer == layer]

    def _messages(self) -> dict[UUID, CitedMessage]:
        wanted = {row for group in self._groups for row in group.messages} | set(self._rows(Layer.MESSAGE))
        rows = Message.objects.for_entity(self._entity).filter(pk__in=wanted).select_related("session")
        return {row.pk: cited_message(self._entity, row) for row in rows}

    def _sections(self) -> dict[tuple[UUID, str], tuple[SceneVersion, list[VersionLine]]]:
        """Standing lines of the sections found; a line that is due is left out."""
        from memory.recall.ladder import standing_places

        scenes = self._rows(Layer.SECTION)
        if not scenes:
            return {}
        rows = SceneVersion.objects.for_entity(self._entity).live().filter(scene__in=scenes)
        heads = {head.pk: head for head in rows}
        sections: dict[tuple[UUID, str], tuple[SceneVersion, list[VersionLine]]] = {}
        for place in standing_places(heads):
            head = heads[place.version_id]
            sections.setdefault((head.scene_id, place.line.section), (head, []))[1].append(place)
        return sections

    def _traits(self) -> dict[UUID, TraitVersion]:
        traits = self._rows(Layer.TRAIT)
        if not traits:
            return {}
        rows = TraitVersion.objects.for_entity(self._entity).live().filter(trait__in=traits)
        return {version.trait_id: version for version in rows.select_related("trait")}

    def _atom(self, group: _Group, atom: Atom, messages: Mapping[UUID, CitedMessage]) -> Hit:
        zone = self._entity.zone
        return Hit(
            layer="atom",
            id=atom.pk,
            text=atom.text,
            score=group.score,
            terms=group.terms,
            messages=tuple(messages[row] for row in group.messages if row in messages),
            kind=atom.kind,
            priority=atom.priority,
            topic=atom.topic,
            subject=atom.subject,
            authority=atom.get_authority_display(),
            happened_from=atom.happened_from,
            happened_until=atom.happened_until,
            said_at=atom.occurred_at and atom.occurred_at.astimezone(zone),
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


def _raw(group: _Group, message: CitedMessage) -> Hit:
    return Hit(
        layer="message",
        id=group.row,
        text=message.text,
        score=group.score,
        terms=group.terms,
        messages=(message,),
        is_raw=True,
        subject=message.speaker,
        said_at=message.said_at,
    )


def _section(group: _Group, head: SceneVersion, places: Sequence[VersionLine]) -> Hit:
    return Hit(
        layer="section",
        id=group.row,
        text="\n".join(place.line.text for place in places),
        score=group.score,
        terms=group.terms,
        section=group.section,
        title=head.title,
        lines=tuple(place.line_id for place in places),
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
