"""The landing page, the list of pages, and the overview of the demonstration's memory."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from showcase.access import demo_scope
from showcase.demonstration import standing_of
from showcase.layers import layers_of
from showcase.links import overview_url
from showcase.starting import EMPTY, START, counters
from showcase.thread import thread_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Memseek is, one thread through the tour's memory, how to start, and what is behind each door."""
    scope = demo_scope()
    context: dict[str, Any] = {
        "start": START,
        "empty": EMPTY,
        "origin": f"{request.scheme}://{request.get_host()}",
        "has_sandbox": settings.MEMSEEK.sandbox.is_on,
        "has_proxy": settings.MEMSEEK.proxy.is_on,
    }
    if scope is not None:
        standing = standing_of(scope.entity)
        counted = counters(standing, overview_url(scope))
        context |= {"thread": thread_of(scope), "standing": standing, "counters": counted}
    return render(request, "showcase/home.html", context)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The pages, and what each of them shows."""
    return render(request, "showcase/index.html")


@require_safe
def agent_memory(request: HttpRequest) -> HttpResponse:
    """All layers of the tour's memory, every derived line with its receipts."""
    scope = demo_scope()
    if scope is None:
        return render(request, "showcase/agent_memory.html", {"empty": EMPTY})
    standing = standing_of(scope.entity)
    context = {"standing": standing, "counters": counters(standing), "layers": layers_of(scope)}
    return render(request, "showcase/agent_memory.html", context)
