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
        request_id = request_id_of(request)
        with log_fields(request_id=request_id):
            response = self.get_response(request)
            response[HEADER] = request_id
            tell(
                request,
                route=route_of(request),
                status=response.status_code,
                began=began,
                name=name_of(request),
            )
        return response


def tell(request: HttpRequest, *, route: str, status: int, began: float, name: str = "") -> None:
    """One line of the log and one count for a request that has been answered.

    `began` is by the performance counter; `name` tells the doors that read memory.
    """
    seconds = time.perf_counter() - began
    method = method_of(request)
    level = logging.DEBUG if route in ASKED_ALL_THE_TIME else logging.INFO
    if servers_own.isEnabledFor(level):
        fields = {"method": method, "route": route, "status": status}
        logger.log(level, "request", extra={**fields, "milliseconds": round(seconds * 1_000, 1)})
    if settings.MEMSEEK.metrics.is_on:
        from memseek_site.metrics import local

        local.count_request(route=route, method=method, status=status, seconds=seconds)
        if name in READS_MEMORY and status < FIRST_ERROR:
            local.observe_recall(kind=name, seconds=seconds)


def request_id_of(request: HttpRequest) -> str:
    """The id that a proxy gave the request, else a new one."""
    given = request.headers.get(HEADER, "")
    return given if GIVEN.fullmatch(given) else uuid.uuid4().hex


def route_of(request: HttpRequest) -> str:
    """The pattern of the address, such as `api/v1/sessions/<uuid:session_id>`: never what stands in it."""
    match = request.resolver_match
    return NO_ROUTE if match is None else match.route or "/"


def name_of(request: HttpRequest) -> str:
    """The name of the address, empty without one."""
    return (request.resolver_match.url_name or "") if request.resolver_match else ""


def method_of(request: HttpRequest) -> str:
    """The method, or a word for all that are none."""
    return request.method if request.method in METHODS else "OTHER"
