"""L2: scenes, their versions, and the lines that versions are lists of."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, StepInputAdmin, WorkspaceFilter
from memory.admin.editing import EditingAdmin
from memory.admin.links import id_link, row_link
from memory.admin.receipts import LineRestsOn, LineUsedBy
from memory.admin.scene_changes import EDIT, MERGE, PIN, RESTORE, RETIRE
from memory.admin.scene_history import chapters_of, history_of
from memory.models import Line, Scene, SceneVersion, VersionLine


@admin.register(Scene)
class SceneAdmin(EditingAdmin):
    """Scenes under the title they have now."""

    list_display = ("title", "slug", "status", "slot", "heat", "entity", "created_at")
    list_filter = (WorkspaceFilter, "status")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = (("entity", "title", "slug"), ("status", "slot", "heat"), ("absorber", "created_at"))
    changes = (PIN, MERGE, RESTORE, RETIRE)
    edit = EDIT

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The scene with its history below, from the newest version or from `below` on."""
        scene = options.get("obj")
        below = request.GET.get("below", "")
        if scene is not None:
            older = int(below) if below.isdecimal() else None
            context |= {"row_section": "admin/memory/scene/_history.html", "older": older}
            context["history"] = history_of(scene, below=older)
        return super().render_change_form(request, context, *args, **options)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Scenes with the title of their head version."""
        heads = SceneVersion.objects.heads().filter(scene=OuterRef("pk"))
        rows = super().get_queryset(request)
        titled: QuerySet[Any] = rows.annotate(head_title=Subquery(heads.values("title")[:1]))
        return titled

    @admin.display(description="title")
    def title(self, scene: Any) -> str:
        """What its head version is called."""
        return str(scene.head_title or scene.slug)

    @admin.display(description="merged into")
    def absorber(self, scene: Scene) -> str:
        """The scene that holds its lines now."""
        return id_link("scene", scene.merged_into_id)


@admin.register(SceneVersion)
class SceneVersionAdmin(StepInputAdmin):
    """Versions of scenes, newest first."""

    list_display = ("title", "number", "is_head", "entity", "created_at", "state")
    list_filter = (WorkspaceFilter, "is_head")
    list_select_related = ("entity",)
    ordering = ("-seq",)
    fields = (
        ("entity", "scene_link", "seq"),
        ("title", "number", "is_head"),
        "summary",
        ("run_link", "correction_link", "created_at"),
        ("state", "read_by", "parked_run"),
    )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The version with its lines below, beside the version before."""
        version = options.get("obj")
        if version is not None:
            earlier = SceneVersion.objects.filter(scene=version.scene_id, number__lt=version.number)
            before = earlier.select_related("correction__user").order_by("-number").first()
            chapters = chapters_of([version, before] if before else [version])
            context |= {"row_section": "admin/memory/sceneversion/_lines.html", "before": before}
            context["chapter"] = chapters[0]
        return super().render_change_form(request, context, *args, **options)

    @admin.display(description="scene")
    def scene_link(self, version: SceneVersion) -> str:
        """The scene it is a version of."""
        return id_link("scene", version.scene_id)

    @admin.display(description="correction")
    def correction_link(self, version: SceneVersion) -> str:
        """The person's change that made it."""
        return id_link("correction", version.correction_id)


class LineVersionsInline(ReadOnlyInline):
    """The versions that hold a line."""

    model = VersionLine
    fk_name = "line"
    verbose_name_plural = "in versions"
    ordering = ("pk",)
    fields = readonly_fields = ("scene_version", "position")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Places with their versions."""
        return super().get_queryset(request).select_related("version")

    @admin.display(description="version")
    def scene_version(self, place: VersionLine) -> str:
        """The version, linked."""
        return row_link(place.version)


@admin.register(Line)
class LineAdmin(ReadOnlyAdmin):
    """Lines, newest first, each with what it rests on and what was drawn from it."""

    list_display = ("words", "section", "is_pinned", "entity", "created_at")
    list_filter = (WorkspaceFilter, "section", "is_pinned")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = (
        ("entity", "scene_link", "section"),
        "text",
        ("is_pinned", "run_link", "correction_link"),
        ("created_at", "erased_at"),
    )
    inlines = (LineRestsOn, LineUsedBy, LineVersionsInline)

    @admin.display(description="line")
    def words(self, line: Line) -> str:
        """The line's text; an erased one has none."""
        return line.text or "(erased)"

    @admin.display(description="scene")
    def scene_link(self, line: Line) -> str:
        """The scene it was written for."""
        return id_link("scene", line.scene_id)

    @admin.display(description="correction")
    def correction_link(self, line: Line) -> str:
        """The person's change that wrote it."""
        return id_link("correction", line.correction_id)


@admin.register(VersionLine)
class VersionLineAdmin(ReadOnlyAdmin):
    """Which version holds which line, where."""

    list_display = ("id", "version_link", "position", "line_link", "entity")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "version_link", "position", "line_link")

    @admin.display(description="version")
    def version_link(self, place: VersionLine) -> str:
        """The version."""
        return id_link("sceneversion", place.version_id)

    @admin.display(description="line")
    def line_link(self, place: VersionLine) -> str:
        """The line."""
        return id_link("line", place.line_id)
