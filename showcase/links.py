"""Addresses of records: one implementation of a page stands in three places, and links stay in theirs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse

from memory.recall.short_ids import short_id
from showcase.access import Place, Scope

OWN_PAGES = ("message", "atom", "scene")
"""Kinds with a page of their own; of everything else the trace is shown."""
OVERVIEWS = {
    Place.DEMO: "showcase:agent_memory",
    Place.LIVE: "showcase:live_entity",
    Place.SANDBOX: "showcase:sandbox",
}


def anchor(kind: str, id: UUID) -> str:
    """The place of a record within a page."""
    return f"{kind.replace(' ', '-')}-{short_id(id)}"


def overview_url(scope: Scope) -> str:
    """The page that shows all layers of a memory."""
    return reverse(OVERVIEWS[scope.place], kwargs=scope.parameters)


def record_url(scope: Scope, kind: str, id: UUID) -> str:
    """The page of a record by its kind, as traces name them: `message`, `atom`, `line`, `trait`, …"""
    if kind == "trait":
        return f"{persona_url(scope)}#{anchor(kind, id)}"
    return _page(scope, kind if kind in OWN_PAGES else "trace", id=id)


def persona_url(scope: Scope) -> str:
    """The page of the persona."""
    return _page(scope, "persona")


def trace_url(scope: Scope, id: UUID) -> str:
    """All that a record rests on, and all that rests on it."""
    return _page(scope, "trace", id=id)


def version_url(scope: Scope, scene: UUID, number: int) -> str:
    """One version of a scene."""
    return _page(scope, "scene_version", id=scene, number=number)


def difference_url(scope: Scope, scene: UUID, older: int, newer: int) -> str:
    """Two versions of a scene, compared."""
    return f"{_page(scope, 'scene_difference', id=scene)}?from={older}&to={newer}"


def _page(scope: Scope, name: str, **parameters: Any) -> str:
    return reverse(f"showcase:{scope.place}:{name}", kwargs=scope.parameters | parameters)
