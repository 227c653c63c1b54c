"""What the room of claims adds to a recollection: values of live claims, and facts of the graph."""

from __future__ import annotations

from dataclasses import replace

from memory.claims.graph import Fact
from memory.claims.graph_recall import recall_facts
from memory.claims.live import LiveFact, fetch_live
from memory.models import Entity
from memory.recall.compiling.compiled import RecalledClaim
from memory.recall.compiling.recollection import Recollection
from memory.recall.compiling.request import CompileRequest

MOST_FACTS = 30
MOST_LIVE = 12
"""Of the live claims among the results the first ones are fetched."""
NOT_ASKED = "was not asked for"


def live_claims(
    entity: Entity, recollection: Recollection, request: CompileRequest
) -> tuple[RecalledClaim, ...]:
    """The live claims among the results with what their sources say now, each within its time limit."""
    places = {hit.id: place for place, hit in enumerate(recollection.found.hits)}
    wanted = [claim for claim in recollection.claims.values() if claim.live_source]
    wanted.sort(key=lambda claim: places.get(claim.id, len(places)))
    if not request.uses_live:
        return tuple(replace(claim, live_state="unavailable", problem=NOT_ASKED) for claim in wanted)
    told = {fact.atom_id: fact for fact in fetch_live(entity, wanted[:MOST_LIVE])}
    return tuple(_with(claim, told[claim.id]) for claim in wanted if claim.id in told)


def _with(claim: RecalledClaim, fact: LiveFact) -> RecalledClaim:
    state = "unavailable" if not fact.is_available else "cached" if fact.is_cached else "fetched"
    return replace(
        claim,
        value=fact.value,
        text=fact.text,
        live_state=state,
        fetched_at=fact.fetched_at,
        problem=fact.reason,
    )


def related_facts(
    entity: Entity, query: str, recollection: Recollection, request: CompileRequest
) -> tuple[Fact, ...]:
    """Facts of the graph around what the query and the results name; nothing where the graph is not asked."""
    depth = request.graph_depth
    if depth is None or not query:
        return ()
    return recall_facts(
        entity,
        query,
        hits=recollection.found.hits,
        depth=depth,
        limit=MOST_FACTS,
        as_of=request.as_of,
    )
