"""Procedures, their versions and the reviews of drafts: what differs, on what a line rests, who decided."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, WorkspaceFilter
from memory.admin.changes import ChangingAdmin
from memory.admin.differences import ERASED, Compared, Written, compared, receipts_of
from memory.admin.editing import EditingAdmin
from memory.admin.facts import facts
from memory.admin.links import id_link, link, page_of, row_link, who_of
from memory.admin.receipts import ProcedureLineRestsOn
from memory.admin.reviews import APPROVE, EDIT, REJECT, RETIRE, ROLL_BACK
from memory.models import Procedure, ProcedureLine, ProcedureSection, ProcedureVersion, Review

TITLES = dict(ProcedureSection.choices)


def difference_shown(version: ProcedureVersion) -> Compared:
    """A version's lines with their citations, beside the version it was drafted on; in a few statements."""
    wanted = [pk for pk in (version.pk, version.base_id) if pk is not None]
    lines = (
        ProcedureLine.objects.filter(version__in=wanted)
        .prefetch_related("evidence__trace_step", "evidence__feedback", "evidence__correction__user")
        .order_by("position")
    )
    found = [(line.version_id, _written(line)) for line in lines]
    before = [line for owner, line in found if owner == version.base_id]
    return compared(
        before if version.base_id else None,
        [line for owner, line in found if owner == version.pk],
        TITLES,
    )


def _written(line: ProcedureLine) -> Written:
    page = page_of("procedureline", line.pk)
    return Written(line.pk, line.section, line.text, receipts=receipts_of(line), page=page)


class VersionsInline(ReadOnlyInline):
    """The history of a procedure, newest first."""

    model = ProcedureVersion
    fk_name = "procedure"
    verbose_name_plural = "versions"
    ordering = ("-number",)
    fields = readonly_fields = ("version", "status", "created_at")

    @admin.display(description="version")
    def version(self, version: ProcedureVersion) -> str:
        """Title and number, linked."""
        return row_link(version)


class ReviewsInline(ReadOnlyInline):
    """What people decided about a version."""

    model = Review
    fk_name = "version"
    ordering = ("-pk",)
    fields = readonly_fields = ("verdict", "reason", "who", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Reviews with whose they are."""
        return super().get_queryset(request).select_related("user", "key")

    @admin.display(description="by")
    def who(self, review: Any) -> str:
        """The person, the key or the terminal that it came from."""
        return who_of(review)


@admin.register(Procedure)
class ProcedureAdmin(ChangingAdmin):
    """Ways of doing things, newest first, under the title they have now."""

    list_display = ("title", "status", "active", "waiting", "entity", "created_at")
    list_filter = (WorkspaceFilter, "status")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = (("entity", "title", "slug"), ("status", "active", "waiting"), "created_at")
    inlines = (VersionsInline,)
    changes = (ROLL_BACK, RETIRE)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Procedures with the newest title, and the numbers of the active version and the draft."""
        versions = ProcedureVersion.objects.filter(procedure=OuterRef("pk")).order_by("-number")
        active = versions.filter(status=ProcedureVersion.Status.ACTIVE)
        drafts = versions.filter(status=ProcedureVersion.Status.DRAFT)
        found: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                newest_title=Subquery(versions.values("title")[:1]),
                active_number=Subquery(active.values("number")[:1]),
                draft_number=Subquery(drafts.values("number")[:1]),
                draft_id=Subquery(drafts.values("pk")[:1]),
            )
        )
        return found

    @admin.display(description="title")
    def title(self, procedure: Any) -> str:
        """What its newest version is called."""
        return str(procedure.newest_title or procedure.slug)

    @admin.display(description="active version")
    def active(self, procedure: Any) -> str:
        """The number of the version that agents are given."""
        return "none" if procedure.active_number is None else str(procedure.active_number)

    @admin.display(description="draft")
    def waiting(self, procedure: Any) -> str:
        """The draft that waits for a review, linked."""
        if procedure.draft_id is None:
            return ""
        return link("procedureversion", procedure.draft_id, f"review version {procedure.draft_number}")


@admin.register(ProcedureVersion)
class ProcedureVersionAdmin(EditingAdmin):
    """Wordings of procedures, newest first; a draft is reviewed on its page."""

    list_display = ("title", "number", "status", "entity", "created_at")
    list_filter = (WorkspaceFilter, "status")
    list_select_related = ("entity",)
    list_deferred = ("incidental", "boundary")
    ordering = ("-seq",)
    fields = (
        ("entity", "procedure_link", "base_link"),
        ("title", "number", "status"),
        "boundary",
        "details",
        ("run_link", "created_at", "erased_at"),
    )
    inlines = (ReviewsInline,)
    changes = (APPROVE, REJECT)
    edit = EDIT

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The version with its lines below, beside the version it was drafted on."""
        version = options.get("obj")
        if version is not None:
            context |= {"row_first": "admin/memory/procedureversion/_lines.html"}
            context["compared"] = difference_shown(version)
        return super().render_change_form(request, context, *args, **options)

    @admin.display(description="procedure")
    def procedure_link(self, version: ProcedureVersion) -> str:
        """What it is a wording of."""
        return id_link("procedure", version.procedure_id)

    @admin.display(description="drafted on")
    def base_link(self, version: ProcedureVersion) -> str:
        """The version that was active then."""
        return id_link("procedureversion", version.base_id)

    @admin.display(description="must not survive")
    def details(self, version: ProcedureVersion) -> str:
        """Details of single tasks, which a procedure must not keep."""
        return facts(version.incidental)


@admin.register(ProcedureLine)
class ProcedureLineAdmin(ReadOnlyAdmin):
    """Lines of procedures, newest first, each with what it rests on."""

    list_display = ("words", "section", "version_link", "entity", "created_at")
    list_filter = (WorkspaceFilter, "section")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = (("entity", "version_link", "section"), "text", ("position", "created_at", "erased_at"))
    inlines = (ProcedureLineRestsOn,)

    @admin.display(description="line")
    def words(self, line: ProcedureLine) -> str:
        """The line's text; an erased one has none."""
        return line.text or ERASED

    @admin.display(description="version")
    def version_link(self, line: ProcedureLine) -> str:
        """The version it stands in."""
        return id_link("procedureversion", line.version_id)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    """What people decided about versions, newest first."""

    list_display = ("verdict", "version_link", "reason", "who", "entity", "created_at")
    list_filter = (WorkspaceFilter, "verdict")
    list_select_related = ("entity", "user", "key")
    ordering = ("-pk",)
    fields = (("entity", "version_link"), ("verdict", "who"), "reason", "created_at")

    @admin.display(description="version")
    def version_link(self, review: Review) -> str:
        """What it is about."""
        return id_link("procedureversion", review.version_id)

    @admin.display(description="by")
    def who(self, review: Any) -> str:
        """The person, the key or the terminal that it came from."""
        return who_of(review)
