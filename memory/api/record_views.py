"""Messages and atoms read with their evidence, and what a message did to the memory."""

from __future__ import annotations

from uuid import UUID

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import record_bodies as bodies
from memory.api.authentication import CanAdmin, CanRead, CanWrite
from memory.api.correction_views import AtomView
from memory.api.cursors import read_number_cursor
from memory.api.operations import operation
from memory.api.reading import read_query
from memory.api.record_requests import ChangesAsked, RecordsAsked
from memory.api.session_requests import NothingAsked
from memory.api.views import JsonView, RecordsView
from memory.models import Message
from memory.recall.changes import changes_of
from memory.recall.messages import list_messages, stored_messages
from memory.recall.neighbours import read_atom, read_message
from memory.skills.reading import opened


class ReadableRecordsView(RecordsView):
    """`GET` and `POST /records`."""

    def get_permissions(self) -> list[BasePermission]:
        """By method."""
        return [CanRead() if self.request.method in SAFE_METHODS else CanWrite()]

    @operation("List messages", query=RecordsAsked, returns=bodies.MessagesBody)
    def get(self, request: Request) -> Response:
        """A page of the messages that a filter lets through, word for word, in the order of storing."""
        asked = read_query(RecordsAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_number_cursor(asked.after, bodies.RECORDS)
        page = list_messages(entity, asked.wanted(), after=after, limit=asked.limit)
        return Response(bodies.messages_body(entity, page))


class _MessageView(JsonView):
    permission_classes = [CanRead]

    def message(self, record_id: UUID) -> Message:
        """The message of the address."""
        read_query(NothingAsked, self.request.query_params)
        return opened(Message.objects.all(), self.access(), record_id, is_reading=True)


class RecordView(_MessageView):
    """`GET /records/{id}`."""

    @operation("Read a message", query=NothingAsked, returns=bodies.MessageBody)
    def get(self, request: Request, record_id: UUID) -> Response:
        """A message word for word, with what was taken from it."""
        entity = self.message(record_id).entity
        return Response(bodies.message_body(entity, read_message(entity, record_id)))


class RecordChangesView(_MessageView):
    """`GET /records/{id}/changes`."""

    @operation("Read what a message changed", query=NothingAsked, returns=bodies.ChangesBody)
    def get(self, request: Request, record_id: UUID) -> Response:
        """What came of a message so far, layer by layer, and why nothing came where nothing did."""
        entity = self.message(record_id).entity
        body: bodies.ChangesBody = {"entity": entity.name, "changes": changes_of(entity, [record_id])}
        return Response(body)


class ChangesView(JsonView):
    """`GET /records/changes`."""

    permission_classes = [CanRead]

    @operation("Read what several messages changed", query=ChangesAsked, returns=bodies.ChangesBody)
    def get(self, request: Request) -> Response:
        """What came of all of them together, such as of a session, each row once."""
        asked = read_query(ChangesAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        changes = changes_of(entity, stored_messages(entity, asked.record))
        body: bodies.ChangesBody = {"entity": entity.name, "changes": changes}
        return Response(body)


class ReadableAtomView(AtomView):
    """`GET` and `PATCH /atoms/{id}`."""

    def get_permissions(self) -> list[BasePermission]:
        """By method."""
        return [CanRead() if self.request.method in SAFE_METHODS else CanAdmin()]

    @operation("Read an atom", query=NothingAsked, returns=bodies.ReadAtomBody)
    def get(self, request: Request, atom_id: UUID) -> Response:
        """An atom with all that is stored about it, what it rests on, and what rests on it."""
        read_query(NothingAsked, request.query_params)
        entity = self.atom(atom_id).entity
        return Response(bodies.read_atom_body(entity, read_atom(entity, atom_id)))
