"""Designs that workspaces have installed, and rebuilds under them."""

import json

from django.contrib import admin
from django.utils.html import format_html

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.links import list_link
from memory.models import InstalledDesign, Rebuild


@admin.register(InstalledDesign)
class InstalledDesignAdmin(ReadOnlyAdmin):
    """What `install_design` stored. A version never changes."""

    list_display = ("full_name", "workspace", "short_digest", "description", "installed_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("workspace",)
    list_deferred = ("content",)
    ordering = ("name", "version", "-pk")
    search_fields = ("name",)
    search_help_text = "The id of a row, or the exact name of a design."
    fields = ("workspace", ("name", "version"), "digest", "description", "installed_at", "shown_content")

    @admin.display(description="digest")
    def short_digest(self, design: InstalledDesign) -> str:
        """As the commands show it."""
        return design.digest[:12]

    @admin.display(description="content")
    def shown_content(self, design: InstalledDesign) -> str:
        """The whole design, as it is read."""
        return format_html("<pre>{}</pre>", json.dumps(design.content, indent=2, ensure_ascii=False))


@admin.register(Rebuild)
class RebuildAdmin(ReadOnlyAdmin):
    """Memories made anew, the newest first."""

    list_display = ("created_at", "entity", "layer", "design", "model", "status", "ended_at")
    list_filter = (WorkspaceFilter, "status", "layer")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = (
        ("entity", "layer", "status"),
        ("design", "design_hash", "model"),
        ("created_at", "ended_at"),
        "changed",
        ("erase_epoch", "ground"),
        "runs",
    )

    @admin.display(description="changed")
    def changed(self, rebuild: Rebuild) -> str:
        """How many rows of each kind."""
        return ", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in rebuild.difference.items())

    @admin.display(description="runs")
    def runs(self, rebuild: Rebuild) -> str:
        """A link to the entity's runs, those of the rebuild among them."""
        return list_link("run", f"entity__id__exact={rebuild.entity_id}", "runs")
