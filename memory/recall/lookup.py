"""The first text look-up over live atoms: what memory may hold already about words just read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from django.contrib.postgres.fields import ArrayField
from django.db.models import CharField, Value

from memory.models import Atom, Entity
from memory.recall.terms import terms_of

SCAN_LIMIT = 2_000
"""Rows that share a term are weighed for at most so many of the newest."""


def find_candidates(*, entity: Entity, texts: Sequence[str], each: int, total: int) -> list[Atom]:
    """Live atoms that share words with the texts: the best `each` for every text, `total` in all.

    Rare shared words count most (inverse document frequency over what was found); equal scores are ordered
    by number, so that the same memory gives the same candidates.
    """
    wanted = [frozenset(terms_of(text)) for text in texts]
    every = sorted(frozenset().union(*wanted)) if wanted else []
    if not every:
        return []
    shared = Value(every, output_field=ArrayField(CharField(max_length=64)))
    rows = list(
        Atom.objects.for_entity(entity).live().filter(terms__overlap=shared).order_by("-seq")[:SCAN_LIMIT]
    )
    frequency = Counter(term for row in rows for term in set(row.terms))
    best: dict[object, tuple[float, Atom]] = {}
    for terms in wanted:
        for score, row in _ranked(rows, terms, frequency)[:each]:
            if score > best.get(row.pk, (0.0, row))[0]:
                best[row.pk] = (score, row)
    ordered = sorted(best.values(), key=lambda found: (-found[0], found[1].seq))
    return [row for _, row in ordered[:total]]


def _ranked(rows: Sequence[Atom], terms: frozenset[str], frequency: Counter[str]) -> list[tuple[float, Atom]]:
    count = len(rows)
    scored = (
        (sum(math.log(1 + count / frequency[term]) for term in terms.intersection(row.terms)), row)
        for row in rows
    )
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].seq))
