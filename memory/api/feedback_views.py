"""Uses: what was handed to agents; and feedback: what was said of it."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import skill_bodies as bodies
from memory.api.authentication import CanRead
from memory.api.cursors import read_id_cursor
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.requests import ListAsked
from memory.api.session_requests import NothingAsked
from memory.api.session_views import ReadOrWrite
from memory.api.skill_requests import FeedbackAsked, FeedbackGiven, UseGiven
from memory.api.views import JsonView
from memory.models import Procedure, Use
from memory.skills import reading
from memory.skills.feedback import give_feedback
from memory.skills.redaction import redacted_fields
from memory.skills.uses import find_use, hand_out
from memory.skills.versions import rendered
from memory.stewardship.actors import Actor


class UsesView(ReadOrWrite):
    """`GET` and `POST /uses`."""

    @operation("List uses", query=ListAsked, returns=bodies.UsesBody)
    def get(self, request: Request) -> Response:
        """A page of what was handed out to an entity's agents, newest first."""
        asked = read_query(ListAsked, request.query_params)
        entity = self.access().entity(asked.entity)
        after = read_id_cursor(asked.after, "uses")
        page = reading.list_uses(entity, after=after, limit=asked.limit)
        return Response(bodies.uses_body(entity, page))

    @operation("Hand out a procedure", body=UseGiven, returns=bodies.HandedOutBody, status=201)
    def post(self, request: Request) -> Response:
        """Hand out a procedure by itself, as Markdown, and record that: 201."""
        given = read_body(UseGiven, cast(dict[str, Any], request.data))
        procedure = reading.opened(Procedure.objects.all(), self.access(), given.procedure)
        version, use = hand_out(procedure=procedure, keeps_text=given.keep_text, key=self.access().key)
        body = bodies.handed_out_body(procedure.entity, reading.use_record(use), rendered(version))
        return Response(body, status=201)


class UseView(JsonView):
    """`GET /uses/{id}`."""

    permission_classes = [CanRead]

    @operation("Read a use", query=NothingAsked, returns=bodies.UseBody, errors=(410,))
    def get(self, request: Request, use_id: UUID) -> Response:
        """One use; of an expired one only that it has expired."""
        read_query(NothingAsked, request.query_params)
        entity = reading.opened(Use.objects.all(), self.access(), use_id).entity
        use = find_use(entity=entity, use_id=use_id)
        return Response(bodies.use_body(entity, reading.use_record(use)))


class FeedbackView(ReadOrWrite):
    """`GET` and `POST /feedback`."""

    @operation("List feedback", query=FeedbackAsked, returns=bodies.FeedbackListBody)
    def get(self, request: Request) -> Response:
        """A page of feedback, newest first; of one use or about one procedure."""
        asked = read_query(FeedbackAsked, request.query_params)
        entity = self.access().entity(asked.entity)
        page = reading.list_feedback(
            entity,
            use=asked.use,
            procedure=asked.procedure,
            after=read_id_cursor(asked.after, "feedback"),
            limit=asked.limit,
        )
        return Response(bodies.feedback_body(entity, page))

    @operation(
        "Give feedback", body=FeedbackGiven, returns=bodies.StoredFeedbackBody, status=201, errors=(410,)
    )
    def post(self, request: Request) -> Response:
        """Store feedback: 201; the next draft is made with it."""
        given = read_body(FeedbackGiven, cast(dict[str, Any], request.data))
        entity = self.access().entity(given.entity)
        named = given.procedure_version
        words, counts = redacted_fields(given.words)
        stored = give_feedback(
            entity=entity,
            use=find_use(entity=entity, use_id=given.use) if given.use is not None else None,
            procedure_version=reading.version_of(entity, named) if named is not None else None,
            kind=given.kind,
            source=given.source,
            score=given.score,
            actor=Actor(key=self.access().key),
            id=given.id,
            **words,
        )
        [record] = reading.feedback_records([stored])
        return Response(bodies.stored_feedback_body(entity, record, counts), status=201)
