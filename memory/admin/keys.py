"""Bearer keys: made here, shown once, revoked here; never edited."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers

from memory.admin.base import WorkspaceFilter
from memory.admin.changes import Change, ChangingAdmin
from memory.admin.forms import KeyForm
from memory.admin.managed import OperatorsChoiceAdmin
from memory.admin.membership import Duty, can_manage
from memory.ingest.workspaces import create_key, revoke_key
from memory.models import Key

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
        """The form with one button: what follows it is the page that shows the key."""
        buttons = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **buttons})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Have the key made; the form's own object takes its place for what the admin does after."""
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
