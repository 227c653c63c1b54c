"""What the index step has not reached: such rows are read and scored, so that the newest words are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.indexing.analyser import analyse, length_of
from memory.indexing.drafts import Draft, draw_drafts
from memory.indexing.units import hashed_terms
from memory.models import Entity
from memory.models.search import Layer
from memory.recall.arms import K1, B, Filters, IndexCounts
from memory.recall.fusion import Candidate

ALWAYS_FOUND = 8
"""The very newest rows are candidates without a word of the query: what was just said may answer it."""
TAIL_LIMIT = 500
"""So many of the newest waiting rows are scanned; with more, the answer says that the scan was not whole."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What was found among the rows that wait."""

    candidates: list[Candidate] = field(default_factory=list)
    count: int = 0
    is_whole: bool = True


def scan_unindexed(
    entity: Entity,
    terms: Mapping[int, float],
    counts: IndexCounts,
    filters: Filters,
    languages: Sequence[str],
) -> Tail:
    """Score the waiting rows that were read with the index's own counts, by words and by these counts."""
    if not counts.waiting:
        return Tail()
    rows: dict[Layer, list[UUID]] = {}
    for layer, row in dict.fromkeys(counts.waiting[:TAIL_LIMIT]):
        rows.setdefault(layer, []).append(row)
    drafts = [draft for draft in draw_drafts(entity, rows) if _passes(draft, filters)]
    candidates = [
        _candidate(entity, -place, draft, terms, counts, languages)
        for place, draft in enumerate(drafts, start=1)
    ]
    newest = frozenset(counts.waiting[:ALWAYS_FOUND])
    found = [
        candidate for candidate in candidates if candidate.words or (candidate.layer, candidate.row) in newest
    ]
    return Tail(found, len(drafts), len(counts.waiting) <= TAIL_LIMIT)


def _passes(draft: Draft, filters: Filters) -> bool:
    if filters.session is not None and draft.session != filters.session:
        return False
    if filters.since is not None and (draft.occurred_at is None or draft.occurred_at < filters.since):
        return False
    if filters.until is not None and (draft.occurred_at is None or draft.occurred_at >= filters.until):
        return False
    if draft.layer != Layer.ATOM:
        return True
    return (not filters.kinds or draft.kind in filters.kinds) and (
        not filters.topics or draft.topic in filters.topics
    )


def _candidate(
    entity: Entity,
    unit: int,
    draft: Draft,
    terms: Mapping[int, float],
    counts: IndexCounts,
    languages: Sequence[str],
) -> Candidate:
    found = analyse(draft.words, languages=languages)
    held = hashed_terms(entity.pk, found)
    length = length_of(found)
    average = counts.average(draft.layer) if counts.units.get(draft.layer) else max(1.0, length)
    words = sum(
        weight
        * counts.rarity(term)
        * held[term]
        * (K1 + 1)
        / (held[term] + K1 * (1 - B + B * length / average))
        for term, weight in terms.items()
        if term in held
    )
    return Candidate(
        unit=unit,
        layer=draft.layer,
        row=draft.row,
        section=draft.section,
        session=draft.session,
        position=draft.position,
        speaker=draft.speaker.casefold(),
        is_question=draft.is_question,
        own_length=length_of(analyse(draft.own_words, languages=languages)),
        words=words,
    )
