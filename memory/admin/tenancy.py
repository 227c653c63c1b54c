"""Workspaces, members and entities: the tables that an operator manages."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from memory.admin.base import WorkspaceFilter
from memory.admin.changes import ChangingAdmin
from memory.admin.erasing_changes import ERASE_ENTITY, ERASE_PERIOD
from memory.admin.forgetting import forget_view
from memory.admin.forms import EntityForm, MemberForm, WorkspaceForm
from memory.admin.links import NOTHING, list_link
from memory.admin.managed import ManagedAdmin
from memory.admin.membership import can_manage, is_superuser
from memory.admin.pause_changes import PAUSE_ENTITY, RESUME_ENTITY
from memory.admin.trait_changes import SET_SLOT
from memory.models import Entity, Member, Workspace

ROWS_OF_ENTITY = (
    ("message", "L0"),
    ("atom", "L1"),
    ("scene", "L2"),
    ("trait", "L3"),
    ("work", "work"),
    ("run", "runs"),
)


def pages_of(entity: Entity) -> list[dict[str, str]]:
    """Where an entity's figures and rows are."""
    figures = (
        f"{reverse('admin:index')}?{urlencode({'workspace': entity.workspace_id, 'entity': entity.name})}"
    )
    lists = (
        {
            "label": label,
            "url": f"{reverse(f'admin:memory_{name}_changelist')}?entity__id__exact={entity.pk}",
        }
        for name, label in ROWS_OF_ENTITY
    )
    return [{"label": "Figures", "url": figures}, *lists]


@admin.register(Workspace)
class WorkspaceAdmin(ManagedAdmin):
    """Tenants: superusers make them, their operators set design and budget."""

    form = WorkspaceForm
    workspace_path = "pk"
    list_display = ("name", "design", "daily_token_budget", "message_days", "created_at", "entity_list")
    ordering = ("name",)
    search_fields = ("name__startswith",)
    search_help_text = "The id of a workspace, or the beginning of its name."
    fields = (
        "name",
        "design",
        "daily_token_budget",
        ("message_days", "run_days"),
        ("use_days", "event_days"),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:  # type: ignore[override]
        """Superusers: nobody is a member of what does not exist yet."""
        return is_superuser(request)

    @admin.display(description="entities")
    def entity_list(self, workspace: Workspace) -> str:
        """A link to its entities."""
        return list_link("entity", f"workspace__id__exact={workspace.pk}", "entities")


@admin.register(Member)
class MemberAdmin(ManagedAdmin):
    """Who may enter a workspace, and as what."""

    form = MemberForm
    list_display = ("user", "workspace", "role", "created_at")
    list_filter = (WorkspaceFilter, "role")
    list_select_related = ("user", "workspace")
    ordering = ("-pk",)
    search_fields = ("user__username",)
    search_help_text = "The id of a row, or an exact user name."
    autocomplete_fields = ("workspace",)
    fields = ("workspace", "user", "role")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators."""
        return can_manage(request, None)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Operators of the workspace."""
        return self.has_manage_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Who and where stay; the role changes."""
        return ("workspace", "user") if obj else ()


@admin.register(Entity)
class EntityAdmin(ManagedAdmin, ChangingAdmin):
    """Whose memory it is. Agents make entities by writing; here their zone and pauses are set."""

    form = EntityForm
    list_display = ("name", "workspace", "time_zone", "paused", "created_at", "layers")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("workspace",)
    ordering = ("-pk",)
    search_fields = ("name__startswith",)
    search_help_text = "The id of an entity, or the beginning of its name."
    fields = (
        ("workspace", "name"),
        ("group_id", "user_id"),
        "time_zone",
        "paused_steps",
        ("erase_epoch", "created_at"),
    )
    readonly_fields = ("workspace", "name", "group_id", "user_id", "erase_epoch", "created_at")
    changes = (SET_SLOT, PAUSE_ENTITY, RESUME_ENTITY, ERASE_PERIOD, ERASE_ENTITY)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The entity with ways to its figures and its rows."""
        entity = options.get("obj")
        if entity is not None:
            context["row_pages"] = pages_of(entity)
        return super().render_change_form(request, context, *args, **options)

    def get_urls(self) -> list[URLPattern]:
        """The page of forgetting beside the entity's own."""
        view = self.admin_site.admin_view(forget_view)
        own: list[URLPattern] = [path("<uuid:object_id>/forget/", view, name="memory_entity_forget")]
        return own + super().get_urls()

    def buttons(self, request: HttpRequest, row: Any) -> list[dict[str, Any]]:
        """Forgetting in words before the erases of more."""
        found = super().buttons(request, row)
        if not self.has_erase_permission(request, row):
            return found
        url = reverse("admin:memory_entity_forget", args=[row.pk])
        return [*found, {"label": "Forget…", "url": url, "is_danger": True}]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without the shadows of rebuilds."""
        return super().get_queryset(request).filter(shadow_of__isnull=True)

    @admin.display(description="paused steps")
    def paused(self, entity: Entity) -> str:
        """Steps that wait for a person."""
        return ", ".join(entity.paused_steps) or NOTHING

    @admin.display(description="its rows")
    def layers(self, entity: Entity) -> str:
        """Links to what it holds, and to what waits."""
        query = f"entity__id__exact={entity.pk}"
        listed = [list_link(model_name, query, text) for model_name, text in ROWS_OF_ENTITY]
        return format_html(" · ".join(["{}"] * len(listed)), *listed)
