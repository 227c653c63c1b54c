"""The skill loop of the tour's memory."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.models import Entity
from showcase.access import demo_scope
from showcase.links import overview_url
from showcase.parts import Crumb, Empty
from showcase.skills.loops import choices, loop_of
from showcase.skills.reading import inputs_waiting, procedures_of, rows_of
from showcase.starting import EMPTY

PAGE = "showcase/skills/skills.html"
MOST_VERSIONS = 2_147_483_647
NO_TASK = Empty(
    "No task was recorded yet",
    "A procedure begins with traces: an agent records how it carried a task out, step by step, over HTTP, "
    "MCP or the client. The scripted tour records two tasks of the same kind and leaves a draft.",
    command="make demo",
)


@require_safe
def skills(request: HttpRequest, id: UUID | None = None) -> HttpResponse:
    """A procedure from its traces to its next draft, the newest one unless another is named."""
    scope = demo_scope()
    procedures = procedures_of(scope.entity) if scope else []
    if scope is None or not procedures:
        if id is not None:
            raise Http404
        return render(request, PAGE, {"empty": _empty(scope.entity) if scope else EMPTY})
    chosen = next((row for row in procedures if id in (None, row.pk)), None)
    if chosen is None:
        raise Http404
    context = {
        "crumbs": (Crumb("Overview", overview_url(scope)), Crumb("Skills")),
        "loop": loop_of(request, scope, rows_of(scope.entity, chosen, before=_before(request))),
        "choices": choices(procedures, chosen),
    }
    return render(request, PAGE, context)


def _before(request: HttpRequest) -> int | None:
    """The number that older versions are below; what is none is not looked at."""
    said = request.GET.get("before", "")
    return min(int(said), MOST_VERSIONS) if said.isascii() and said.isdigit() and len(said) < 20 else None


def _empty(entity: Entity) -> Empty:
    waiting = inputs_waiting(entity)
    if not waiting:
        return NO_TASK
    return Empty(
        "A draft is not written yet",
        f"{waiting} trace{' waits' if waiting == 1 else 's wait'} for a worker, who drafts from what tasks "
        "have in common. Where none runs:",
        command="make worker",
    )
