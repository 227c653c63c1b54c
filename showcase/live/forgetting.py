"""Forgetting in words: what is meant is listed with all that rests on it, and goes once that is confirmed."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memory.admin.changes import actor_of
from memory.admin.forgetting import WordsForm
from memory.admin.membership import Duty
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.forgetting import Proposal, confirm_forgetting, propose_forgetting
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
    return _page(request, scope, form, _proposed(request, scope, form))


def _proposed(request: HttpRequest, scope: Scope, form: WordsForm) -> Proposal | None:
    if not form.is_bound or not form.is_valid():
        return None
    words = form.cleaned_data["words"]
    try:
        return propose_forgetting(entity=scope.entity, words=words, actor=actor_of(request))
    except RefusedChangeError as error:
        form.add_error("words", str(error))
        return None


def _confirmed(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Erase what was listed but for what is kept; what has changed meanwhile is asked again."""
    listed, chosen = _ids(request, "listed"), set(_ids(request, "chosen"))
    keep = [id for id in listed if id not in chosen]
    try:
        confirm_forgetting(
            entity=scope.entity, token=request.POST["token"], actor=actor_of(request), keep=keep
        )
    except RefusedChangeError as error:
        form = WordsForm(initial={"words": request.POST.get("words", "")})
        return _page(request, scope, form, None, Notice(str(error), "warn"))
    return redirect(f"{request.path}?forgotten=1")


def _ids(request: HttpRequest, name: str) -> list[UUID]:
    try:
        return [UUID(value) for value in request.POST.getlist(name)]
    except ValueError as error:
        raise Http404 from error


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
