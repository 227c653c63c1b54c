"""The sandbox: what a visitor sees, says, and throws away. The session is all that leads to it."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memory.ingest import sandbox as room
from memory.ingest.problems import IngestConflict, IngestError
from memory.limiting.rates import Verdict, address_of, admit_sandbox
from memory.models import Entity
from memory.stewardship.sandboxes import throw_away
from showcase.access import SANDBOX_KEY, Scope, own_sandbox, scoped
from showcase.following import followed
from showcase.sandbox.forms import SayForm
from showcase.sandbox.reading import OFF, page_of, page_progress, shown
from showcase.waiting import wait_said

PAGE = "showcase/sandbox/sandbox.html"
HOUR_SECONDS = 3_600
TOO_MUCH = "Too much at once from your address."
TOO_MANY_NEW = "Your address has begun as many sandboxes as it may in an hour."
FASTER = "Another window of yours said something at the same time. Send it again."


@never_cache
@require_safe
def sandbox(request: HttpRequest) -> HttpResponse:
    """The visitor's memory, or how to begin one."""
    if not settings.MEMSEEK.sandbox.is_on:
        return render(request, PAGE, {"empty": OFF})
    return _page(request, own_sandbox(request), SayForm())


@never_cache
@require_safe
@scoped
def now(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """The part of the page that follows the worker."""
    progress = page_progress(scope)
    return followed(request, progress, "showcase/sandbox/_now.html", lambda: shown(scope, progress))


@never_cache
@require_POST
def say(request: HttpRequest) -> HttpResponse:
    """Store a message, in a memory that is made with the first one."""
    if not settings.MEMSEEK.sandbox.is_on:
        raise Http404
    scope, form = own_sandbox(request), SayForm(request.POST)
    if not form.is_valid():
        return _page(request, scope, form, status=400)
    verdict = admit_sandbox(address=address_of(request), is_new=scope is None)
    if verdict and not verdict.is_allowed:
        return _refused(request, scope, form, verdict)
    try:
        room.say(entity=scope.entity if scope else _begin(request), text=form.cleaned_data["text"])
    except (room.SandboxFullError, IngestError) as error:
        form.add_error("text", FASTER if isinstance(error, IngestConflict) else str(error))
        return _page(request, scope, form, status=409)
    return redirect("showcase:sandbox")


@require_POST
@scoped
def finish(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """The visitor has said everything: no waiting for more words."""
    room.end_of_talk(scope.entity)
    return redirect("showcase:sandbox")


@require_POST
@scoped
def leave(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Erase everything at once."""
    throw_away(scope.entity)
    del request.session[SANDBOX_KEY]
    request.session.cycle_key()
    return redirect(f"{reverse('showcase:sandbox')}?erased=1")


def _begin(request: HttpRequest) -> Entity:
    """A new memory under a new session key: whoever knew the old one, or planted it, is left behind."""
    entity = room.open_sandbox()
    request.session.cycle_key()
    request.session[SANDBOX_KEY] = str(entity.pk)
    if not request.user.is_authenticated:
        request.session.set_expiry(settings.MEMSEEK.sandbox.hours * HOUR_SECONDS)
    return entity


def _refused(request: HttpRequest, scope: Scope | None, form: SayForm, verdict: Verdict) -> HttpResponse:
    window = verdict.window
    reason = TOO_MANY_NEW if window.counter.seconds == HOUR_SECONDS else TOO_MUCH
    form.add_error("text", f"{reason} Send it again {wait_said(window.wait_seconds)}.")
    response = _page(request, scope, form, status=429)
    response["Retry-After"] = str(window.wait_seconds)
    return response


def _page(request: HttpRequest, scope: Scope | None, form: SayForm, status: int = 200) -> HttpResponse:
    return render(request, PAGE, page_of(request, scope, form), status=status)
