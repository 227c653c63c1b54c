"""Bearer keys: made here, shown once, revoked here; never edited."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers

from memory.admin.base import WorkspaceFilter
from memory.admin.changes import Change, ChangingAdmin
from memory.admin.forms import KeyForm
from memory.admin.managed import OperatorsChoiceAdmin
from memory.admin.membership import Duty, can_manage
from memory.admin.once import FIELD, AnsweredFormError, ExpiredFormError, answer_once, new_number
from memory.ingest.workspaces import create_key, revoke_key
from memory.models import Key

MADE_ALREADY = (
    "This form was sent before, and its key was made then: no second one was made. "
    "A key that was not copied is revoked, and another one made."
)
TOO_OLD = "The form was too old, and no key was made: fill it in again."
REVOKE = Change(
    name="revoke",
    label="Revoke",
    says="The key opens nothing any more, at once and for good. Agents that send it are refused.",
    duty=Duty.MANAGE,
    apply=lambda key, actor, cleaned: revoke_key(key=key),
    fits=lambda key: key.revoked_at is None,
    is_bulk=True,
    is_danger=True,
)


@admin.register(Key)
class KeyAdmin(OperatorsChoiceAdmin, ChangingAdmin):
    """The keys of agents. What opens the door is shown on the page that answers the form, and never again."""

    form = KeyForm
    list_display = (
        "label",
        "prefix",
        "workspace",
        "scopes",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
    list_filter = (WorkspaceFilter,)
    list_select_related = ("workspace",)
    ordering = ("-pk",)
    search_fields = ("prefix",)
    search_help_text = "The id or the exact prefix of a key."
    autocomplete_fields = ("workspace", "entities")
    changes = (REVOKE,)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators."""
        return can_manage(request, None)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        """The form's fields for a new key; of an old one also when it was used and revoked."""
        asked = ("workspace", "label", "scopes", "entities", "expires_at")
        return (*asked, "is_bound", "prefix", "created_at", "revoked_at", "last_used_at") if obj else asked

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """The form with one button: what follows it is the page that shows the key.

        That page answers the form itself, so that a reload sends the form again: it makes one key.
        """
        own = {"show_save_and_add_another": False, "show_save_and_continue": False}
        context = {**(extra_context or {}), **own, "form_field": FIELD, "form_number": new_number()}
        try:
            return super().add_view(request, form_url, context)
        except AnsweredFormError:
            return self._turned_away(request, MADE_ALREADY, "changelist")
        except ExpiredFormError:
            return self._turned_away(request, TOO_OLD, "add")

    def _turned_away(self, request: HttpRequest, why: str, page: str) -> HttpResponse:
        self.message_user(request, why, messages.WARNING)
        return HttpResponseRedirect(reverse(f"admin:memory_key_{page}"))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Have the key made, once; the form's own object takes its place for what the admin does after."""
        answer_once(request)
        chosen = form.cleaned_data
        made, token = create_key(
            workspace=chosen["workspace"],
            label=chosen["label"],
            scopes=chosen["scopes"],
            entities=list(chosen["entities"]),
            expires_at=chosen["expires_at"],
        )
        obj.__dict__.update(made.__dict__)
        request.new_key_token = token  # type: ignore[attr-defined]  # shown by response_add, kept nowhere

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        """The page that shows the key. A redirect would have to carry it in a cookie or an address."""
        token: str = request.new_key_token  # type: ignore[attr-defined]
        context = {
            **self.admin_site.each_context(request),
            "title": "The new key",
            "opts": self.opts,
            "key": obj,
            "token": token,
        }
        response = TemplateResponse(request, "admin/memory/key/created.html", context)
        add_never_cache_headers(response)
        return response
