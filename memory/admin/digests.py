"""Digests of sessions: summaries of folded turns, and briefs of sessions that have ended."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, WorkspaceFilter
from memory.admin.links import row_link
from memory.admin.receipts import DigestRestsOn
from memory.models import Digest


class DigestInline(ReadOnlyInline):
    """The summary and the brief of a session, with their earlier versions."""

    model = Digest
    fk_name = "session"
    verbose_name_plural = "summary and brief"
    ordering = ("kind", "-number")
    fields = readonly_fields = ("digest", "kind", "number", "is_head", "until_ordinal", "created_at")

    @admin.display(description="digest")
    def digest(self, digest: Digest) -> str:
        """Its text, linked."""
        return row_link(digest)


@admin.register(Digest)
class DigestAdmin(ReadOnlyAdmin):
    """What sessions come to, newest first."""

    list_display = ("__str__", "kind", "number", "is_head", "session", "entity", "created_at")
    list_filter = (WorkspaceFilter, "kind", "is_head")
    list_select_related = ("entity", "session")
    ordering = ("-pk",)
    fields = (
        ("entity", "session_link"),
        ("kind", "number", "is_head"),
        "text",
        "until_ordinal",
        ("run_link", "created_at"),
    )
    inlines = (DigestRestsOn,)

    @admin.display(description="session")
    def session_link(self, digest: Any) -> str:
        """The conversation."""
        return row_link(digest.session)
