"""L2: scenes, their versions, and the lines that versions are lists of."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, StepInputAdmin, WorkspaceFilter
from memory.admin.links import id_link, link, links_in_lines, row_link, target_end
from memory.admin.receipts import LineRestsOn, LineUsedBy
from memory.models import Line, Scene, SceneVersion, VersionLine


class VersionsInline(ReadOnlyInline):
    """The history of a scene, newest first."""

    model = SceneVersion
    verbose_name_plural = "versions"
    ordering = ("-number",)
    fields = readonly_fields = ("version", "summary", "is_head", "created_at")

    @admin.display(description="version")
    def version(self, version: SceneVersion) -> str:
        """Title and number, linked."""
        return row_link(version)


@admin.register(Scene)
class SceneAdmin(ReadOnlyAdmin):
    """Scenes under the title they have now."""

    list_display = ("title", "slug", "status", "slot", "heat", "entity", "created_at")
    list_filter = (WorkspaceFilter, "status")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "title", "slug", "status", "slot", "heat", "absorber", "created_at")
    inlines = (VersionsInline,)

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


class PlacesInline(ReadOnlyInline):
    """The lines of a version in their order, each with its receipts."""

    model = VersionLine
    fk_name = "version"
    verbose_name_plural = "lines"
    ordering = ("position",)
    fields = readonly_fields = ("position", "section", "text", "receipts")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Lines and receipts in a fixed number of statements."""
        rows = super().get_queryset(request).select_related("line")
        return rows.prefetch_related("line__evidence__atom", "line__evidence__correction__user")

    @admin.display(description="section")
    def section(self, place: VersionLine) -> str:
        """The section's title."""
        return place.line.get_section_display()

    @admin.display(description="line")
    def text(self, place: VersionLine) -> str:
        """The line, linked."""
        return link("line", place.line_id, place.line.text or "(erased)")

    @admin.display(description="rests on")
    def receipts(self, place: VersionLine) -> str:
        """Atoms and corrections under the line."""
        return links_in_lines(target_end(receipt) for receipt in place.line.evidence.all())


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
    inlines = (PlacesInline,)

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
