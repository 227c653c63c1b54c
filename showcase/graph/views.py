"""The graph's page."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from showcase.graph.asked import Asked
from showcase.graph.drawing import sketch
from showcase.graph.forms import GraphForm
from showcase.graph.layout import place as placed
from showcase.graph.outline import outline
from showcase.graph.reading import read_graph
from showcase.parts import Notice
from showcase.places import place_scope, view_url
from showcase.starting import EMPTY

PAGE = "showcase/graph/graph.html"
CUT = Notice("So much was found that only the first rows of it are followed. Ask for less.", "warn")
NOT_HERE = Notice("What was to stand out is not among what is shown.", "warn")


@require_safe
def graph(request: HttpRequest, place: str, entity_id: UUID | None = None) -> HttpResponse:
    """Four columns of one memory, and what rests on what; `?at=` makes one row's connections stand out."""
    scope = place_scope(request, place, entity_id)
    if scope is None:
        return render(request, PAGE, {"empty": EMPTY})
    form = GraphForm(request.GET, scope.entity.zone)
    form.is_valid()
    asked = Asked.of(form, request.GET)
    read = read_graph(scope.entity, asked)
    form.offer_sessions((group.id, group.name) for group in read.all_sessions if group.id)
    drawn = sketch(scope, asked, read)
    page = {
        "form": form,
        "asked": asked,
        "entity": scope.entity,
        "picture": placed(drawn),
        "outline": outline(drawn),
        "notices": [
            *([CUT] if read.is_cut else []),
            *([NOT_HERE] if asked.at and not drawn.lit else []),
        ],
        "url": view_url(scope, "graph"),
        "all_url": asked.around(None).query(),
        "row_count": read.message_count + read.atom_count + len(read.lines) + len(read.traits),
    }
    return render(request, PAGE, page)
