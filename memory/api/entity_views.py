"""Entities: listed, made, changed, and where the memory of one stands."""

from __future__ import annotations

from typing import Any, cast

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanAdmin, CanRead, CanWrite
from memory.api.cursors import read_name_cursor
from memory.api.entity_bodies import ENTITIES, EntitiesBody, entities_body
from memory.api.entity_requests import EntitiesAsked, EntityChanged, EntityGiven
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.session_requests import NothingAsked
from memory.api.session_views import ReadOrWrite
from memory.api.views import JsonView
from memory.cascade.work import flush
from memory.ingest.entities import open_entity
from memory.measuring.settling import EntityStatus, entity_status
from memory.recall.entities import EntityRecord, entity_records, list_entities
from memory.stewardship.entities import change_entity

BOUND = "This key opens certain entities only; it makes no others."


class EntitiesView(ReadOrWrite):
    """`GET` and `POST /entities`."""

    @operation("List entities", query=EntitiesAsked, returns=EntitiesBody)
    def get(self, request: Request) -> Response:
        """A page of the entities that the key opens, by name, each with the counts of its layers."""
        asked = read_query(EntitiesAsked, request.query_params)
        access = self.access()
        page = list_entities(
            access.workspace,
            asked.wanted(),
            among=access.entity_ids if access.is_bound else None,
            after=read_name_cursor(asked.after, ENTITIES),
            limit=asked.limit,
        )
        return Response(entities_body(page))

    @operation(
        "Make an entity",
        body=EntityGiven,
        returns=EntityRecord,
        status={201: "It was made.", 200: "It is there already, as it was asked for."},
        needs="The key has to be bound to no entities.",
    )
    def post(self, request: Request) -> Response:
        """Make an entity before anything is said to it: with its time zone, its group and its user."""
        given = read_body(EntityGiven, cast(dict[str, Any], request.data))
        access = self.access()
        if access.is_bound:
            raise PermissionDenied(BOUND)
        opened = open_entity(workspace=access.workspace, **given.model_dump())
        [record] = entity_records([opened.entity])
        return Response(record, status=201 if opened.is_new else 200)


class EntityView(JsonView):
    """`GET` and `PATCH /entities/{name}`."""

    def get_permissions(self) -> list[BasePermission]:
        """By method: what changes how a memory is made needs more than writing."""
        return [CanRead() if self.request.method in SAFE_METHODS else CanAdmin()]

    @operation("Read an entity", query=NothingAsked, returns=EntityRecord)
    def get(self, request: Request, name: str) -> Response:
        """One entity with the counts of its layers."""
        read_query(NothingAsked, request.query_params)
        [record] = entity_records([self.access().readable(name)])
        return Response(record)

    @operation("Change an entity", body=EntityChanged, returns=EntityRecord)
    def patch(self, request: Request, name: str) -> Response:
        """Set the time zone, or which steps pause: their inputs wait, and go on when the step does."""
        given = read_body(EntityChanged, cast(dict[str, Any], request.data))
        entity = change_entity(
            entity=self.access().entity(name), time_zone=given.time_zone, paused_steps=given.paused_steps
        )
        [record] = entity_records([entity])
        return Response(record)


class EntityStatusView(JsonView):
    """`GET /entities/{name}/status`."""

    permission_classes = [CanRead]

    @operation("Read where a memory stands", query=NothingAsked, returns=EntityStatus)
    def get(self, request: Request, name: str) -> Response:
        """Counts of each layer, what waits and why, what was set aside, and when a worker was last seen."""
        read_query(NothingAsked, request.query_params)
        return Response(entity_status(self.access().entity(name)))


class FlushView(JsonView):
    """`POST /entities/{name}/flush`."""

    permission_classes = [CanWrite]

    @operation("Have a memory worked on at once", body=NothingAsked, returns=EntityStatus, status=202)
    def post(self, request: Request, name: str) -> Response:
        """Let no step wait for more words; 202, since workers do it. Poll the status until it is settled."""
        read_body(NothingAsked, cast(dict[str, Any], request.data))
        entity = self.access().entity(name)
        flush(entity)
        return Response(entity_status(entity), status=202)
