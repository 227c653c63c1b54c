"""Parts of pages that follow what happens: a script asks for them again, and is told when nothing is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render

from showcase.progress import Progress


def followed(
    request: HttpRequest, progress: Progress, template: str, context: Callable[[], Mapping[str, Any]]
) -> HttpResponse:
    """The part as it stands; 304 for whoever has it already. What it shows is read only when it is needed."""
    tag = f'"{progress.version}"'
    if request.headers.get("If-None-Match") == tag:
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = render(request, template, {"progress": progress, **context()})
    response["ETag"] = tag
    return response
