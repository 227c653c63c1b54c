"""The graph: facts with their evidence, and bringing it up to date."""

from __future__ import annotations

from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import graph_bodies as bodies
from memory.api.authentication import CanRead, CanWrite
from memory.api.graph_requests import FactsAsked, RefreshAsked
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.views import JsonView
from memory.claims.graph import Fact, facts_about, seed_of
from memory.claims.graph_recall import recall_facts
from memory.claims.promotion import PromotionWorker
from memory.limiting.rates import Kind
from memory.models import Entity

REFRESH_BATCHES = 10
"""What a caller may wait for, 5,000 atoms; workers do the rest."""


class GraphView(JsonView):
    """`GET /graph`."""

    permission_classes = [CanRead]

    @operation("Read facts of the graph", query=FactsAsked, returns=bodies.GraphBody)
    def get(self, request: Request) -> Response:
        """Facts that speak of a query, or those around a thing; `truncated` says whether there are more."""
        asked = read_query(FactsAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        facts = _facts(entity, asked)
        return Response(bodies.graph_body(entity, facts, asked.limit))


class GraphRefreshView(JsonView):
    """`POST /graph/refresh`."""

    is_repeatable = True
    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanWrite]

    @operation("Bring the graph up to date", body=RefreshAsked, returns=bodies.RefreshBody)
    def post(self, request: Request) -> Response:
        """Promote now what waits of an entity; `waiting` counts what is left to workers."""
        asked = read_body(RefreshAsked, cast(dict[str, Any], request.data))
        entity = self.access().entity(asked.entity)
        done = PromotionWorker(entity, most_batches=REFRESH_BATCHES).run_once()
        return Response(bodies.refresh_body(entity, done))


def _facts(entity: Entity, asked: FactsAsked) -> tuple[Fact, ...]:
    """One more than is shown, if there are more."""
    limit = asked.limit + 1
    if asked.query is not None:
        return recall_facts(entity, asked.query, depth=asked.depth, limit=limit, as_of=asked.as_of)
    seeds = seed_of(entity, kind=asked.subject_kind or "", identifier=asked.subject_id or "")
    return facts_about(entity, seeds=seeds, depth=asked.depth, limit=limit, as_of=asked.as_of)
