"""From scored units to results: an atom and the messages it cites are one, and what is shown is read once."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memory.cascade.designs import Weights
from memory.models import Entity
from memory.models.search import Layer
from memory.recall.arms import Filters
from memory.recall.covering import Covering, cover
from memory.recall.fusion import Candidate, Scores, lift_together, ranked, standardised
from memory.recall.hits import Hit
from memory.recall.records import SceneRecord
from memory.recall.results import Group, read_hits

LOOKED_AT = 4
"""So many times the wanted results are gathered, since several units may become one."""


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
    return read_hits(entity, best, scenes)


def _lift_topics(groups: Sequence[Group], covering: Covering, weights: Weights) -> None:
    """What was found under one topic lifts the rest of that topic, also what the second look added to it."""
    topics = [covering.topics.get(group.row, "") for group in groups]
    scores = standardised([group.score for group in groups])
    for group, topic, together in zip(groups, topics, lift_together(topics, scores), strict=True):
        if topic:
            lift = weights.topic * together
            group.terms = {"topic": lift}
            group.score += lift


def _groups(candidates: Sequence[Candidate], scores: Scores, covering: Covering) -> list[Group]:
    """Groups in the order in which they were found first."""
    groups: dict[tuple[UUID, str], Group] = {}
    for candidate in candidates:
        for layer, row in _stands_for(candidate, covering):
            # The ids of all layers differ: row and section name a group.
            group = groups.get((row, candidate.section))
            if group is None:
                group = groups[row, candidate.section] = Group(layer, row, candidate.section)
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
