"""Forgetting and erasing: asked first, confirmed with a token, and told afterwards.

Whoever may write may ask what a request to forget means; taking memory away needs scope admin.
"""

from __future__ import annotations

from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import forget_bodies as bodies
from memory.api.authentication import CanAdmin, CanWrite
from memory.api.cursors import read_id_cursor
from memory.api.forget_requests import (
    EraseAsked,
    EraseConfirmed,
    ErasuresAsked,
    ForgetAsked,
    ForgetConfirmed,
)
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.views import JsonView
from memory.limiting.rates import Kind
from memory.models import Entity
from memory.stewardship.actors import Actor
from memory.stewardship.erasing import erase, plan_erasure, planned, token_of
from memory.stewardship.erasures import list_erasures, sessions_named
from memory.stewardship.forgetting import confirm_forgetting, propose_forgetting


class _ActingView(JsonView):
    def actor(self) -> Actor:
        """The bearer of the key."""
        return Actor(key=self.access().key)

    def body(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.request.data)


class ForgetView(_ActingView):
    """`POST /forget`."""

    is_repeatable = True
    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanWrite]

    @operation("Ask what a request to forget means", body=ForgetAsked, returns=bodies.ProposalBody)
    def post(self, request: Request) -> Response:
        """What the words mean, with all that depends on it, and a token; erases nothing."""
        asked = read_body(ForgetAsked, self.body())
        entity = self.access().entity(asked.entity)
        proposal = propose_forgetting(entity=entity, words=asked.text, actor=self.actor(), keep=asked.keep)
        return Response(bodies.proposal_body(entity.name, proposal))


class ForgetConfirmView(_ActingView):
    """`POST /forget/confirm`."""

    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanAdmin]

    @operation("Forget", body=ForgetConfirmed, returns=bodies.ErasedBody)
    def post(self, request: Request) -> Response:
        """Erase what was listed, but for what is to be kept."""
        asked = read_body(ForgetConfirmed, self.body())
        entity = self.access().entity(asked.entity)
        done = confirm_forgetting(entity=entity, token=asked.token, actor=self.actor(), keep=asked.keep)
        return Response(bodies.erased_body(entity.name, done))


class EraseView(_ActingView):
    """`POST /erase`."""

    is_repeatable = True
    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanAdmin]

    @operation("Plan an erase", body=EraseAsked, returns=bodies.PlannedBody)
    def post(self, request: Request) -> Response:
        """Count what would go, and give a token; erases nothing."""
        asked = read_body(EraseAsked, self.body())
        entity = self.access().entity(asked.entity)
        scope = asked.scope.scope(sessions_named(entity, asked.scope.sessions))
        plan = plan_erasure(entity=entity, scope=scope, actor=self.actor(), reason=asked.reason)
        return Response(bodies.planned_body(entity.name, plan, token_of(plan)))


class EraseConfirmView(_ActingView):
    """`POST /erase/confirm`."""

    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanAdmin]

    @operation("Erase", body=EraseConfirmed, returns=bodies.ErasedBody)
    def post(self, request: Request) -> Response:
        """Erase what was counted."""
        asked = read_body(EraseConfirmed, self.body())
        entity: Entity = self.access().entity(asked.entity)
        done = erase(erasure=planned(entity=entity, token=asked.token), actor=self.actor())
        return Response(bodies.erased_body(entity.name, done))


class ErasuresView(JsonView):
    """`GET /erasures`."""

    permission_classes = [CanAdmin]

    @operation("List erases", query=ErasuresAsked, returns=bodies.ErasuresBody)
    def get(self, request: Request) -> Response:
        """The audit, newest first; a key that is bound to entities has to name one."""
        asked = read_query(ErasuresAsked, request.query_params)
        access = self.access()
        found, following = list_erasures(
            access=access,
            name=asked.entity,
            after=read_id_cursor(asked.after, bodies.ERASURES),
            limit=asked.limit,
        )
        return Response(bodies.erasures_body(found, following))
