"""Forgetting in words: what is meant is listed with all that rests on it, and goes once that is confirmed."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memory.admin.forgetting import WordsForm, confirm, proposal_of
from memory.admin.membership import Duty
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.forgetting import Proposal
from showcase.access import Scope, live_scope
from showcase.links import overview_url
from showcase.live.signing_in import signed_in
from showcase.parts import Crumb, Notice

PAGE = "showcase/live/forget.html"
DONE = Notice("Forgotten, in every place that held its words.", "good")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def forget(request: HttpRequest, entity_id: UUID) -> HttpResponse:
    """Ask for words, list what they mean, erase what was listed. Http404 for whom it is not open to."""
    scope = live_scope(request, entity_id)
    if not scope.allows(Duty.ERASE):
        raise Http404
    if request.method == "POST" and "token" in request.POST:
        return _confirmed(request, scope)
    form = WordsForm(request.POST if request.method == "POST" else None)
    return _page(request, scope, form, proposal_of(request, scope.entity, form))


def _confirmed(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Erase what was listed but for what is kept; what has changed meanwhile is asked again."""
    try:
        confirm(request, scope.entity)
    except RefusedChangeError as error:
        form = WordsForm(initial={"words": request.POST.get("words", "")})
        return _page(request, scope, form, None, Notice(str(error), "warn"))
    return redirect(f"{request.path}?forgotten=1")


def _page(
    request: HttpRequest,
    scope: Scope,
    form: WordsForm,
    proposal: Proposal | None,
    notice: Notice | None = None,
) -> HttpResponse:
    back = overview_url(scope)
    context = {
        "form": form,
        "proposal": proposal,
        "notice": notice or (DONE if "forgotten" in request.GET else None),
        "back": back,
        "entity": scope.entity.name,
        "crumbs": (Crumb("Live", reverse("showcase:live")), Crumb(scope.entity.name, back), Crumb("Forget")),
    }
    return render(request, PAGE, context)
