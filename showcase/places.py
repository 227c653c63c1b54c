"""Views that stand in several places, the demonstration's among them even before anything was said there."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from showcase.access import Place, Scope, demo_scope, scope_of


def place_scope(request: HttpRequest, place: str, entity_id: UUID | None = None) -> Scope | None:
    """The scope of an address; None where the demonstration has no memory yet, so that the page says so.

    Http404 for what the visitor may not see.
    """
    return demo_scope() if place == Place.DEMO else scope_of(request, Place(place), entity_id)


def view_url(scope: Scope, name: str) -> str:
    """The address of a view of a whole memory: `composer` or `graph` in the scope's own place."""
    prefix = "" if scope.place is Place.DEMO else f"{scope.place}_"
    return reverse(f"showcase:{prefix}{name}", kwargs=scope.parameters)
