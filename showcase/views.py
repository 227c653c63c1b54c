"""The pages. Everybody sees the demonstration's memory, and no other."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from showcase.demonstration import standing_of, tour_entity
from showcase.glimpse import glimpse_of
from showcase.layers import layers_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Memseek is, and the ladder of the tour with the first lines of each layer."""
    entity = tour_entity()
    context = entity and {"standing": standing_of(entity), "glimpse": glimpse_of(entity)}
    return render(request, "showcase/home.html", context or {})


@require_safe
def agent_memory(request: HttpRequest) -> HttpResponse:
    """The whole ladder of the tour, every derived line with its receipts."""
    entity = tour_entity()
    if entity is None:
        return render(request, "showcase/agent_memory.html")
    standing = standing_of(entity)
    context = {"standing": standing, "layers": layers_of(entity, messages=standing.messages)}
    return render(request, "showcase/agent_memory.html", context)
