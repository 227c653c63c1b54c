"""The two arms of search, each within its own time limit: words (BM25) and meaning (vectors)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import queries
from memory.indexing.units import hash_of
from memory.indexing.vector_index import NearIndex, index_prefix, search_width
from memory.models import Entity
from memory.models.search import Layer
from memory.recall.fusion import Candidate

K1 = 1.2
B = 0.75
POSTINGS_CAP = 1_000
"""Candidates come from the rarest words of a query until they would be more than this."""
MOST_CANDIDATES = 4_000
"""A query of one common word is answered from so many of the newest units."""
SAMPLED_PLACES, SAMPLED_IN_A_ROW = 48, 4
"""Where not all vectors are compared, so many at so many places in the memory tell mean and spread."""
LAYERS = tuple(Layer)
ROW_COLUMN = {Layer.MESSAGE: 2, Layer.ATOM: 3, Layer.SECTION: 4, Layer.TRAIT: 6}


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the memory is looked at."""

    layers: tuple[Layer, ...] = tuple(Layer)
    session: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    kinds: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """They may leave a small part of a memory."""
        return bool(self.session or self.since or self.until or self.kinds or self.topics)

    @property
    def is_about_claims(self) -> bool:
        """They ask for claims of some kinds or topics; words count for the claims that they stand for."""
        return bool(self.kinds or self.topics)

    def admits_claim(self, kind: str, topic: str) -> bool:
        """Whether a claim is of the kinds and topics that are asked for."""
        return (not self.kinds or kind in self.kinds) and (not self.topics or topic in self.topics)

    def parameters(self) -> dict[str, Any]:
        """As the named queries take them."""
        return {
            "layers": [int(layer) for layer in self.layers],
            "session": self.session,
            "since": self.since,
            "until": self.until,
            "kinds": list(self.kinds) or None,
            "topics": list(self.topics) or None,
        }


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """What the entity's index counts about a query."""

    units: Mapping[Layer, int] = field(default_factory=dict)
    lengths: Mapping[Layer, int] = field(default_factory=dict)
    holding: Mapping[int, int] = field(default_factory=dict)
    """In how many units each hashed term stands."""
    near_indexes: Mapping[str, NearIndex] = field(default_factory=dict)
    """The entity's own vector indexes, by the name of their space."""
    waiting: tuple[tuple[Layer, UUID], ...] = ()
    """The rows that the index does not hold yet, the newest first; one may wait several times."""

    @property
    def total(self) -> int:
        """Units of all layers."""
        return sum(self.units.values())

    def average(self, layer: Layer) -> float:
        """Average length of a layer's units; 1 when it has none."""
        return max(1.0, self.lengths.get(layer, 0) / max(1, self.units.get(layer, 0)))

    def rarity(self, term: int) -> float:
        """Inverse document frequency, never negative (as in Lucene)."""
        holding = min(self.holding.get(term, 0), self.total)
        return math.log(1 + (self.total - holding + 0.5) / (holding + 0.5))


