"""The composer's page."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.limiting.rates import Verdict, address_of, admit_page
from showcase.access import Place
from showcase.composer.composing import compose
from showcase.composer.forms import ComposerForm, example
from showcase.parts import Notice
from showcase.places import place_scope, view_url
from showcase.starting import EMPTY

COMPOSED_A_MINUTE = 30
"""Contexts that an address may have composed, where addresses have a rate at all."""
PAGE = "showcase/composer/composer.html"


@require_safe
def composer(request: HttpRequest, place: str, entity_id: UUID | None = None) -> HttpResponse:
    """What an agent would be told before a task; without a task the demonstration's own is shown."""
    scope = place_scope(request, place, entity_id)
    if scope is None:
        return render(request, PAGE, {"empty": EMPTY})
    url = view_url(scope, "composer")
    form = ComposerForm(request.GET, has_example=scope.place is Place.DEMO, zone=scope.entity.zone)
    page: dict[str, Any] = {"form": form, "url": url, "entity": scope.entity}
    if scope.place is Place.DEMO:
        page["example_url"] = f"{url}?{urlencode(example())}"
    if not form.is_valid():
        return render(request, PAGE, page)
    verdict = admit_page(page="composer", address=address_of(request), amount=COMPOSED_A_MINUTE)
    if verdict and not verdict.is_allowed:
        return _refused(request, page, verdict)
    page["composed"] = compose(scope, form.asked())
    return render(request, PAGE, page)


def _refused(request: HttpRequest, page: dict[str, Any], verdict: Verdict) -> HttpResponse:
    seconds = verdict.window.wait_seconds
    page["notice"] = Notice(f"Too many contexts from your address. Ask again in {seconds} seconds.", "warn")
    response = render(request, PAGE, page, status=429)
    response["Retry-After"] = str(seconds)
    return response
