"""Traces of tasks, the procedures drawn from them, and their versions."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import skill_bodies as bodies
from memory.api.authentication import CanRead
from memory.api.cursors import read_id_cursor
from memory.api.errors import RequestRefused
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.requests import ListAsked
from memory.api.session_requests import NothingAsked
from memory.api.session_views import ReadOrWrite
from memory.api.skill_requests import PageAsked, ProceduresAsked, TraceGiven
from memory.api.views import JsonView
from memory.ingest.sessions import session_with
from memory.models import Procedure, ProcedureVersion, Session, TaskTrace
from memory.skills import reading
from memory.skills.fitting import fitting_procedures
from memory.skills.redaction import redacted_fields, redacted_steps
from memory.skills.session_traces import trace_of_session
from memory.skills.traces import record_trace_with


class TracesView(ReadOrWrite):
    """`GET` and `POST /traces`."""

    @operation("List traces", query=ListAsked, returns=bodies.TracesBody)
    def get(self, request: Request) -> Response:
        """A page of an entity's traces, newest first."""
        asked = read_query(ListAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_id_cursor(asked.after, "traces")
        page = reading.list_traces(entity, after=after, limit=asked.limit)
        return Response(bodies.traces_body(entity, page))

    @operation("Store a trace", body=TraceGiven, returns=bodies.StoredTraceBody, status=201)
    def post(self, request: Request) -> Response:
        """Store a trace: 201; a worker drafts a procedure from it."""
        given = read_body(TraceGiven, cast(dict[str, Any], request.data))
        steps = given.read_steps()
        session = self._session(given)
        _, counts = redacted_fields({"task": given.task, "note": given.note})
        if steps is None and session is not None:
            trace = trace_of_session(session=session, task=given.task, outcome=given.outcome, note=given.note)
        else:
            counts += redacted_steps(steps or [])[1]
            name = given.entity if session is None else session.entity.name
            trace = record_trace_with(
                access=self.access(), entity_name=name or "", trace=given.trace(steps or [], session)
            )
        [record] = reading.trace_records([trace])
        return Response(bodies.stored_trace_body(trace.entity, record, counts), status=201)

    def _session(self, given: TraceGiven) -> Session | None:
        if given.session is None:
            return None
        session = session_with(self.access(), given.session)
        if given.entity not in (None, session.entity.name):
            raise RequestRefused("session: is no session of this entity.")
        return session


class TaskTraceView(JsonView):
    """`GET /traces/{id}`."""

    permission_classes = [CanRead]

    @operation("Read a trace", query=NothingAsked, returns=bodies.TaskTraceBody)
    def get(self, request: Request, trace_id: UUID) -> Response:
        """One trace with its steps."""
        read_query(NothingAsked, request.query_params)
        trace = reading.opened(TaskTrace.objects.all(), self.access(), trace_id, is_reading=True)
        [record] = reading.trace_records([trace])
        return Response(bodies.trace_body(trace.entity, record))


class ProceduresView(JsonView):
    """`GET /procedures`."""

    permission_classes = [CanRead]

    @operation("List procedures", query=ProceduresAsked, returns=bodies.ProceduresBody)
    def get(self, request: Request) -> Response:
        """A page of procedures, each with its active version and its waiting draft."""
        asked = read_query(ProceduresAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_id_cursor(asked.after, "procedures")
        among = fitting_procedures(entity, asked.words) if asked.words else None
        page = reading.list_procedures(
            entity, statuses=asked.statuses, among=among, after=after, limit=asked.limit
        )
        return Response(bodies.procedures_body(entity, page))


class ProcedureView(JsonView):
    """`GET /procedures/{id}`."""

    permission_classes = [CanRead]

    @operation("Read a procedure", query=NothingAsked, returns=bodies.NamedProcedureBody)
    def get(self, request: Request, procedure_id: UUID) -> Response:
        """One procedure."""
        read_query(NothingAsked, request.query_params)
        procedure = reading.opened(Procedure.objects.all(), self.access(), procedure_id, is_reading=True)
        record = reading.procedure_record(procedure)
        return Response(bodies.procedure_body(procedure.entity, record))


class VersionsView(JsonView):
    """`GET /procedures/{id}/versions`."""

    permission_classes = [CanRead]

    @operation("List versions of a procedure", query=PageAsked, returns=bodies.VersionsBody)
    def get(self, request: Request, procedure_id: UUID) -> Response:
        """A page of a procedure's versions, newest first, each with its reviews."""
        asked = read_query(PageAsked, request.query_params)
        procedure = reading.opened(Procedure.objects.all(), self.access(), procedure_id, is_reading=True)
        after = read_id_cursor(asked.after, "versions")
        page = reading.list_versions(procedure, after=after, limit=asked.limit)
        return Response(bodies.versions_body(procedure, page))


class VersionView(JsonView):
    """`GET /versions/{id}` and `GET /drafts/{id}`."""

    permission_classes = [CanRead]

    @operation("Read a version of a procedure", query=NothingAsked, returns=bodies.VersionBody)
    def get(self, request: Request, version_id: UUID) -> Response:
        """A version line by line, with what each line rests on and what it changes."""
        read_query(NothingAsked, request.query_params)
        version = reading.opened(ProcedureVersion.objects.all(), self.access(), version_id, is_reading=True)
        return Response(bodies.version_body(version.entity.name, reading.version_record(version)))


class DraftsView(JsonView):
    """`GET /drafts`."""

    permission_classes = [CanRead]

    @operation("List drafts", query=ListAsked, returns=bodies.DraftsBody)
    def get(self, request: Request) -> Response:
        """A page of the drafts that wait for a review, newest first."""
        asked = read_query(ListAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_id_cursor(asked.after, "drafts")
        page = reading.list_drafts(entity, after=after, limit=asked.limit)
        return Response(bodies.drafts_body(entity, page))
