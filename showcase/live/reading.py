"""What the page of one entity shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from memory.admin.membership import Duty
from memory.measuring.parked import ParkedBatch, ParkedFilter, list_parked
from showcase.access import Scope
from showcase.links import overview_url, persona_url
from showcase.live.forms import LAYERS, RowsForm
from showcase.live.listing import Rows, list_rows
from showcase.parts import Action, Crumb, Empty, Pager
from showcase.places import view_url
from showcase.progress import Progress, progress_of

NOTHING = Empty("Nothing like that is here", "No row of this layer fits. Another state, or fewer words, may.")
NOTHING_SAID = Empty(
    "Nobody has said anything here yet",
    "Words come in over HTTP, MCP or the proxy, with a key of this workspace. This page shows them as they "
    "come, and what is made of them.",
    command="python manage.py walkthrough",
)
LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Failures:
    """Batches that wait for a person, and whether this one may put them back in line."""

    batches: tuple[ParkedBatch, ...]
    may_retry: bool
    url: str


def entity_page(request: HttpRequest, scope: Scope) -> dict[str, Any]:
    """What stays as it is while a worker works."""
    url = overview_url(scope)
    query = request.GET.urlencode()
    return {
        "is_page": True,
        "entity": scope.entity,
        "url": url,
        "form": RowsForm(request.GET, scope.entity.zone),
        "now_url": reverse("showcase:live_now", kwargs=scope.parameters) + (f"?{query}" if query else ""),
        "crumbs": (Crumb("Live", reverse("showcase:live")), Crumb(scope.entity.name)),
        "ways": _ways(scope),
        "doors": doors(request, scope),
    }


def followed_progress(scope: Scope) -> Progress:
    """Where the memory stands; each layer leads to its rows."""
    return progress_of(scope.entity, {layer: f"{overview_url(scope)}?layer={layer}" for layer, _ in LAYERS})


def shown(request: HttpRequest, scope: Scope, progress: Progress) -> Mapping[str, Any]:
    """What follows the worker: failures that wait, and the list; at most four statements."""
    form = RowsForm(request.GET, scope.entity.zone)
    found: dict[str, Any] = {
        "progress": progress,
        "url": overview_url(scope),
        "failures": _failures(scope) if progress.has_parked else None,
        "empty": NOTHING if progress.standing.messages else _nothing_said(),
    }
    if form.is_valid():
        rows = list_rows(scope, form, before=_place(request, "before"), after=_place(request, "after"))
        found |= {"rows": rows, "pager": _pager(request, rows)}
    return found


def _nothing_said() -> Empty:
    return replace(NOTHING_SAID, actions=(Action("How agents store words", reverse("api-docs")),))


def doors(request: HttpRequest, scope: Scope) -> tuple[Action, ...]:
    """Where the person may have something changed, by duty; the admin's pages for whom it lets in."""
    entity = [scope.entity.pk]
    forget = reverse("showcase:live_forget", kwargs=scope.parameters)
    own = (Action("Forget something, in words", forget),) if scope.allows(Duty.ERASE) else ()
    if not getattr(request.user, "is_staff", False):
        return own
    offered = ((Duty.MANAGE, "Pause or resume steps"), (Duty.VIEW, "See it in the admin"))
    page = reverse("admin:memory_entity_change", args=entity)
    return (*own, *(Action(label, page) for duty, label in offered if scope.allows(duty)))


def _failures(scope: Scope) -> Failures:
    wanted = ParkedFilter(entities=(scope.entity.pk,))
    page = list_parked(scope.entity.workspace, wanted)
    url = reverse("showcase:live_retry", kwargs=scope.parameters)
    return Failures(page.batches, scope.allows(Duty.RETRY), url)


def _ways(scope: Scope) -> tuple[Action, ...]:
    return (
        Action("Compose a context from it", view_url(scope, "composer")),
        Action("Its graph of evidence", view_url(scope, "graph")),
        Action("Its persona, slot by slot", persona_url(scope)),
    )


def _place(request: HttpRequest, name: str) -> int | None:
    """A number of the address; what is none counts as missing."""
    told = request.GET.get(name, "")
    return int(told) if told.isascii() and told.isdigit() and int(told) <= LARGEST else None


def _pager(request: HttpRequest, rows: Rows) -> Pager | None:
    if rows.newer is None and rows.older is None:
        return None
    said = f"{len(rows.cards)} on this page, the newest first"
    return Pager(said, _leading(request, "after", rows.newer), _leading(request, "before", rows.older))


def _leading(request: HttpRequest, name: str, place: int | None) -> str:
    if place is None:
        return ""
    kept = [(key, value) for key, value in request.GET.items() if key not in ("before", "after")]
    return f"?{urlencode([*kept, (name, place)])}"
