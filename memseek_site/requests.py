"""One line of the log and one count for every request: its id, route, status and time."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from memseek_site.log_fields import log_fields

HEADER = "X-Request-ID"
# Ids as proxies make them. Whatever else a client sends is not repeated in the log.
GIVEN = re.compile(r"[0-9a-fA-F-]{16,64}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"
READS_MEMORY = frozenset({"recall", "context", "compile", "answer"})
"""Names of the addresses that wait for recall."""
FIRST_ERROR = 400
ASKED_ALL_THE_TIME = frozenset({"health", "metrics"})

logger = logging.getLogger(__name__)
servers_own = logging.getLogger("uvicorn.access")
"""Silent, but its level says whether whoever started the server wants to hear of requests."""


class RequestMiddleware:
    """Gives a request its id, which the reply bears too, and tells how it ended."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The reply of what comes after."""
        began = time.perf_counter()
        request_id = _request_id(request)
        with log_fields(request_id=request_id):
            response = self.get_response(request)
            response[HEADER] = request_id
            self._tell(request, response, time.perf_counter() - began)
        return response

    def _tell(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        route, method = route_of(request), method_of(request)
        level = logging.DEBUG if route in ASKED_ALL_THE_TIME else logging.INFO
        if servers_own.isEnabledFor(level):
            logger.log(
                level,
                "request",
                extra={
                    "method": method,
                    "route": route,
                    "status": response.status_code,
                    "milliseconds": round(seconds * 1_000, 1),
                },
            )
        if settings.MEMSEEK.metrics.is_on:
            _measure(request, response, seconds)


def _measure(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    from memseek_site.metrics import local

    status = response.status_code
    local.count_request(route=route_of(request), method=method_of(request), status=status, seconds=seconds)
    name = request.resolver_match.url_name if request.resolver_match else ""
    if name in READS_MEMORY and status < FIRST_ERROR:
        local.observe_recall(kind=name, seconds=seconds)


def _request_id(request: HttpRequest) -> str:
    given = request.headers.get(HEADER, "")
    return given if GIVEN.fullmatch(given) else uuid.uuid4().hex


def route_of(request: HttpRequest) -> str:
    """The pattern of the address, such as `api/v1/sessions/<uuid:session_id>`: never what stands in it."""
    match = request.resolver_match
    return NO_ROUTE if match is None else match.route or "/"


def method_of(request: HttpRequest) -> str:
    """The method, or a word for all that are none."""
    return request.method if request.method in METHODS else "OTHER"
