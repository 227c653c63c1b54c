"""Writing units and what is counted of them, in one transaction with the removal of what stood before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory import queries
from memory.indexing.analyser import analyse, length_of
from memory.indexing.drafts import Draft, Key
from memory.indexing.hashing import term_hash
from memory.models import Entity, Layer, SearchUnit

LONGEST = 32_767
"""What a small integer holds: no unit counts as longer, no term as more frequent."""
COLUMN = {
    Layer.MESSAGE: "message_id",
    Layer.ATOM: "atom_id",
    Layer.SECTION: "scene_id",
    Layer.TRAIT: "trait_id",
}


def replace_units(
    entity: Entity, keys: Collection[Key], drafts: Sequence[Draft], languages: Sequence[str]
) -> list[SearchUnit]:
    """Remove the units of the keys and write those of the drafts, counts included."""
    old = list(units_of(entity, keys).values_list("id", "layer", "terms", "length"))
    SearchUnit.objects.filter(pk__in=[row[0] for row in old]).delete()
    units = SearchUnit.objects.bulk_create(
        [unit for draft in drafts if (unit := make_unit(entity, draft, languages)).length]
    )
    terms: Counter[int] = Counter(term for unit in units for term in unit.terms)
    terms.subtract(Counter(term for _, _, old_terms, _ in old for term in old_terms))
    _count_terms(entity, terms)
    _count_layers(entity, old, units)
    return units


def units_of(entity: Entity, keys: Collection[Key]) -> Any:
    """The units that stand for the rows named."""
    wanted = Q(pk__in=[])
    for layer, column in COLUMN.items():
        ids = [row for key_layer, row in keys if key_layer == layer]
        if ids:
            wanted |= Q(layer=layer, **{f"{column}__in": ids})
    return SearchUnit.objects.for_entity(entity).filter(wanted)


def make_unit(entity: Entity, draft: Draft, languages: Sequence[str]) -> SearchUnit:
    """The unit of a draft, not saved."""
    terms = analyse(draft.words, languages=languages)
    counted = hashed_terms(entity.pk, terms)
    unit = SearchUnit(
        workspace_id=entity.workspace_id,
        entity=entity,
        layer=draft.layer,
        section=draft.section,
        session_id=draft.session,
        position=draft.position,
        speaker=draft.speaker.casefold()[:128],
        is_question=draft.is_question,
        own_length=min(LONGEST, length_of(analyse(draft.own_words, languages=languages))),
        occurred_at=draft.occurred_at,
        terms=list(counted),
        frequencies=[min(LONGEST, count) for count in counted.values()],
        length=min(LONGEST, length_of(terms)),
    )
    setattr(unit, COLUMN[draft.layer], draft.row)
    return unit


def hashed_terms(entity_id: UUID, counted: Mapping[str, int]) -> dict[int, int]:
    """Terms as the entity's own hashes, in ascending order."""
    salt = entity_id.bytes
    hashed: Counter[int] = Counter()
    for term, count in counted.items():
        hashed[hash_of(salt, term)] += count
    return dict(sorted(hashed.items()))


@lru_cache(maxsize=200_000)
def hash_of(salt: bytes, term: str) -> int:
    """A term's hash; the words of a conversation come again and again."""
    return term_hash(salt, term)


def _count_terms(entity: Entity, change: Counter[int]) -> None:
    more = {term: count for term, count in change.items() if count > 0}
    fewer = {term: -count for term, count in change.items() if count < 0}
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    if more:
        queries.run("add_term_counts", **owner, terms=list(more), units=list(more.values()))
    if fewer:
        queries.rows("take_term_counts", **owner, terms=list(fewer), units=list(fewer.values()))
        queries.run("forget_term_counts", **owner, terms=list(fewer))


def _count_layers(
    entity: Entity, old: Sequence[tuple[int, int, list[int], int]], new: Sequence[SearchUnit]
) -> None:
    units: Counter[int] = Counter(unit.layer for unit in new)
    lengths: Counter[int] = Counter()
    for unit in new:
        lengths[unit.layer] += unit.length
    for _, layer, _, length in old:
        units[layer] -= 1
        lengths[layer] -= length
    for layer in sorted(units):
        queries.run(
            "add_layer_count",
            workspace=entity.workspace_id,
            entity=entity.pk,
            layer=int(layer),
            units=units[layer],
            length=lengths[layer],
        )
