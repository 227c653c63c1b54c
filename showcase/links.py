"""Addresses of records: one implementation of a page stands in three places, and links stay in theirs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from uuid import UUID

from django.urls import get_script_prefix, reverse

from memory.recall.short_ids import short_id
from showcase.access import Place, Scope

OWN_PAGES = ("message", "atom", "scene")
"""Kinds with a page of their own in each place; of everything else the trace is shown."""
SOME_ID = str(UUID(int=2**128 - 1))
FRAMES_KEPT = 512
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
    if kind == "procedure" and scope.place is Place.DEMO:
        return reverse("showcase:skill", kwargs={"id": id})
    return _record(scope, kind if kind in OWN_PAGES else "trace", id)


def persona_url(scope: Scope) -> str:
    """The page of the persona."""
    return _page(scope, "persona")


def trace_url(scope: Scope, id: UUID) -> str:
    """All that a record rests on, and all that rests on it."""
    return _record(scope, "trace", id)


def version_url(scope: Scope, scene: UUID, number: int) -> str:
    """One version of a scene."""
    return _page(scope, "scene_version", id=scene, number=number)


def difference_url(scope: Scope, scene: UUID, older: int, newer: int) -> str:
    """Two versions of a scene, compared."""
    return f"{_page(scope, 'scene_difference', id=scene)}?from={older}&to={newer}"


def _record(scope: Scope, name: str, id: UUID) -> str:
    """The page of one record. A page has hundreds of such links, and Django takes long for each."""
    owner = scope.entity.pk if scope.place is Place.LIVE else None
    return _frame(scope.place, owner, name, get_script_prefix()).replace(SOME_ID, str(id))


@lru_cache(maxsize=FRAMES_KEPT)
def _frame(place: Place, owner: UUID | None, name: str, prefix: str) -> str:
    """The address of `SOME_ID`; `prefix` is the one that Django puts before it."""
    whose = {"entity_id": owner} if owner else {}
    return reverse(f"showcase:{place}:{name}", kwargs={**whose, "id": SOME_ID})


def _page(scope: Scope, name: str, **parameters: Any) -> str:
    return reverse(f"showcase:{scope.place}:{name}", kwargs=scope.parameters | parameters)
