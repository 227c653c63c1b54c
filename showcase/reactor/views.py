"""The staged reactor, a page for each stage."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from showcase.access import demo_scope
from showcase.links import overview_url
from showcase.parts import Crumb, Empty
from showcase.reactor.columns import columns_of
from showcase.reactor.gathering import gather
from showcase.reactor.stages import START, replay_of
from showcase.reactor.telling import told_of
from showcase.reactor.walking import way_from
from showcase.starting import EMPTY

PAGE = "showcase/reactor/reactor.html"
NOT_RUN = Empty(
    "Nothing has run yet",
    "No step of the cascade has read anything here, so there is nothing to replay. A worker takes up what is "
    "said within seconds; the scripted tour says two sessions and waits for it.",
    command="make demo",
)


@require_safe
def reactor(request: HttpRequest, slug: str = START) -> HttpResponse:
    """A stage of the tour's memory; at most twelve statements. 404 for one that does not exist."""
    scope = demo_scope()
    replay = replay_of(scope.entity) if scope else None
    stage = replay.find(slug) if replay else None
    if scope is None or replay is None or len(replay.stages) == 1:
        if slug != START:
            raise Http404
        return render(request, PAGE, {"empty": NOT_RUN if scope else EMPTY})
    if stage is None:
        raise Http404
    given = gather(scope, replay, stage)
    wave = next((wave for wave in replay.waves if wave.number == stage.wave), None)
    context = {
        "crumbs": (Crumb("Overview", overview_url(scope)), Crumb("Reactor")),
        "stage": stage,
        "wave": wave,
        "way": way_from(replay, stage),
        "told": told_of(given),
        "columns": columns_of(given),
        "overview_url": overview_url(scope),
        "waiting": given.totals.waiting if stage is replay.stages[-1] else 0,
    }
    return render(request, PAGE, context)
