"""How memory came about: attempts, what waits, and what was set aside until a person has it tried again.

These doors show the workshop, not the memory: a share does not open them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import run_bodies as bodies
from memory.api import run_requests as asked
from memory.api.authentication import CanAdmin, CanRead
from memory.api.cursors import read_id_cursor, read_place_cursor
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.session_requests import NothingAsked
from memory.api.views import JsonView
from memory.cascade.work import retry_parked
from memory.measuring.parked import ParkedCursor, ParkedFilter, find_batch, list_parked
from memory.measuring.runs import FullRun, RunFilter, list_runs, read_run
from memory.measuring.work import WorkFilter, list_work


class _ReadingView(JsonView):
    permission_classes = [CanRead]

    def among(self, name: str | None) -> Collection[UUID] | None:
        """The entities that are asked about; None for every one of the workspace."""
        access = self.access()
        if name is not None:
            return [access.entity(name).pk]
        return access.entity_ids if access.is_bound else None


class RunsView(_ReadingView):
    """`GET /runs`."""

    @operation("List runs", query=asked.RunsAsked, returns=bodies.RunsBody)
    def get(self, request: Request) -> Response:
        """A page of recorded attempts, good and bad, newest first."""
        wanted = read_query(asked.RunsAsked, request.query_params)
        entities = self.among(wanted.entity)
        page = list_runs(
            self.access().workspace,
            RunFilter(entities, wanted.step, wanted.state, wanted.since, wanted.until),
            after=read_id_cursor(wanted.after, bodies.RUNS),
            limit=wanted.limit,
        )
        return Response(bodies.runs_body(page))


class RunView(_ReadingView):
    """`GET /runs/{id}`."""

    @operation("Read a run", query=NothingAsked, returns=FullRun)
    def get(self, request: Request, run_id: UUID) -> Response:
        """An attempt with its decisions item by item, and the raw answer of a failed call."""
        read_query(NothingAsked, request.query_params)
        return Response(read_run(self.access(), run_id))


class WorkView(_ReadingView):
    """`GET /work`."""

    @operation("List what waits", query=asked.WorkAsked, returns=bodies.WorkBody)
    def get(self, request: Request) -> Response:
        """A page of the entities' steps: what is pending, when it is due, who holds it, how it failed."""
        wanted = read_query(asked.WorkAsked, request.query_params)
        entities = self.among(wanted.entity)
        page = list_work(
            self.access().workspace,
            WorkFilter(entities, tuple(map(str, wanted.step)), wanted.state),
            after=read_id_cursor(wanted.after, bodies.WORK),
            limit=wanted.limit,
        )
        return Response(bodies.work_body(page))


class ParkedView(_ReadingView):
    """`GET /parked`."""

    @operation("List parked batches", query=asked.ParkedAsked, returns=bodies.ParkedBody)
    def get(self, request: Request) -> Response:
        """A page of what steps could not read and set aside, each with what went wrong."""
        wanted = read_query(asked.ParkedAsked, request.query_params)
        entities = self.among(wanted.entity)
        place = read_place_cursor(wanted.after, bodies.PARKED)
        page = list_parked(
            self.access().workspace,
            ParkedFilter(entities, wanted.step),
            after=ParkedCursor(*place) if place else None,
            limit=wanted.limit,
        )
        return Response(bodies.parked_body(page))


class RetryBatchView(JsonView):
    """`POST /parked/{run}/retry`."""

    permission_classes = [CanAdmin]

    @operation("Retry a parked batch", body=NothingAsked, returns=bodies.RetriedBody, status=202)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Put what one run set aside back in line; 202, since a worker tries it."""
        read_body(NothingAsked, cast(dict[str, Any], request.data))
        entity, step = find_batch(self.access(), run_id)
        body: bodies.RetriedBody = {
            "entity": entity.name,
            "step": str(step),
            "run": run_id,
            "retried": retry_parked(entity=entity, step=step, run=run_id),
        }
        return Response(body, status=202)


class RetryView(JsonView):
    """`POST /parked/retry`."""

    permission_classes = [CanAdmin]

    @operation("Retry all that a step parked", body=asked.RetryGiven, returns=bodies.RetriedBody, status=202)
    def post(self, request: Request) -> Response:
        """Put everything that a step of an entity set aside back in line."""
        given = read_body(asked.RetryGiven, cast(dict[str, Any], request.data))
        entity = self.access().entity(given.entity)
        body: bodies.RetriedBody = {
            "entity": entity.name,
            "step": str(given.step),
            "run": None,
            "retried": retry_parked(entity=entity, step=given.step),
        }
        return Response(body, status=202)
