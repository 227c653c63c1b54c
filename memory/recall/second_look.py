"""The second look: around what was found first, where an answer that lies in several places goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory import queries
from memory.llm.embedders.queries import QueryVector
from memory.llm.embedders.vectors import halfvec_text
from memory.models import Entity
from memory.models.search import Layer
from memory.recall.arms import Filters, candidate_of
from memory.recall.fusion import Candidate, Relation, Scores, ranked

SEEDS = 8
"""So many of the first finds are looked around."""
TURNS_AROUND = 2
CLAIMS_OF_EACH = 5
"""The newest claims of each topic and each day of the seeds."""
MOST_RELATED = 30


def look_around(
    entity: Entity,
    candidates: Sequence[Candidate],
    scores: Scores,
    vector: QueryVector,
    filters: Filters,
    *,
    milliseconds: int,
) -> list[Candidate] | None:
    """Units related to the best candidates that no arm has found, in the order of units; one statement.

    Related are turns close to a found one in its session, and live claims of its topic or of the day on which
    it happened. The filters hold for them too. Of many those nearest to the query are given, `MOST_RELATED`
    at most. None when the time limit was reached.
    """
    seeds = [found for found in ranked(candidates, scores) if found.layer in (Layer.MESSAGE, Layer.ATOM)]
    if not seeds:
        return []
    found = queries.rows_within(
        milliseconds,
        "search_related",
        keeps_plan=True,
        workspace=entity.workspace_id,
        entity=entity.pk,
        messages=queries.array(seed.row for seed in seeds[:SEEDS] if seed.layer == Layer.MESSAGE),
        atoms=queries.array(seed.row for seed in seeds[:SEEDS] if seed.layer == Layer.ATOM),
        known=queries.array(candidate.unit for candidate in candidates),
        vector=None if vector.vector is None else halfvec_text(vector.vector),
        space=vector.space,
        turns=TURNS_AROUND,
        each=CLAIMS_OF_EACH,
        limit=MOST_RELATED,
        **filters.parameters(),
    )
    return None if found is None else sorted(map(_related, found), key=lambda candidate: candidate.unit)


def _related(row: tuple[Any, ...]) -> Candidate:
    similarity = row[12]
    candidate = candidate_of(row, similarity=None if similarity is None else float(similarity))
    return replace(candidate, relation=Relation(*row[13:16]))
