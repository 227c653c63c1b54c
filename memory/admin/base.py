"""What every table's page shares: read-only, within the person's workspaces, and bounded in its queries."""

from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db.models import BLANK_CHOICE_DASH, Model, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin as ThemedAdmin
from unfold.admin import TabularInline as ThemedInline

from memory.admin.audit import note
from memory.admin.filling import FILLED_BY
from memory.admin.links import NOTHING, id_link
from memory.admin.membership import Duty, can_view, is_superuser, may, visible
from memory.admin.pagination import CappedPaginator
from memory.models import Workspace

ROWS_PER_PAGE = 50
ROWS_INSIDE = 25
WORKSPACES_OFFERED = 50

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelAdmin = ThemedAdmin
    TabularInline = ThemedInline


class ThemedModelAdmin(ModelAdmin):
    """A table in the theme, which does not know yet where newer Djangos show actions."""

    def get_action_choices(
        self, request: HttpRequest, default_choices: Any = BLANK_CHOICE_DASH, action_location: Any = None
    ) -> list[tuple[str, str]]:
        """The actions of a list: there are no others here."""
        found: list[tuple[str, str]] = super().get_action_choices(request, default_choices)
        return found


class WorkspaceFilter(admin.SimpleListFilter):
    """Narrows a list to one of the workspaces that the person may see."""

    title = "workspace"
    parameter_name = "workspace__id__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Names of the person's own workspaces, never of others."""
        rows = visible(request, Workspace.objects.order_by("name"), "pk")
        return [(str(pk), name) for pk, name in rows.values_list("pk", "name")[:WORKSPACES_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Rows of the chosen workspace."""
        chosen = self.value()
        return queryset.filter(workspace_id=chosen) if chosen else queryset


class NarrowChangeList(ChangeList):
    """A list that loads only what its columns show."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        """Rows of the list, without the wide columns that only a row's own page shows.

        What no text of the database holds is IncorrectLookupParameters: Django shows the whole list then.
        """
        if any("\0" in value for values in request.GET.lists() for value in values[1]):
            raise IncorrectLookupParameters
        rows = super().get_queryset(request, exclude_parameters)
        return rows.defer(*self.model_admin.list_deferred)  # type: ignore[attr-defined]


class ReadOnlyAdmin(ThemedModelAdmin):
    """A table that people may look at. Nothing is added, changed or deleted here.

    Who may look is said by membership alone: Django's own model permissions are not asked.
    """

    workspace_path: str | None = "workspace"
    """Where a row's workspace is; None for tables of the whole installation, which superusers see."""
    list_deferred: tuple[str, ...] = ()
    hides_shadows = True
    """Whether rows in which a memory is being rebuilt stay out of the list."""

    compressed_fields = False
    list_per_page = ROWS_PER_PAGE
    list_max_show_all = ROWS_PER_PAGE
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    search_fields: ClassVar[Any] = ("entity__name",)
    search_help_text = "The id of a row, or the exact name of an entity."

    @property
    def filled_by(self) -> str:
        """What fills the table, for a list that is empty; no words for tables that are not ours."""
        return FILLED_BY.get(str(self.opts.model_name), "")

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        """The list that leaves wide columns out."""
        return NarrowChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Rows of the person's workspaces."""
        rows = super().get_queryset(request)
        if self.workspace_path is None:
            return rows if is_superuser(request) else rows.none()
        if self.hides_shadows and any(field.name == "entity" for field in self.opts.fields):
            rows = rows.filter(entity__shadow_of__isnull=True)
        return visible(request, rows, self.workspace_path)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """What an index serves: a row's id, else the one look-up by name in `search_fields`."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            pk = self.opts.pk.to_python(term)
        except ValidationError:
            return _looked_up(queryset, self.search_fields[0], term), False
        return queryset.filter(pk=pk), False

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Members see the tables of their workspaces."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether the row's workspace is one of the person's."""
        if self.workspace_path is None:
            return is_superuser(request)
        return can_view(request, self.workspace_of(obj))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never here."""
        return False

    def has_manage_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether what operators manage is offered."""
        return self.has_duty(request, Duty.MANAGE, obj)

    def has_correct_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether corrections are offered."""
        return self.has_duty(request, Duty.CORRECT, obj)

    def has_review_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether reviews are offered."""
        return self.has_duty(request, Duty.REVIEW, obj)

    def has_retry_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether parked inputs may be put back in line."""
        return self.has_duty(request, Duty.RETRY, obj)

    def has_erase_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether words may be erased."""
        return self.has_duty(request, Duty.ERASE, obj)

    def has_duty(self, request: HttpRequest, duty: Duty, obj: Model | None = None) -> bool:
        """Whether the person has a duty in the row's workspace; without a row: in any."""
        return self.workspace_path is not None and may(request, duty, self.workspace_of(obj))

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:  # type: ignore[override]
        """Log a new row by kind and id."""
        note(request, [obj], ADDITION, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:  # type: ignore[override]
        """Log a change by kind and id."""
        note(request, [obj], CHANGE, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:  # type: ignore[override]
        """Log rows that went by kind and id."""
        note(request, queryset, DELETION)

    def workspace_of(self, obj: Model | None) -> UUID | None:
        """The workspace that a row lies in."""
        if obj is None:
            return None
        found: UUID = obj.pk if self.workspace_path == "pk" else getattr(obj, "workspace_id")  # noqa: B009
        return found

    @admin.display(description="run")
    def run_link(self, row: Any) -> str:
        """The run that wrote a row; retention may have removed it."""
        return id_link("run", row.run_id)


def _looked_up(rows: QuerySet[Any], column: str, term: str) -> QuerySet[Any]:
    """The rows whose column is the term; none where the column takes no such value."""
    try:
        return rows.filter(**{column: term})
    except ValidationError:
        return rows.none()


class ReadOnlyInline(TabularInline):
    """Rows of another table on a row's page, with links; whoever sees the page sees them."""

    extra = 0
    max_num = 0
    can_delete = False
    per_page = ROWS_INSIDE
    # The cells say everything. The older theme calls it otherwise, and the newer one warns of that name.
    if hasattr(ThemedInline, "show_title"):
        show_title = False
    else:
        hide_title = True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never here."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """As the page it is part of."""
        return True


def state_of(row: Any) -> str:
    """Where a step's input stands: pending, parked, or read by a run."""
    if row.consumed_by_id is not None:
        return "read"
    return "pending" if row.parked_at is None else "parked"


class StepInputAdmin(ReadOnlyAdmin):
    """A table whose rows a step reads."""

    @admin.display(description="state")
    def state(self, row: Any) -> str:
        """Pending, parked or read."""
        return state_of(row)

    @admin.display(description="read by")
    def read_by(self, row: Any) -> str:
        """The run that consumed the row."""
        return id_link("run", row.consumed_by_id)

    @admin.display(description="parked by")
    def parked_run(self, row: Any) -> str:
        """The failed run that set the row aside."""
        return id_link("run", row.parked_by_id) if row.parked_at else NOTHING
