"""What the page of a sandbox shows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from memory.llm.choosing import stays_offline
from memory.models.tenancy import SANDBOX_WORKSPACE_ID
from showcase.access import Scope
from showcase.layers import layers_of
from showcase.links import persona_url
from showcase.parts import Action, Empty, Notice
from showcase.places import view_url
from showcase.progress import Progress, progress_of
from showcase.sandbox.forms import SayForm

EXAMPLES = (
    "I am the release manager of the Harbour portal, and I want short answers with the risk first.",
    "Never ship the Harbour portal on a Friday unless Priya has signed off in writing.",
    "The Harbour launch moved from May 4 to May 18, because the payment tests are late.",
)
OFF = Empty(
    "The sandbox is switched off here",
    "Whoever runs this site takes no words of visitors. On a machine of your own it is on: one command "
    "starts everything, with a worker and no key.",
    command="make demo",
)
ERASED = Notice("Erased: your words, and everything that was made of them.", "good")


def page_of(request: HttpRequest, scope: Scope | None, form: SayForm) -> dict[str, Any]:
    """All of the page; at most ten statements for a visitor who has a memory."""
    limits = settings.MEMSEEK.sandbox
    page: dict[str, Any] = {
        "form": form,
        "limits": limits,
        "examples": EXAMPLES,
        "is_offline": stays_offline(SANDBOX_WORKSPACE_ID),
    }
    if "erased" in request.GET and scope is None:
        page["notice"] = ERASED
    return page if scope is None else {**page, **standing_page(scope), **shown(scope, page_progress(scope))}


def page_progress(scope: Scope) -> Progress:
    """Where the visitor's memory stands."""
    return progress_of(scope.entity)


def shown(scope: Scope, progress: Progress) -> Mapping[str, Any]:
    """What follows the worker."""
    return {"progress": progress, "standing": progress.standing, "layers": layers_of(scope)}


def standing_page(scope: Scope) -> dict[str, Any]:
    """What stays as it is while the worker works."""
    ends = scope.entity.created_at + timedelta(hours=settings.MEMSEEK.sandbox.hours)
    return {
        "scope": scope,
        "ends": ends,
        "now_url": reverse("showcase:sandbox_now"),
        "recall_url": view_url(scope, "composer"),
        "ways": (Action("The persona, slot by slot", persona_url(scope)),),
    }
