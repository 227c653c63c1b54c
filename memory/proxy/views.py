"""What is said of the proxy where it cannot be: a server without ASGI."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from memory.proxy.errors import Refused

MESSAGE = (
    "The memory proxy needs an ASGI server: replies stream through it. Start the site with "
    "uvicorn memseek_site.asgi:application."
)


@csrf_exempt
def needs_asgi(request: HttpRequest, rest: str) -> HttpResponse:
    """`/v1/…` under WSGI: 501, or 404 where the proxy is switched off. Under ASGI nothing comes here."""
    if not settings.MEMSEEK.proxy.is_on:
        raise Http404
    refused = Refused(501, "needs_asgi", MESSAGE)
    return HttpResponse(refused.body(), status=refused.status, content_type="application/json")
