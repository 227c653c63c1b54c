"""The pages of records, the same in every place."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.recall.short_ids import short_id
from showcase.access import Scope, scoped
from showcase.links import record_url, trace_url
from showcase.parts import Crumb
from showcase.records import doors
from showcase.records.atoms import atom_page
from showcase.records.differences import difference_page
from showcase.records.messages import message_page
from showcase.records.persona import persona_slots
from showcase.records.scenes import ScenePage, scene_page
from showcase.records.traces import trace_page
from showcase.records.ways import crumbs

DIGITS_LIMIT = 9


@require_safe
@scoped
def scene(request: HttpRequest, scope: Scope, id: UUID) -> HttpResponse:
    """The current version of a scene, and its history from `?before=` on."""
    page = scene_page(scope, id, before=_number(request, "before"))
    return _scene(request, scope, page, crumbs(scope, Crumb(page.title)))


@require_safe
@scoped
def scene_version(request: HttpRequest, scope: Scope, id: UUID, number: int) -> HttpResponse:
    """One version of a scene."""
    page = scene_page(scope, id, number, before=_number(request, "before"))
    way = crumbs(scope, Crumb(page.title, record_url(scope, "scene", id)), Crumb(f"Version {number}"))
    return _scene(request, scope, page, way)


def _scene(request: HttpRequest, scope: Scope, page: ScenePage, way: tuple[Crumb, ...]) -> HttpResponse:
    offered = doors.scene_doors(request, scope, page.scene, page.number) if page.is_head else ()
    context = {
        "page": page,
        "crumbs": way,
        "doors": offered,
        "scene_url": record_url(scope, "scene", page.scene.pk),
        "trace_url": trace_url(scope, page.row.version.pk),
    }
    return render(request, "showcase/records/scene.html", context)


@require_safe
@scoped
def scene_difference(request: HttpRequest, scope: Scope, id: UUID) -> HttpResponse:
    """Two versions of a scene, `?from=` and `?to=`."""
    page = difference_page(scope, id, _number(request, "from"), _number(request, "to"))
    scene_url = record_url(scope, "scene", id)
    way = crumbs(scope, Crumb(page.title, scene_url), Crumb("Difference"))
    context = {"page": page, "crumbs": way, "scene_url": scene_url}
    return render(request, "showcase/records/difference.html", context)


@require_safe
@scoped
def persona(request: HttpRequest, scope: Scope) -> HttpResponse:
    """All slots of the persona."""
    slots = [
        (slot, doors.trait_doors(request, scope, slot.history) if slot.history else ())
        for slot in persona_slots(scope)
    ]
    context = {
        "slots": slots,
        "entity": scope.entity.name,
        "crumbs": crumbs(scope, Crumb("Persona")),
        "slot_doors": doors.slot_doors(request, scope),
    }
    return render(request, "showcase/records/persona.html", context)


@require_safe
@scoped
def atom(request: HttpRequest, scope: Scope, id: UUID) -> HttpResponse:
    """One claim."""
    page = atom_page(scope, id)
    context = {
        "page": page,
        "crumbs": crumbs(scope, Crumb(f"Atom {short_id(id)}")),
        "doors": doors.atom_doors(request, scope, page.row),
        "trace_url": trace_url(scope, id),
    }
    return render(request, "showcase/records/atom.html", context)


@require_safe
@scoped
def message(request: HttpRequest, scope: Scope, id: UUID) -> HttpResponse:
    """One message."""
    page = message_page(scope, id)
    context = {
        "page": page,
        "crumbs": crumbs(scope, Crumb(f"Message {short_id(id)}")),
        "doors": doors.message_doors(request, scope, page.row),
        "trace_url": trace_url(scope, id),
    }
    return render(request, "showcase/records/message.html", context)


@require_safe
@scoped
def trace(request: HttpRequest, scope: Scope, id: UUID) -> HttpResponse:
    """What any record rests on, and what rests on it."""
    page = trace_page(scope, id)
    context = {
        "page": page,
        "crumbs": crumbs(scope, Crumb(f"Trace of {page.root.kind} {short_id(page.root.id or id)}")),
    }
    return render(request, "showcase/records/trace.html", context)


def _number(request: HttpRequest, name: str) -> int | None:
    """A number of a version in the address; Http404 for what is none."""
    given = request.GET.get(name)
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= DIGITS_LIMIT):
        raise Http404
    return int(given)
