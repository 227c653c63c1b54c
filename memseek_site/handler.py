"""The ASGI handler: a request goes to a thread once, and back once.

Django's own lets every middleware that is not asynchronous hop to the request's thread by itself, and twice:
ten of them take longer than many an answer.
"""

from __future__ import annotations

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class OneHopHandler(ASGIHandler):
    """Runs middleware and view together on the request's own thread; streams stay asynchronous."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response of the synchronous chain."""
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


def application() -> OneHopHandler:
    """As `get_asgi_application` does: set Django up, give its handler."""
    django.setup(set_prefix=False)
    return OneHopHandler()
