"""Forgetting in words: what is meant, what rests on it, and a token that erases exactly that."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from memory.admin.changes import actor_of
from memory.admin.links import page_of
from memory.admin.membership import Duty, may, visible
from memory.models import Entity, Erasure
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.forgetting import Proposal, confirm_forgetting, propose_forgetting

WORDS_LIMIT = 500


class WordsForm(forms.Form):
    """What is to be forgotten, as a person would say it."""

    words = forms.CharField(
        max_length=WORDS_LIMIT,
        label="Forget",
        widget=forms.TextInput(attrs={"placeholder": "my old address", "autocomplete": "off"}),
        help_text="Nothing goes yet: what is meant is listed first, with everything that rests on it.",
    )


def forget_view(request: HttpRequest, object_id: UUID) -> HttpResponse:
    """Ask for words, list what they mean, and erase what was listed once that is confirmed."""
    rows = visible(request, Entity.objects.visible(), "workspace")
    entity = get_object_or_404(rows.select_related("workspace"), pk=object_id)
    if not may(request, Duty.ERASE, entity.workspace_id):
        raise PermissionDenied
    if request.method == "POST" and "token" in request.POST:
        return _confirmed(request, entity)
    form = WordsForm(request.POST if request.method == "POST" else None)
    return _page(request, entity, form, proposal_of(request, entity, form))


def proposal_of(request: HttpRequest, entity: Entity, form: WordsForm) -> Proposal | None:
    """What the words of a form mean; None without words, or where the form then says why nothing is meant."""
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return propose_forgetting(entity=entity, words=form.cleaned_data["words"], actor=actor_of(request))
    except RefusedChangeError as error:
        form.add_error("words", str(error))
        return None


def confirm(request: HttpRequest, entity: Entity) -> Erasure:
    """Erase what was listed but for what is kept. RefusedChangeError where anything has changed meanwhile."""
    listed, chosen = _ids(request, "listed"), set(_ids(request, "chosen"))
    keep = [pk for pk in listed if pk not in chosen]
    return confirm_forgetting(entity=entity, token=request.POST["token"], actor=actor_of(request), keep=keep)


def _confirmed(request: HttpRequest, entity: Entity) -> HttpResponse:
    try:
        erasure = confirm(request, entity)
    except RefusedChangeError as error:
        form = WordsForm(initial={"words": request.POST.get("words", "")})
        messages.error(request, str(error))
        return _page(request, entity, form, None)
    messages.success(request, "Forgotten. The page of the erase says what went.")
    return HttpResponseRedirect(page_of("erasure", erasure.pk))


def _ids(request: HttpRequest, name: str) -> list[UUID]:
    try:
        return [UUID(value) for value in request.POST.getlist(name)]
    except ValueError as error:
        raise Http404 from error


def _page(request: HttpRequest, entity: Entity, form: WordsForm, proposal: Proposal | None) -> HttpResponse:
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": "Forget",
        "opts": Entity._meta,
        "original": entity,
        "entity": entity,
        "form": form,
        "proposal": proposal,
        "back": page_of("entity", entity.pk),
    }
    return TemplateResponse(request, "admin/memory/entity/forget.html", context)
