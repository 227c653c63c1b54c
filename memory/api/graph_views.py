"""The graph: facts with their evidence, and bringing it up to date."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanRead, CanWrite
from memory.api.graph_requests import FactsAsked, RefreshAsked
from memory.api.reading import read_body, read_query
from memory.api.views import JsonView
from memory.claims.graph import Fact, facts_about, seed_of
from memory.claims.graph_recall import recall_facts
from memory.claims.promotion import PromotionWorker
from memory.models import Entity

REFRESH_BATCHES = 10
"""What a caller may wait for, 5,000 atoms; workers do the rest."""


class GraphView(JsonView):
    """`GET /graph`."""

    permission_classes = [CanRead]

    def get(self, request: Request) -> Response:
        """Facts that speak of a query, or those around a thing; `truncated` says whether there are more."""
        asked = read_query(FactsAsked, request.query_params)
        entity = self.access().entity(asked.entity)
        facts = _facts(entity, asked)
        return Response(
            {
                "entity": entity.name,
                "facts": [asdict(fact) for fact in facts[: asked.limit]],
                "nodes": _nodes(facts[: asked.limit]),
                "truncated": len(facts) > asked.limit,
            }
        )


class GraphRefreshView(JsonView):
    """`POST /graph/refresh`."""

    permission_classes = [CanWrite]

    def post(self, request: Request) -> Response:
        """Promote now what waits of an entity; `waiting` counts what is left to workers."""
        asked = read_body(RefreshAsked, cast(dict[str, Any], request.data))
        entity = self.access().entity(asked.entity)
        done = asdict(PromotionWorker(entity, most_batches=REFRESH_BATCHES).run_once())
        del done["entities"]
        return Response({"entity": entity.name, **done})


def _facts(entity: Entity, asked: FactsAsked) -> tuple[Fact, ...]:
    """One more than is shown, if there are more."""
    limit = asked.limit + 1
    if asked.query is not None:
        return recall_facts(entity, asked.query, depth=asked.depth, limit=limit, as_of=asked.as_of)
    seeds = seed_of(entity, kind=asked.subject_kind or "", identifier=asked.subject_id or "")
    return facts_about(entity, seeds=seeds, depth=asked.depth, limit=limit, as_of=asked.as_of)


def _nodes(facts: tuple[Fact, ...]) -> list[dict[str, Any]]:
    """Every thing that the facts speak of, once, in the order of the facts."""
    found = {node.id: node for fact in facts for node in (fact.subject, fact.object) if node is not None}
    return [asdict(node) for node in found.values()]
