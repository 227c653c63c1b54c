"""What is refused at `/mcp` before a key is looked at: the checks that Django's middleware makes for pages.

A page of another site must not reach a server on somebody's own machine through a name that it controls: host
and origin have to be known ones.
"""

from __future__ import annotations

import re

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from memory.api.authentication import SCHEME
from memory.api.errors import error_response
from memory.api.failures import failure

PATHS = ("/mcp", "/mcp/")
METHOD = "POST"
UNKNOWN_HOST = "This host is not served here: ALLOWED_HOSTS names those that are."
UNKNOWN_ORIGIN = "This origin may not call: API_CORS_ORIGINS names those that may."
UNAUTHENTICATED = 401
PREFLIGHT_SECONDS = 600
HEADER_NAMES = re.compile(r"[A-Za-z0-9, -]{1,500}")


def refusal_for(error: Exception) -> HttpResponse:
    """What the API would reply to an exception."""
    reply = error_response(error, {})
    headers = {name: value for name, value in reply.items() if name != "Content-Type"}
    if reply.status_code == UNAUTHENTICATED:
        headers["WWW-Authenticate"] = SCHEME
    return failure(reply.status_code, reply.data["error"], reply.data["detail"], **headers)


def refusal_of(request: HttpRequest) -> HttpResponse | None:
    """Why a request goes no further; None when a key may be looked at."""
    if request.path not in PATHS:
        return failure(404, "not_found", "There is no such address.")
    try:
        host = request.get_host()
    except DisallowedHost:
        return failure(421, "unknown_host", UNKNOWN_HOST)
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        return failure(403, "insecure", "Only https is answered here: a key must not travel in the open.")
    if not _is_known(request.headers.get("Origin"), f"{request.scheme}://{host}"):
        return failure(403, "unknown_origin", UNKNOWN_ORIGIN)
    return _refused_method(request)


def _is_known(origin: str | None, own: str) -> bool:
    return origin is None or origin == own or origin in settings.CORS_ALLOWED_ORIGINS


def _refused_method(request: HttpRequest) -> HttpResponse | None:
    if request.method == "OPTIONS" and "Origin" in request.headers:
        return HttpResponse(status=204, headers=_preflight(request))
    if request.method != METHOD:
        # No stream is offered and no session is kept: there is nothing to get or to end.
        return failure(405, "method_not_allowed", f"Only {METHOD} is taken here.", Allow=METHOD)
    length, most = request.headers.get("Content-Length", ""), settings.MEMSEEK.limits.body_bytes
    if length.isdigit() and int(length) > most:
        return failure(413, "too_large", f"A request has at most {most} bytes.")
    return None


def _preflight(request: HttpRequest) -> dict[str, str]:
    asked = request.headers.get("Access-Control-Request-Headers", "")
    allowed = {"Access-Control-Allow-Methods": METHOD, "Access-Control-Max-Age": str(PREFLIGHT_SECONDS)}
    if HEADER_NAMES.fullmatch(asked):
        allowed["Access-Control-Allow-Headers"] = asked
    return allowed


def cors_headers(request: HttpRequest) -> dict[str, str]:
    """What lets a browser's page of a known origin read the reply."""
    origin = request.headers.get("Origin", "")
    if origin not in settings.CORS_ALLOWED_ORIGINS:
        return {"Vary": "Origin"}
    exposed = "X-Request-ID, WWW-Authenticate"
    return {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": exposed,
    }
