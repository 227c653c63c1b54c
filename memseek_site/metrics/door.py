"""The address `/metrics`: there only when it is switched on, for whoever bears the token if there is one."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

SCHEME = "bearer"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics, in the format that the scraper asks for."""
    chosen = settings.MEMSEEK.metrics
    if not chosen.is_on:
        raise Http404
    if chosen.token and not _bears(request, chosen.token):
        refusal = HttpResponse("A bearer token is needed.\n", status=401, content_type="text/plain")
        refusal["WWW-Authenticate"] = "Bearer"
        return refusal
    from memseek_site.metrics.exposition import exposed

    body, content_type = exposed(request.headers.get("Accept", ""))
    return HttpResponse(body, content_type=content_type)


def _bears(request: HttpRequest, token: str) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    is_same = hmac.compare_digest(given.strip().encode(), token.encode())
    return scheme.lower() == SCHEME and is_same
