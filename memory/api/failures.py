"""Errors outside of every view: those of addresses of the API have its body, those of pages have Django's."""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

API_PATHS = re.compile(r"/(?:api(?:/|$)|(?:health|timeline|records)/?$|v1/)")


def failure(status: int, error: str, detail: str, **headers: str) -> HttpResponse:
    """The API's body of an error as a reply of Django."""
    body = {"error": error, "detail": detail}
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store", **headers})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or what it is by another number."""
    if not API_PATHS.match(request.path_info):
        return defaults.bad_request(request, exception)
    if isinstance(exception, DisallowedHost):
        return failure(400, "unknown_host", "This host is not served here: see ALLOWED_HOSTS.")
    if isinstance(exception, RequestDataTooBig):
        return failure(413, "too_large", "The request is larger than one may be.")
    return failure(400, "invalid", "The request cannot be read.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    if not API_PATHS.match(request.path_info):
        return defaults.permission_denied(request, exception)
    return failure(403, "permission_denied", "This is not allowed.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    if not API_PATHS.match(request.path_info):
        return defaults.page_not_found(request, exception)
    return failure(404, "not_found", "There is no such address.")


def internal_error(request: HttpRequest, *_: Any) -> HttpResponse:
    """500."""
    if not API_PATHS.match(request.path_info):
        return defaults.server_error(request)
    return failure(500, "internal", "Something went wrong here. The error is in the server's log.")
