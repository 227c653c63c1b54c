"""L3: traits and their versions."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, WorkspaceFilter
from memory.admin.changes import ChangingAdmin
from memory.admin.links import id_link, row_link
from memory.admin.receipts import TraitVersionRestsOn
from memory.admin.trait_changes import RESTORE, RETRACT, SET
from memory.models import Trait, TraitVersion


class TraitVersionsInline(ReadOnlyInline):
    """The history of a trait, newest first."""

    model = TraitVersion
    verbose_name_plural = "versions"
    ordering = ("-number",)
    fields = readonly_fields = ("number", "wording", "is_head", "created_at")

    @admin.display(description="wording")
    def wording(self, version: TraitVersion) -> str:
        """The text, linked."""
        return row_link(version)


@admin.register(Trait)
class TraitAdmin(ChangingAdmin):
    """Slots of personas with what they say now."""

    list_display = ("slot", "says", "status", "entity")
    list_filter = (WorkspaceFilter, "slot", "status")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "slot", "status", "says", "created_at")
    inlines = (TraitVersionsInline,)
    changes = (SET, RESTORE, RETRACT)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Traits with the text of their head version."""
        heads = TraitVersion.objects.filter(trait=OuterRef("pk"), is_head=True)
        rows = super().get_queryset(request)
        worded: QuerySet[Any] = rows.annotate(head_text=Subquery(heads.values("text")[:1]))
        return worded

    @admin.display(description="says")
    def says(self, trait: Any) -> str:
        """The wording of its head version."""
        return str(trait.head_text or "")


@admin.register(TraitVersion)
class TraitVersionAdmin(ReadOnlyAdmin):
    """Wordings of traits, newest first, each with the lines it was drawn from."""

    list_display = ("text", "trait", "number", "is_head", "entity", "created_at")
    list_filter = (WorkspaceFilter, "is_head")
    list_select_related = ("entity", "trait")
    ordering = ("-seq",)
    fields = (
        ("entity", "trait_link", "seq"),
        "text",
        ("number", "is_head"),
        ("run_link", "correction_link", "created_at"),
    )
    inlines = (TraitVersionRestsOn,)

    @admin.display(description="trait")
    def trait_link(self, version: TraitVersion) -> str:
        """The slot it is a wording of."""
        return row_link(version.trait)

    @admin.display(description="correction")
    def correction_link(self, version: TraitVersion) -> str:
        """The person's change that made it."""
        return id_link("correction", version.correction_id)
