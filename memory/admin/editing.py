"""Editing as Markdown in two steps: the text, then the page that shows what it comes to and saves it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from memory.admin.audit import note
from memory.admin.changes import REASON_LIMIT, ChangingAdmin, actor_of
from memory.admin.differences import Compared
from memory.admin.links import page_of
from memory.admin.membership import Duty
from memory.stewardship.actors import Actor, RefusedChangeError

TEXT_LIMIT = 60_000


class MarkdownForm(forms.Form):
    """The text, why it is changed, and what was current when it was opened."""

    markdown = forms.CharField(
        max_length=TEXT_LIMIT,
        strip=False,
        label="Text",
        widget=forms.Textarea(attrs={"class": "m-markdown", "spellcheck": "true"}),
        help_text="Headings are sections, list items are lines. A line that stays as it is keeps its "
        "receipts.",
    )
    reason = forms.CharField(
        max_length=REASON_LIMIT, help_text="Kept beside the change, for whoever asks why."
    )
    base = forms.IntegerField(required=False, widget=forms.HiddenInput)


@dataclass(frozen=True, slots=True)
class Opened:
    """A text as it is opened for editing; `base` is the number of the version that is current."""

    markdown: str
    base: int | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What a text would come to: the difference, what was read tolerantly, and what stands in the way."""

    compared: Compared
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edit:
    """How the rows of a table are edited; the functions are a room's, and raise RefusedChangeError."""

    label: str
    says: str
    duty: Duty
    fits: Callable[[Any], bool]
    opened: Callable[[Any], Opened]
    preview: Callable[[Any, str, int | None], Preview]
    save: Callable[[Any, str, int | None, Actor, str], object]


class EditingAdmin(ChangingAdmin):
    """A table whose rows are edited as Markdown."""

    edit: Edit

    def get_urls(self) -> list[URLPattern]:
        """The page of editing, before Django's own that take any address."""
        view = self.admin_site.admin_view(self.edit_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_edit"
        own: list[URLPattern] = [path("<path:object_id>/edit/", view, name=name)]
        return own + super().get_urls()

    def buttons(self, request: HttpRequest, row: Any) -> list[dict[str, Any]]:
        """The page of editing first."""
        found = super().buttons(request, row)
        if not (self.has_duty(request, self.edit.duty, row) and self.edit.fits(row)):
            return found
        url = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_edit", args=[row.pk])
        return [{"label": self.edit.label, "url": url, "is_danger": False}, *found]

    def edit_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The text, its preview, or, once saved, the way back to the row."""
        row = self.get_object(request, unquote(object_id))
        if row is None or not self.edit.fits(row):
            raise Http404
        if not self.has_duty(request, self.edit.duty, row):
            raise PermissionDenied
        if request.method != "POST":
            opened = self.edit.opened(row)
            form = MarkdownForm(initial={"markdown": opened.markdown, "base": opened.base})
            return self._page(request, row, form, None)
        return self._answered(request, row, MarkdownForm(request.POST))

    def _answered(self, request: HttpRequest, row: Any, form: MarkdownForm) -> HttpResponse:
        preview = None
        if form.is_valid() and "edit" not in request.POST:
            given = form.cleaned_data
            try:
                preview = self.edit.preview(row, given["markdown"], given["base"])
                if "save" in request.POST and not preview.problems:
                    return self._saved(request, row, given)
            except RefusedChangeError as error:
                preview = None
                form.add_error(None, str(error))
        return self._page(request, row, form, preview)

    def _saved(self, request: HttpRequest, row: Any, given: dict[str, Any]) -> HttpResponse:
        self.edit.save(row, given["markdown"], given["base"], actor_of(request), given["reason"])
        note(request, [row], CHANGE, self.edit.label)
        self.message_user(request, f"{self.edit.label}: saved.", messages.SUCCESS)
        return HttpResponseRedirect(page_of(str(self.opts.model_name), row.pk))

    def _page(
        self, request: HttpRequest, row: Any, form: MarkdownForm, preview: Preview | None
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": self.edit.label,
            "opts": self.opts,
            "original": row,
            "edit": self.edit,
            "form": form,
            "preview": preview,
            "row": row,
            "back": page_of(str(self.opts.model_name), row.pk),
        }
        return TemplateResponse(request, "admin/memory/edit.html", context)