def count_index(
    entity: Entity, terms: Sequence[int], *, layers: Sequence[Layer] = (), most_waiting: int = 0
) -> IndexCounts:
    """Read the counts in one statement, with so many of the rows of some layers that wait."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    asked = {
        "terms": queries.array(terms),
        "index": index_prefix(entity.pk),
        "layers": queries.array(map(int, layers)),
        "most_waiting": most_waiting,
    }
    [found] = queries.kept_rows(("search_counts", {**owner, **asked}))
    waiting = sorted((id, Layer(layer), UUID(row)) for sort, layer, id, _, row in found if sort == "waiting")
    by_layer = [(Layer(number), units, length) for sort, number, units, length, _ in found if sort == "layer"]
    width = search_width(sum(units for _, units, _ in by_layer))
    return IndexCounts(
        units={layer: units for layer, units, _ in by_layer},
        lengths={layer: int(length) for layer, _, length in by_layer},
        holding={term: units for sort, term, units, _, _ in found if sort == "term"},
        near_indexes={
            space: NearIndex(number, dimensions, width)
            for sort, number, dimensions, _, space in found
            if sort == "near"
        },
        waiting=tuple((layer, row) for _, layer, row in reversed(waiting)),
    )


def hashed_query(entity: Entity, terms: Mapping[str, float]) -> dict[int, float]:
    """A query's terms as the entity's hashes, with their weights."""
    return {hash_of(entity.pk.bytes, term): weight for term, weight in terms.items()}


def rarest_terms(counts: IndexCounts, terms: Mapping[int, float], *, cap: int = POSTINGS_CAP) -> list[int]:
    """The rarest terms that the index holds, for as long as their postings stay under the cap."""
    held = sorted((counts.holding[term], term) for term in terms if counts.holding.get(term))
    rare: list[int] = []
    total = 0
    for holding, term in held:
        if rare and total + holding > cap:
            break
        rare.append(term)
        total += holding
    return rare


def find_by_words(
    entity: Entity,
    terms: Mapping[int, float],
    counts: IndexCounts,
    filters: Filters,
    *,
    limit: int,
    milliseconds: int,
    cap: int = POSTINGS_CAP,
    most: int = MOST_CANDIDATES,
    meanwhile: Callable[[], object] | None = None,
) -> list[Candidate] | None:
    """The best `limit` units of each layer by BM25; None when the time limit was reached.

    `meanwhile` is called while the server looks for them, where it is asked at all.
    """
    held = {term: weight for term, weight in terms.items() if counts.holding.get(term)}
    rare = rarest_terms(counts, held, cap=cap)
    if not rare:
        return []
    found = queries.rows_within(
        milliseconds,
        "search_words",
        workspace=entity.workspace_id,
        entity=entity.pk,
        entities=queries.array([entity.pk]),
        terms=queries.array(held),
        weights=queries.array(weight * counts.rarity(term) for term, weight in held.items()),
        rare=queries.array(rare),
        lengths=queries.array(counts.average(layer) for layer in Layer),
        k1=K1,
        b=B,
        most=most,
        limit=limit,
        meanwhile=meanwhile,
        **filters.parameters(),
    )
    return None if found is None else [candidate_of(row, words=float(row[12])) for row in found]


@dataclass(frozen=True, slots=True)
class Usual:
    """Mean and spread of the similarities to a query: what a single one is judged against."""

    mean: float = 0.0
    spread: float = 1.0


@dataclass(frozen=True, slots=True)
class Near:
    """What the vector arm found."""

    candidates: list[Candidate]
    """Units that were not known."""
    similarities: Mapping[int, float]
    """How near the known units are, by unit; those without a vector are missing."""
    usual: Usual


NOTHING_NEAR = Near([], {}, Usual())


def find_by_meaning(
    entity: Entity,
    vector: str,
    space: str,
    known: Sequence[Candidate],
    filters: Filters,
    *,
    limit: int,
    milliseconds: int,
    index: NearIndex | None = None,
) -> Near | None:
    """The nearest units, and how near the known ones are; None when the time limit was reached.

    All vectors are compared unless the entity has an index of its own for the space, and whenever the filters
    are narrow: an index would find the nearest of all, and they may all be outside.
    """
    parameters = {
        "workspace": entity.workspace_id,
        "vector": vector,
        "known": queries.array(candidate.unit for candidate in known),
        "limit": limit,
        **filters.parameters(),
    }
    if index is None or filters.is_narrow:
        parameters |= {"entity": entity.pk, "space": space, "is_narrow": filters.is_narrow}
        found = queries.rows_within(milliseconds, "search_vectors", keeps_plan=True, **parameters)
    else:
        found = queries.rows_within(
            milliseconds,
            "search_vectors_by_index",
            literals={"entity": entity.pk, "space": index.space_id, "dimensions": index.dimensions},
            settings_of_server={"hnsw.ef_search": str(index.search_width)},
            places=SAMPLED_PLACES,
            in_a_row=SAMPLED_IN_A_ROW,
            **parameters,
        )
    return None if found is None else _near(found)


def _near(found: Sequence[tuple[Any, ...]]) -> Near:
    if not found:
        return NOTHING_NEAR
    return Near(
        [candidate_of(row, similarity=float(row[12])) for row in found if row[1] is not None],
        {row[0]: float(row[12]) for row in found if row[1] is None},
        Usual(float(found[0][13] or 0.0), float(found[0][14] or 1.0)),
    )


def candidate_of(row: tuple[Any, ...], *, words: float = 0.0, similarity: float | None = None) -> Candidate:
    """A candidate from the first twelve columns that every search statement gives."""
    layer = LAYERS[row[1]]
    return Candidate(
        unit=row[0],
        layer=layer,
        row=row[ROW_COLUMN[layer]],
        section=row[5],
        session=row[7],
        position=row[8],
        speaker=row[9],
        is_question=row[10],
        own_length=row[11],
        words=words,
        similarity=similarity,
    )


def merged(by_words: Sequence[Candidate], near: Near) -> list[Candidate]:
    """Both arms' candidates, each unit once with what either says of it, in the order of units."""
    for candidate in by_words:
        candidate.similarity = near.similarities.get(candidate.unit)
    return sorted((*by_words, *near.candidates), key=lambda candidate: candidate.unit)
