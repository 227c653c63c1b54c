"""What was handed to agents, and what was said of it."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, WorkspaceFilter
from memory.admin.facts import facts
from memory.admin.links import NOTHING, excerpt, id_link, link, links_in_lines, row_link
from memory.admin.receipts import FeedbackUsedBy
from memory.models import Feedback, Use

NOT_KEPT = "Not kept: only its digest is."


class FeedbackInline(ReadOnlyInline):
    """What was said of a use."""

    model = Feedback
    fk_name = "use"
    ordering = ("-pk",)
    fields = readonly_fields = ("said", "kind", "source", "score", "created_at")

    @admin.display(description="feedback")
    def said(self, feedback: Feedback) -> str:
        """Its comment, linked."""
        return link("feedback", feedback.pk, excerpt(feedback.comment or feedback.label or feedback.kind))


@admin.register(Use)
class UseAdmin(ReadOnlyAdmin):
    """Contexts and procedures that agents were given, newest first."""

    list_display = ("created_at", "kind", "tokens", "short_digest", "procedures", "entity", "expires_at")
    list_filter = (WorkspaceFilter, "kind")
    list_select_related = ("entity",)
    list_deferred = ("manifest", "records", "request", "text")
    ordering = ("-pk",)
    fields = (
        ("entity", "kind", "tokens"),
        ("session_link", "key_label"),
        "versions",
        "shown_request",
        "shown_text",
        ("sha256", "created_at", "expires_at"),
        "shown_manifest",
    )
    inlines = (FeedbackInline,)

    @admin.display(description="digest")
    def short_digest(self, use: Use) -> str:
        """The beginning of the SHA-256 of the exact bytes."""
        return use.sha256[:12]

    @admin.display(description="procedures")
    def procedures(self, use: Use) -> int:
        """How many procedures were in it."""
        return len(use.procedure_versions)

    @admin.display(description="procedures in it")
    def versions(self, use: Use) -> str:
        """The versions that the agent was given."""
        return links_in_lines(id_link("procedureversion", pk) for pk in use.procedure_versions) or NOTHING

    @admin.display(description="session")
    def session_link(self, use: Any) -> str:
        """The conversation it was made for."""
        return row_link(use.session)

    @admin.display(description="key")
    def key_label(self, use: Any) -> str:
        """The key that asked."""
        return str(use.key or NOTHING)

    @admin.display(description="asked")
    def shown_request(self, use: Use) -> str:
        """What was asked, where it was kept."""
        return use.request or NOT_KEPT

    @admin.display(description="text")
    def shown_text(self, use: Use) -> str:
        """What was rendered, where it was kept."""
        return use.text or NOT_KEPT

    @admin.display(description="manifest")
    def shown_manifest(self, use: Use) -> str:
        """Blocks, ids and tokens."""
        return facts(use.manifest)


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    """What people, programs and evaluators said, newest first, each with the lines that answer it."""

    list_display = ("said", "kind", "source", "score", "use_link", "entity", "created_at")
    list_filter = (WorkspaceFilter, "kind", "source")
    list_select_related = ("entity",)
    list_deferred = ("expected", "actual")
    ordering = ("-pk",)
    fields = (
        ("entity", "kind", "source"),
        ("score", "label"),
        "comment",
        ("expected", "actual"),
        ("use_link", "version_link"),
        ("user", "key_label", "created_at"),
    )
    inlines = (FeedbackUsedBy,)

    @admin.display(description="feedback")
    def said(self, feedback: Feedback) -> str:
        """The beginning of the comment, or the label."""
        return excerpt(feedback.comment or feedback.label) or "(no words)"

    @admin.display(description="of use")
    def use_link(self, feedback: Feedback) -> str:
        """The use it is about; uses expire, feedback stays."""
        return id_link("use", feedback.use_id)

    @admin.display(description="of procedure")
    def version_link(self, feedback: Feedback) -> str:
        """The version it is about."""
        return id_link("procedureversion", feedback.procedure_version_id)

    @admin.display(description="key")
    def key_label(self, feedback: Any) -> str:
        """The key that sent it."""
        return str(feedback.key or NOTHING)
