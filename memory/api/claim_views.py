"""Claims: what somebody asserts, listed and in its history, and the policies that decide about it."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import claim_bodies as bodies
from memory.api.authentication import CanRead
from memory.api.claim_requests import ClaimGiven, ClaimsAsked, HistoryAsked, ObservationGiven
from memory.api.cursors import read_number_cursor
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.session_views import ReadOrWrite
from memory.api.views import JsonView
from memory.claims.observing import Observed, observe, observe_with
from memory.claims.policies import rules_of
from memory.claims.reading import claim_history, list_claims

OBSERVED = {201: "It made a claim.", 200: "It is held already, or is not kept."}


def _told(entity_name: str, observed: Observed) -> Response:
    return Response(bodies.observed_body(entity_name, observed), status=201 if observed.is_new else 200)


class ClaimsView(ReadOrWrite):
    """`GET` and `POST /claims`."""

    @operation("List claims", query=ClaimsAsked, returns=bodies.ClaimsBody)
    def get(self, request: Request) -> Response:
        """A page of the claims that a filter lets through, in the order in which they were made."""
        asked = read_query(ClaimsAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_number_cursor(asked.after, "claims")
        page = list_claims(entity, asked.wanted(), after=after, limit=asked.limit)
        return Response(bodies.claims_body(entity, page))

    @operation(
        "Observe a claim",
        body=ClaimGiven,
        returns=bodies.ObservedBody,
        status=OBSERVED,
    )
    def post(self, request: Request) -> Response:
        """Observe: 201 when it made a claim, 200 when it was held already or is not kept."""
        given = read_body(ClaimGiven, cast(dict[str, Any], request.data))
        observed = observe_with(
            access=self.access(), entity_name=given.entity, observation=given.observation()
        )
        return _told(given.entity, observed)


class SessionClaimsView(ReadOrWrite):
    """`POST /sessions/{id}/claims`."""

    @operation(
        "Observe a claim in a session",
        body=ObservationGiven,
        returns=bodies.ObservedBody,
        status=OBSERVED,
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        """Observe for the entity of a session."""
        given = read_body(ObservationGiven, cast(dict[str, Any], request.data))
        entity = self.session(session_id).entity
        return _told(entity.name, observe(entity=entity, observation=given.observation()))


class ClaimHistoryView(JsonView):
    """`GET /claims/{id}/history`."""

    permission_classes = [CanRead]

    @operation("Read the history of a claim", query=HistoryAsked, returns=bodies.ClaimHistoryBody)
    def get(self, request: Request, claim_id: UUID) -> Response:
        """All that was said about the matter of a claim, each with its state and its evidence."""
        read_query(HistoryAsked, request.query_params)
        entity, history = claim_history(self.access(), claim_id)
        return Response(bodies.history_body(entity, claim_id, history))


class PoliciesView(JsonView):
    """`GET /policies`."""

    permission_classes = [CanRead]

    @operation("List policies", query=HistoryAsked, returns=bodies.PoliciesBody)
    def get(self, request: Request) -> Response:
        """What the key's workspace decided about predicates; an agent may look before it observes."""
        read_query(HistoryAsked, request.query_params)
        return Response(bodies.policies_body(rules_of(self.access().workspace.pk)))
