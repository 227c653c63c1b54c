"""Streams of events: who may hear what, and from where on. Sending them is `memory.events`' work."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.handlers.asgi import ASGIRequest
from pydantic import BaseModel, ConfigDict, Field, field_validator
from rest_framework import exceptions, status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from memory.api.authentication import CanRead
from memory.api.errors import RequestRefused
from memory.api.operations import EVENT_STREAM, operation
from memory.api.reading import read_query
from memory.api.views import JsonView
from memory.events.opened import OpenedStream
from memory.events.places import Token, read_token
from memory.events.reading import KINDS
from memory.events.starting import start_of
from memory.events.streams import Subscription

LAST_EVENT_ID = "Last-Event-ID"
ENTITIES_AT_ONCE = 100


class EventsAsked(BaseModel):
    """What a stream is to tell."""

    model_config = ConfigDict(extra="forbid")

    entity: tuple[str, ...] = Field(
        default=(), max_length=ENTITIES_AT_ONCE, description="Whose events; all that the key opens if none."
    )
    events: tuple[str, ...] = Field(default=(), description="Which sorts of events; all if none.")
    after: str | None = Field(
        default=None, description="The id of the last event that was taken; the header Last-Event-ID wins."
    )

    @field_validator("events")
    @classmethod
    def refuse_unknown(cls, events: tuple[str, ...]) -> tuple[str, ...]:
        """Events are called as in the outbox."""
        if unknown := set(events) - KINDS:
            raise ValueError(f"has no {sorted(unknown)[0][:64]!r}: known are {', '.join(sorted(KINDS))}")
        return events


class StreamsNeedAnotherServer(exceptions.APIException):
    """The server holds a thread for each request."""

    status_code = status.HTTP_501_NOT_IMPLEMENTED
    default_code = "not_implemented"
    default_detail = "Streams need an ASGI server: uvicorn memseek_site.asgi:application."


class TakesAnyStream(BaseContentNegotiation):
    """Errors are JSON whatever was asked for, and a stream is a stream."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The first one."""
        first = next(iter(renderers))
        return first, str(first.media_type)


class EventsView(JsonView):
    """`GET /events`."""

    permission_classes = [CanRead]
    content_negotiation_class = TakesAnyStream

    @operation("Listen to events", query=EventsAsked, media_type=EVENT_STREAM, errors=(501,))
    def get(self, request: Request) -> OpenedStream:
        """What happens in memory as server-sent events, from now on or from where the last stream ended.

        A stream that was cut is resumed with `Last-Event-ID`: nothing is missed and nothing told twice.
        """
        asked = read_query(EventsAsked, request.query_params)
        token = self._token(asked)
        access = self.access()
        entities = frozenset(access.readable(name).pk for name in asked.entity)
        if not entities and access.is_bound:
            entities = access.entity_ids
        subscription = Subscription(
            access.workspace.pk,
            access.key.pk,
            entities if entities or access.is_bound else None,
            frozenset(asked.events) or None,
        )
        if not isinstance(request._request, ASGIRequest):
            raise StreamsNeedAnotherServer
        start = start_of(access.workspace, token)
        return OpenedStream(subscription, start.place, lost=start.lost)

    def _token(self, asked: EventsAsked) -> Token | None:
        given = self.request.headers.get(LAST_EVENT_ID) or asked.after
        try:
            return read_token(given) if given else None
        except ValueError as error:
            raise RequestRefused(f"after: {error}.") from error
