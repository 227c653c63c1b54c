"""Sessions of turn loops: opened, added to, folded, ended, and read."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import session_bodies as bodies
from memory.api.authentication import CanRead, CanWrite
from memory.api.cursors import read_number_cursor
from memory.api.list_views import SessionsView
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.session_requests import (
    ROOTS,
    DigestsAsked,
    NothingAsked,
    OpenAsked,
    TurnsAsked,
    TurnsGiven,
    turn_items,
)
from memory.api.views import JsonView
from memory.cascade.compaction import ask_compaction
from memory.ingest.incoming import IncomingTurn
from memory.ingest.sessions import end_session, open_session_with, session_with
from memory.ingest.turns import add_turns, read_turn_items, read_turns
from memory.models import Session
from memory.recall.digests import list_digests, session_state


class ReadOrWrite(JsonView):
    """A door that is read with scope read, and written through with scope write."""

    def get_permissions(self) -> list[BasePermission]:
        """By method."""
        return [CanRead() if self.request.method in SAFE_METHODS else CanWrite()]

    def session(self, session_id: UUID) -> Session:
        """The session of the address; NoSessionError for one that the key does not open."""
        is_reading = self.request.method in SAFE_METHODS
        return session_with(self.access(), session_id, is_reading=is_reading)

    def refuse_fields(self) -> None:
        """Raise RequestRefused when the body says anything."""
        read_body(NothingAsked, cast(dict[str, Any], self.request.data))


class OpeningView(SessionsView, ReadOrWrite):
    """`GET` and `POST /sessions`."""

    @operation(
        "Open a session",
        body=OpenAsked,
        returns=bodies.SessionBody,
        status={201: "A new one.", 200: "One that is resumed."},
    )
    def post(self, request: Request) -> Response:
        """Open a session: 201 for a new one, 200 for one that is resumed."""
        asked = read_body(OpenAsked, cast(dict[str, Any], request.data))
        opened = open_session_with(self.access(), asked.wanted())
        body = bodies.session_body(opened.session, session_state(opened.session))
        return Response(body, status=201 if opened.is_new else 200)


class SessionView(ReadOrWrite):
    """`GET /sessions/{id}`."""

    @operation("Read a session", query=NothingAsked, returns=bodies.SessionBody)
    def get(self, request: Request, session_id: UUID) -> Response:
        """The session as it stands, with its summary and its brief."""
        read_query(NothingAsked, request.query_params)
        session = self.session(session_id)
        return Response(bodies.session_body(session, session_state(session)))


class TurnsView(ReadOrWrite):
    """`GET` and `POST /sessions/{id}/turns`."""

    @operation("List turns", query=TurnsAsked, returns=bodies.TurnsBody)
    def get(self, request: Request, session_id: UUID) -> Response:
        """A page of the turns; with `parent` those under one turn."""
        asked = read_query(TurnsAsked, request.query_params)
        session = self.session(session_id)
        page = read_turns(
            session,
            after=read_number_cursor(asked.after, "turns"),
            limit=asked.limit,
            parent=asked.parent if isinstance(asked.parent, UUID) else None,
            roots_only=asked.parent == ROOTS,
        )
        return Response(bodies.turns_body(session, page))

    @operation("Add turns", body=IncomingTurn | TurnsGiven, returns=bodies.AddedBody, status=201)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Store one turn or up to a hundred, all or none."""
        turns = read_turn_items(turn_items(cast(dict[str, Any], request.data)))
        session = self.session(session_id)
        return Response(bodies.added_body(session, add_turns(session=session, turns=turns)), status=201)


class CompactView(ReadOrWrite):
    """`POST /sessions/{id}/compact`."""

    @operation("Fold older turns", body=NothingAsked, returns=bodies.SessionBody, status=202)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Have the older turns folded; 202, since a worker does it."""
        self.refuse_fields()
        session = self.session(session_id)
        ask_compaction(session)
        return Response(bodies.session_body(session, session_state(session)), status=202)


class EndView(ReadOrWrite):
    """`POST /sessions/{id}/end`."""

    @operation("End a session", body=NothingAsked, returns=bodies.SessionBody)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Seal the session; ending it again changes nothing."""
        self.refuse_fields()
        session = self.session(session_id)
        end_session(session)
        return Response(bodies.session_body(session, session_state(session)))


class DigestsView(ReadOrWrite):
    """`GET /sessions/{id}/digests`."""

    @operation("Read summary and brief", query=DigestsAsked, returns=bodies.DigestsBody)
    def get(self, request: Request, session_id: UUID) -> Response:
        """Summary and brief with the messages that each covers; with `versions=all` the earlier ones too."""
        asked = read_query(DigestsAsked, request.query_params)
        session = self.session(session_id)
        found = list_digests(session, with_history=asked.versions == "all")
        return Response(bodies.digests_body(session, found))
