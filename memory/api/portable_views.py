"""A whole memory out of the door, and back in: JSON lines in a stream, for keys with scope admin."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import IO, Any, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from typing_extensions import TypedDict

from memory.api.authentication import CanAdmin
from memory.api.errors import BodyTooLarge, RequestRefused
from memory.api.operations import JSON_LINES, operation
from memory.api.reading import read_query
from memory.api.session_requests import NothingAsked
from memory.api.views import JsonView
from memory.limiting.rates import Kind
from memory.models import Entity
from memory.stewardship.exporting import Export, UnreadableExportError, import_entity, open_export

IMPORT_BYTES_LIMIT = settings.MEMSEEK.limits.import_bytes


class ImportedBody(TypedDict):
    """A memory that was imported."""

    entity: str
    rows: Mapping[str, int]
    """How many of each kind."""


class JsonLinesRenderer(JSONRenderer):
    """Lets a client ask for lines; an error is a body as everywhere."""

    media_type = JSON_LINES
    format = "ndjson"


class JsonLinesParser(BaseParser):
    """Gives the body as it comes, to be read line by line."""

    media_type = JSON_LINES

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The stream itself; BodyTooLarge for more than is taken."""
        length = int((parser_context or {})["request"].META.get("CONTENT_LENGTH") or 0)
        if length > IMPORT_BYTES_LIMIT:
            raise BodyTooLarge(f"An import has at most {IMPORT_BYTES_LIMIT} bytes.")
        return stream


class ExportView(JsonView):
    """`GET /entities/{name}/export`."""

    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanAdmin]
    renderer_classes = [JSONRenderer, JsonLinesRenderer]

    @operation(
        "Export a memory",
        query=NothingAsked,
        media_type=JSON_LINES,
        headers={"Content-Disposition": "`attachment`: a file."},
    )
    def get(self, request: Request, name: str) -> StreamingHttpResponse:
        """The memory as it stands, as a file of JSON lines."""
        read_query(NothingAsked, request.query_params)
        try:
            export = open_export(entity=self.access().entity(name))
        except Entity.DoesNotExist as error:
            raise RequestRefused("entity: has gone meanwhile.") from error
        is_async = isinstance(request._request, ASGIRequest)
        pieces = _sent_async(export) if is_async else _sent(export)
        headers = {"Content-Length": str(export.size), "Content-Disposition": "attachment"}
        return StreamingHttpResponse(pieces, content_type=JSON_LINES, headers=headers)


class ImportView(JsonView):
    """`POST /entities/{name}/import`."""

    limit_kind = Kind.EXPENSIVE
    permission_classes = [CanAdmin]
    parser_classes = [JsonLinesParser]

    @operation(
        "Import a memory", query=NothingAsked, returns=ImportedBody, status=201, body_media_type=JSON_LINES
    )
    def post(self, request: Request, name: str) -> Response:
        """Make a new entity of this name out of an export: all of it, or nothing."""
        read_query(NothingAsked, request.query_params)
        access = self.access()
        if access.is_bound:
            raise PermissionDenied("This key opens certain entities only; it makes no others.")
        source = request.data
        if not hasattr(source, "readline"):
            raise RequestRefused("The body is empty, or comes without its Content-Length.")
        try:
            imported = import_entity(workspace=access.workspace, source=cast(IO[bytes], source), name=name)
        except UnreadableExportError as error:
            raise RequestRefused(f"{error}. Nothing was imported.") from error
        body: ImportedBody = {"entity": imported.entity.name, "rows": imported.counts}
        return Response(body, status=201)


def _sent(export: Export) -> Iterator[bytes]:
    with export:
        yield from export.chunks()


async def _sent_async(export: Export) -> AsyncIterator[bytes]:
    """Pieces read in a thread: the event loop serves others meanwhile."""
    with export:
        pieces = export.chunks()
        read = sync_to_async(lambda: next(pieces, b""), thread_sensitive=False)
        while piece := await read():
            yield piece
