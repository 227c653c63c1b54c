"""The first text look-up over live atoms: what memory may hold already about words just read."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db.models import CharField, Value

from memory.models import Atom, Entity
from memory.recall.terms import terms_of

KINDRED_WORDS = Path(__file__).with_name("kindred_words.toml")
KINDRED_WEIGHT = 0.5
"""What a word counts that only speaks of the same matter as one of the text."""
SCAN_LIMIT = 2_000
"""Rows that share a term are weighed for at most so many of the newest."""


def find_candidates(*, entity: Entity, texts: Sequence[str], each: int, total: int) -> list[Atom]:
    """Live atoms that share words or a matter with the texts: the best `each` for every text, `total` in all.

    Rare shared words count most (inverse document frequency over what was found); equal scores are ordered
    by number, so that the same memory gives the same candidates.
    """
    wanted = [_weighted(frozenset(terms_of(text))) for text in texts]
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


def matter_terms(text: str) -> frozenset[str]:
    """The terms of a text with those of the matters that it speaks of: «address» stands for «lives» too."""
    return frozenset(_weighted(frozenset(terms_of(text))))


def _ranked(
    rows: Sequence[Atom], terms: dict[str, float], frequency: Counter[str]
) -> list[tuple[float, Atom]]:
    count = len(rows)
    scored = (
        (
            sum(
                terms[term] * math.log(1 + count / frequency[term])
                for term in terms.keys() & frozenset(row.terms)
            ),
            row,
        )
        for row in rows
    )
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].seq))


def _weighted(terms: frozenset[str]) -> dict[str, float]:
    """The terms of a text, and at a lower weight those of the matters that it speaks of."""
    weights = dict.fromkeys(terms, 1.0)
    for matter in _matters():
        if not terms.isdisjoint(matter):
            weights = {**dict.fromkeys(matter, KINDRED_WEIGHT), **weights}
    return weights


@cache
def _matters() -> tuple[frozenset[str], ...]:
    groups = tomllib.loads(KINDRED_WORDS.read_text(encoding="utf-8"))
    return tuple(frozenset(terms_of(words)) for words in groups.values())
