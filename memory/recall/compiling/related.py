"""What other rooms add to a recollection: values of live claims, and facts of the graph."""

from __future__ import annotations

from memory.claims.graph import Fact, facts_about, seeds_of
from memory.models import Entity
from memory.recall.compiling.compiled import RecalledClaim
from memory.recall.compiling.recollection import Recollection
from memory.recall.compiling.request import CompileRequest

MOST_FACTS = 30


def live_claims(
    entity: Entity, recollection: Recollection, request: CompileRequest
) -> tuple[RecalledClaim, ...]:
    """The live claims among the results with what their sources say now, each within its time limit."""
    return ()


def related_facts(
    entity: Entity, query: str, recollection: Recollection, request: CompileRequest
) -> tuple[Fact, ...]:
    """Facts of the graph around what the query and the results name; nothing where the graph is not asked."""
    depth = request.graph_depth
    if depth is None or not query:
        return ()
    seeds = seeds_of(entity, query, recollection.found.hits)
    return facts_about(entity, seeds=seeds, depth=depth, limit=MOST_FACTS, as_of=request.as_of)
