"""Changes that people ask for here: a button on a row's page, an action on its list, one page that confirms.

A change is data: who may ask for it, what is asked, what will happen, and the room that does it.
Nothing is done before the page that says so was answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.admin import action
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import CHANGE
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from memory.admin.audit import note
from memory.admin.base import ReadOnlyAdmin
from memory.admin.links import excerpt, page_of
from memory.admin.membership import Duty
from memory.stewardship.actors import Actor, RefusedChangeError

MOST_AT_ONCE = 200
CONFIRMED = "confirmed"
REASON_LIMIT = 500


class ChangeForm(forms.Form):
    """What a change asks beside the confirmation; `rows` are those it was asked for."""

    def __init__(self, *args: Any, rows: Sequence[Any] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.rows = rows


class ReasonForm(ChangeForm):
    """Why: it is kept with the change."""

    reason = forms.CharField(
        max_length=REASON_LIMIT,
        widget=forms.TextInput,
        help_text="Kept beside the change, for whoever asks why.",
    )


class BasedForm(ReasonForm):
    """A decision about something that was shown: `base` says what was current then, empty for nothing."""

    base = forms.IntegerField(required=False, widget=forms.HiddenInput)


def _always(row: Any) -> bool:
    return True


def _not_alone(row: Any, actor: Actor, cleaned: Mapping[str, Any]) -> object:
    raise RefusedChangeError("This is done to rows together.")


def _nothing(row: Any) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Change:
    """Something that people with a duty may have done to a row, or to several."""

    name: str
    label: str
    says: str
    """What will happen, told before it is confirmed."""
    duty: Duty
    apply: Callable[[Any, Actor, Mapping[str, Any]], object] = _not_alone
    """The room's function for one row; it raises RefusedChangeError with a text for people."""
    apply_to_all: Callable[[Sequence[Any], Actor, Mapping[str, Any]], object] | None = None
    """Instead of `apply`, where the rows are changed together or not at all."""
    then: Callable[[Any], str] | None = None
    """The address to go to with what was given for one row, or by `apply_to_all`; else back to where the
    change was asked for."""
    form: type[ChangeForm] = ChangeForm
    fits: Callable[[Any], bool] = _always
    """Whether it makes sense for a row in the state that it has."""
    initial: Callable[[Any], Mapping[str, Any]] = _nothing
    """What the form says at first, for one row."""
    carried: Callable[[Any], Mapping[str, Any]] = _nothing
    """Values of the form that the row's page takes along: what was current when it was shown."""
    details: Callable[[Any], Mapping[str, Any]] = _nothing
    """What the page that confirms tells about a row, by name."""
    is_bulk: bool = False
    is_danger: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a confirmed change went."""

    done: tuple[Any, ...]
    refused: tuple[tuple[Any, str], ...]
    result: Any = None
    """What was given for one row, or for all rows together."""


def actor_of(request: HttpRequest) -> Actor:
    """The signed-in person, as rooms and the audit know who it was."""
    return Actor(user=request.user)  # type: ignore[arg-type]  # pages of the admin know no anonymous people


class ChangingAdmin(ReadOnlyAdmin):
    """A table whose rows people may have changed, each change on a page that confirms it."""

    changes: tuple[Change, ...] = ()
    list_disable_select_all = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        # Only those are offered whose duty the person has: Django asks `has_…_permission` for each.
        self.actions = [*(self.actions or ()), *(_as_action(one) for one in self.changes if one.is_bulk)]

    def get_urls(self) -> list[URLPattern]:
        """The pages that confirm, before Django's own that take any address."""
        view = self.admin_site.admin_view(self.change_one)
        name = f"{self.opts.app_label}_{self.opts.model_name}_do"
        own: list[URLPattern] = [path("<path:object_id>/do/<slug:name>/", view, name=name)]
        return own + super().get_urls()

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The row's page with a button for each change that fits it."""
        row = options.get("obj")
        if row is not None:
            context["row_changes"] = self.buttons(request, row)
        return super().render_change_form(request, context, *args, **options)

    def buttons(self, request: HttpRequest, row: Any) -> list[dict[str, Any]]:
        """What may be asked for a row, with the address of the page that confirms it."""
        return [
            {"label": change.label, "url": self.address_of(row, change), "is_danger": change.is_danger}
            for change in self.changes
            if self.has_duty(request, change.duty, row) and change.fits(row)
        ]

    def address_of(self, row: Any, change: Change) -> str:
        """The page that confirms a change of a row, with what was current when this was asked."""
        page = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_do", args=[row.pk, change.name])
        carried = {name: value for name, value in change.carried(row).items() if value is not None}
        return f"{page}?{urlencode(carried)}" if carried else page

    def change_one(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """The page that confirms a change of one row, and does it when it is confirmed."""
        change = next((one for one in self.changes if one.name == name), None)
        row = self.get_object(request, unquote(object_id))
        if change is None or row is None:
            raise Http404
        if not self.has_duty(request, change.duty, row):
            raise PermissionDenied
        return self.confirm(request, change, [row], back=page_of(str(self.opts.model_name), row.pk))

    def confirm(
        self, request: HttpRequest, change: Change, rows: Sequence[Any], *, back: str
    ) -> HttpResponse:
        """Ask, or do what was confirmed and go back; what is refused is told beside the question."""
        is_confirmed = request.method == "POST" and CONFIRMED in request.POST
        form = change.form(
            request.POST if is_confirmed else None, rows=rows, initial=_initial(request, change, rows)
        )
        fitting = [row for row in rows if change.fits(row)]
        if is_confirmed and form.is_valid():
            outcome = self.apply_all(request, change, fitting, form.cleaned_data)
            if outcome.done or not outcome.refused:
                self._tell(request, change, outcome)
                onward = change.then(outcome.result) if change.then and outcome.result else back
                return HttpResponseRedirect(onward)
            for _, why in outcome.refused:
                form.add_error(None, why)
        context = {
            **self.admin_site.each_context(request),
            "title": change.label,
            "opts": self.opts,
            "original": fitting[0] if len(fitting) == 1 else None,
            "change": change,
            "form": form,
            "shown": [self._shown(change, row) for row in fitting],
            "left_out": len(rows) - len(fitting),
            "is_bulk": ACTION_CHECKBOX_NAME in request.POST,
            "checkbox": ACTION_CHECKBOX_NAME,
            "back": back,
        }
        return TemplateResponse(request, "admin/memory/confirm.html", context)

    def apply_all(
        self, request: HttpRequest, change: Change, rows: Sequence[Any], cleaned: Mapping[str, Any]
    ) -> Outcome:
        """Have each row changed on its own: one that is refused does not keep the others.

        Where a change is made to all together, all are done or all refused.
        """
        if change.apply_to_all is not None and rows:
            return self._apply_together(request, change, rows, cleaned)
        done, refused, results = [], [], []
        for row in rows:
            try:
                result = change.apply(row, actor_of(request), cleaned)
            except RefusedChangeError as error:
                refused.append((row, str(error)))
            else:
                done.append(row)
                results.append(result)
        note(request, done, CHANGE, change.label)
        return Outcome(tuple(done), tuple(refused), results[0] if len(results) == 1 else None)

    def _apply_together(
        self, request: HttpRequest, change: Change, rows: Sequence[Any], cleaned: Mapping[str, Any]
    ) -> Outcome:
        assert change.apply_to_all is not None  # noqa: S101  # the caller has looked
        try:
            result = change.apply_to_all(rows, actor_of(request), cleaned)
        except RefusedChangeError as error:
            return Outcome((), ((rows[0], str(error)),))
        note(request, rows, CHANGE, change.label)
        return Outcome(tuple(rows), (), result)

    def _tell(self, request: HttpRequest, change: Change, outcome: Outcome) -> None:
        self.message_user(request, f"{change.label}: {len(outcome.done)} done.", messages.SUCCESS)
        for row, why in outcome.refused:
            self.message_user(request, f"Refused for {row._meta.verbose_name}: {why}", messages.WARNING)

    def _shown(self, change: Change, row: Any) -> dict[str, Any]:
        page = page_of(str(self.opts.model_name), row.pk)
        return {"row": row, "says": excerpt(str(row)), "url": page, "details": dict(change.details(row))}


def _initial(request: HttpRequest, change: Change, rows: Sequence[Any]) -> Mapping[str, Any]:
    """What the address carries goes before what is current now: a person decides on what was shown."""
    if len(rows) != 1:
        return {}
    current = change.carried(rows[0])
    return {
        **change.initial(rows[0]),
        **{name: request.GET.get(name, value) for name, value in current.items()},
    }


def _as_action(change: Change) -> Callable[[Any, HttpRequest, Any], HttpResponse | None]:
    """A change as Django calls an action of a list: for the rows that the person may change."""

    def ask(admin: ChangingAdmin, request: HttpRequest, rows: Any) -> HttpResponse | None:
        chosen = [row for row in rows[: MOST_AT_ONCE + 1] if admin.has_duty(request, change.duty, row)]
        if len(chosen) > MOST_AT_ONCE:
            admin.message_user(request, f"Choose {MOST_AT_ONCE} rows at most.", messages.ERROR)
            return None
        return admin.confirm(request, change, chosen, back=request.get_full_path())

    ask.__name__ = change.name
    return action(permissions=[str(change.duty)], description=change.label)(ask)
