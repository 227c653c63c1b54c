"""The doors of the document: as JSON for programs, as a page for people."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rest_framework.request import Request

from memory.api.operations import JSON, operation
from memory.api.views import JsonView


class DocumentView(JsonView):
    """`GET /openapi.json`, without a key."""

    authentication_classes = []

    @operation("Read this document", returns=dict[str, Any])
    def get(self, request: Request) -> HttpResponse:
        """The OpenAPI document of every operation."""
        # What makes the document is imported when it is first asked for: a server that is not asked saves it.
        from memory.api.operations.document import openapi_bytes

        return HttpResponse(openapi_bytes(), content_type=JSON)


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """The document as a page; it takes no key and sends no request but the one for the document."""
    from memory.api.operations.document import openapi_document
    from memory.api.operations.listing import listed_groups

    return render(request, "api/docs.html", {"groups": listed_groups(openapi_document())})
