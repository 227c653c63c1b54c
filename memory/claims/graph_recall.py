"""Recall from the graph: the facts that speak of a query, with what lies around them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.claims.graph import MOST_FACTS, Fact, facts_about, seeds_of
from memory.indexing.analyser import analyse, query_terms
from memory.models import Entity
from memory.recall.hits import Hit

LOOKED_AT, LEAST_LOOKED_AT = 4, 60
"""So many times the wanted facts are compared with the query, and never fewer than so many."""
LANGUAGES = ("en",)
"""Predicates are English by custom; a word of another language is compared as it is written."""


def recall_facts(
    entity: Entity,
    query: str,
    *,
    hits: Iterable[Hit] = (),
    depth: int = 1,
    limit: int = 20,
    as_of: datetime | None = None,
) -> tuple[Fact, ...]:
    """At most `limit` facts that hold at a time (now, if none is given), the best first; two statements.

    The walk begins at what the query names, and at what the atoms among `hits` say, the best first. Without
    either there is nothing to tell. A fact that a hit says comes first, then those that share the rarest
    words with the query, then the nearer ones. `depth` is that of `facts_about`.
    """
    found = tuple(hits)
    seeds = seeds_of(entity, query, found)
    looked_at = min(MOST_FACTS, max(LEAST_LOOKED_AT, LOOKED_AT * limit))
    facts = facts_about(entity, seeds=seeds, depth=depth, limit=looked_at, as_of=as_of)
    return rank_facts(facts, query, found)[:limit]


def rank_facts(facts: Sequence[Fact], query: str, hits: Sequence[Hit] = ()) -> tuple[Fact, ...]:
    """The same facts by what they have to say about a query; equal ones stay in their order. Pure."""
    places = {hit.id: place for place, hit in enumerate(hits)}
    asked = query_terms(query, languages=LANGUAGES)
    words = [_words(fact) for fact in facts]
    holding = Counter(word for found in words for word in found if word in asked)
    scores = [
        sum(weight * _rarity(holding[word], len(facts)) for word, weight in asked.items() if word in found)
        for found in words
    ]
    order = sorted(
        range(len(facts)),
        key=lambda i: (places.get(facts[i].atom, len(places)), -round(scores[i], 9), facts[i].distance, i),
    )
    return tuple(facts[i] for i in order)


def _rarity(holding: int, total: int) -> float:
    """Inverse document frequency among the facts at hand, never negative: what all share tells none apart."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _words(fact: Fact) -> frozenset[str]:
    thing = f"{fact.object.kind} {fact.object.identifier}" if fact.object else ""
    predicate = fact.predicate.replace(".", " ").replace("_", " ")
    told = f"{fact.text} {predicate} {thing}"
    return frozenset(analyse(told, languages=LANGUAGES))
