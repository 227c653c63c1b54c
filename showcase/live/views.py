"""The live view: sign in, choose a memory, look at it, put back in line what failed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memory.admin.membership import Duty
from memory.cascade.work import retry_parked
from memory.limiting.rates import admit_sign_in
from memory.models import Step
from showcase.access import live_scope
from showcase.following import followed
from showcase.links import overview_url
from showcase.live.choosing import MOST_PAGES, entities_of, entity_of_run, workspaces_of
from showcase.live.forms import ChooseForm, RetryForm, RunForm
from showcase.live.reading import entity_page, followed_progress, shown
from showcase.live.signing_in import signed_in
from showcase.parts import Empty, Notice

NO_RUN = Notice("No run of that id is in a workspace of yours.", "warn")
NO_ENTITY = Empty(
    "No memory here",
    "Either nothing fits, or nobody has put you into a workspace that has one. Operators add members in the "
    "admin.",
)


class SignIn(LoginView):
    """The login in the look of the pages. Where it leads is an address of this site, or the list."""

    template_name = "showcase/live/sign_in.html"
    next_page = "showcase:live"
    redirect_authenticated_user = False

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Too many tries of an address are refused before a password is looked at."""
        verdict = admit_sign_in(request)
        if verdict and not verdict.is_allowed:
            form = self.get_form_class()(request)
            notice = Notice(f"Too many tries. Again in {verdict.window.wait_seconds} seconds.", "warn")
            context = self.get_context_data(form=form, notice=notice)
            wait = {"Retry-After": str(verdict.window.wait_seconds)}
            return self.render_to_response(context, status=429, headers=wait)
        return super().post(request, *args, **kwargs)


class SignOut(LogoutView):
    """Ends the session."""

    next_page = "showcase:live"


@never_cache
@require_safe
@signed_in
def live(request: HttpRequest) -> HttpResponse:
    """The memories of the person's workspaces."""
    form = ChooseForm(request.GET or None, workspaces_of(request))
    wanted = form.cleaned_data if form.is_valid() else {}
    choices = entities_of(request, wanted, _page_number(request))
    run_form = RunForm(request.GET if "run" in request.GET else None)
    page: dict[str, Any] = {"form": form, "run_form": run_form, "choices": choices, "empty": NO_ENTITY}
    if run_form.is_bound and run_form.is_valid():
        entity = entity_of_run(request, run_form.cleaned_data["run"])
        if entity is not None:
            return redirect("showcase:live_entity", entity_id=entity.pk)
        page["notice"] = NO_RUN
    return render(request, "showcase/live/choose.html", page)


@never_cache
@require_safe
@signed_in
def live_entity(request: HttpRequest, entity_id: UUID) -> HttpResponse:
    """One memory: what stands, what is being made, what failed, and its rows."""
    scope = live_scope(request, entity_id)
    progress = followed_progress(scope)
    context = {**entity_page(request, scope), **shown(request, scope, progress)}
    return render(request, "showcase/live/entity.html", context)


@never_cache
@require_safe
@signed_in
def live_now(request: HttpRequest, entity_id: UUID) -> HttpResponse:
    """The part of the page that follows the worker."""
    scope = live_scope(request, entity_id)
    progress = followed_progress(scope)
    template = "showcase/live/_now.html"
    return followed(request, progress, template, lambda: shown(request, scope, progress))


@require_POST
@signed_in
def retry(request: HttpRequest, entity_id: UUID) -> HttpResponse:
    """Put a batch back in line."""
    scope, form = live_scope(request, entity_id), RetryForm(request.POST)
    if not scope.allows(Duty.RETRY) or not form.is_valid():
        raise Http404
    wanted = form.cleaned_data
    retry_parked(entity=scope.entity, step=Step(wanted["step"]), run=wanted["run"])
    return redirect(overview_url(scope))


def _page_number(request: HttpRequest) -> int:
    told = request.GET.get("page", "")
    return min(max(int(told), 1), MOST_PAGES) if told.isascii() and told.isdigit() and len(told) < 9 else 1
