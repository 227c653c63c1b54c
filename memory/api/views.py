"""The endpoints. Each reads its request, calls one room and renders the outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import BearerAuthentication, CanRead, CanWrite
from memory.api.encoding import BodyRenderer
from memory.api.errors import error_response
from memory.api.health import read_health
from memory.api.operations import operation
from memory.api.parameters import RecordsGiven, TimelineAsked, read_records_body, read_timeline_parameters
from memory.api.parsing import StrictJsonParser
from memory.api.rendering import (
    HealthBody,
    RecordsBody,
    TimelineBody,
    health_body,
    records_body,
    timeline_body,
)
from memory.api.wiring.reading_again import Tagged
from memory.api.wiring.sending_again import AnsweredOnce
from memory.api.wiring.time_limits import TimeLimited
from memory.ingest.access import Access
from memory.ingest.incoming import read_messages
from memory.ingest.messages import record_messages
from memory.recall.timeline import read_timeline
from memseek_site import VERSION


class JsonView(TimeLimited, AnsweredOnce, Tagged):
    """JSON in and out, one body for every error; whatever the site's settings say about pages."""

    authentication_classes = [BearerAuthentication]
    parser_classes = [StrictJsonParser]
    renderer_classes = [BodyRenderer]

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response]:
        """The one place where errors become bodies."""
        return error_response

    def access(self) -> Access:
        """What the request's key opens; the permission classes have seen to it that there is one."""
        return cast(Access, self.request.auth)


class HealthView(JsonView):
    """`GET /health`, without a key."""

    authentication_classes = []

    @operation(
        "Whether the product answers",
        returns=HealthBody,
        status={200: "The database answers.", 503: "It does not."},
    )
    def get(self, request: Request) -> Response:
        """200 when the database answers, else 503."""
        health = read_health()
        return Response(health_body(health, version=VERSION), status=200 if health.is_database_ok else 503)


class TimelineView(JsonView):
    """`GET /timeline`."""

    permission_classes = [CanRead]

    @operation("Read everything stored, newest first", query=TimelineAsked, returns=TimelineBody)
    def get(self, request: Request) -> Response:
        """A page of an entity's records, newest first."""
        parameters = read_timeline_parameters(request.query_params)
        entity = self.access().readable(parameters.entity)
        return Response(timeline_body(entity, read_timeline(entity, parameters.request)))


class RecordsView(JsonView):
    """`POST /records`."""

    permission_classes = [CanWrite]

    @operation("Store messages", body=RecordsGiven, returns=RecordsBody, status=201)
    def post(self, request: Request) -> Response:
        """Store a batch of messages, all or none."""
        entity_name, items = read_records_body(cast(dict[str, Any], request.data))
        appended = record_messages(
            access=self.access(), entity_name=entity_name, messages=read_messages(items)
        )
        return Response(records_body(appended), status=201)


class NoSuchView(JsonView):
    """Any other address under the API's own prefix."""

    authentication_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse before the method is looked at."""
        raise NotFound("There is no such address.")
