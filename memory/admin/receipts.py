"""Receipts in both directions, and the corrections that people made."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, WorkspaceFilter
from memory.admin.facts import facts
from memory.admin.links import derived_end, excerpt, target_end, who_of
from memory.models import Correction, Evidence

_ENDS = (
    *("message", "atom", "line", "correction__user", "trace_step", "feedback"),
    *("of_atom", "of_line", "of_trait_version", "of_digest", "of_procedure_line"),
)


class EvidenceInline(ReadOnlyInline):
    """Receipts of one row, the rows at the other end loaded along."""

    model = Evidence

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Both ends in the one statement, oldest receipt first."""
        return super().get_queryset(request).select_related(*_ENDS).order_by("pk")

    @admin.display(description="rests on")
    def target(self, evidence: Evidence) -> str:
        """What is rested on."""
        return target_end(evidence)

    @admin.display(description="used by")
    def derived(self, evidence: Evidence) -> str:
        """What rests on it."""
        return derived_end(evidence)


class _RestsOn(EvidenceInline):
    verbose_name_plural = "rests on"
    fields = readonly_fields = ("target", "role", "created_at")


class _UsedBy(EvidenceInline):
    verbose_name_plural = "used by"
    fields = readonly_fields = ("derived", "role", "created_at")


class AtomRestsOn(_RestsOn):
    """What an atom was taken from."""

    fk_name = "of_atom"


class LineRestsOn(_RestsOn):
    """What a line was written from."""

    fk_name = "of_line"


class TraitVersionRestsOn(_RestsOn):
    """What a trait was drawn from."""

    fk_name = "of_trait_version"


class DigestRestsOn(_RestsOn):
    """The messages that a digest covers."""

    fk_name = "of_digest"


class ProcedureLineRestsOn(_RestsOn):
    """The steps, feedback and corrections under a line of a procedure."""

    fk_name = "of_procedure_line"


class MessageUsedBy(_UsedBy):
    """Atoms taken from a message."""

    fk_name = "message"


class AtomUsedBy(_UsedBy):
    """Lines written from an atom."""

    fk_name = "atom"


class LineUsedBy(_UsedBy):
    """Traits drawn from a line."""

    fk_name = "line"


class CorrectionUsedBy(_UsedBy):
    """What a person's change stands behind."""

    fk_name = "correction"


class TraceStepUsedBy(_UsedBy):
    """Lines of procedures drawn from a step."""

    fk_name = "trace_step"


class FeedbackUsedBy(_UsedBy):
    """Lines of procedures that answer a piece of feedback."""

    fk_name = "feedback"


@admin.register(Evidence)
class EvidenceAdmin(ReadOnlyAdmin):
    """Every receipt, newest first."""

    list_display = ("id", "derived", "target", "role", "entity", "created_at")
    list_filter = (WorkspaceFilter, "role")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "derived", "target", "role", "outside_authority", "run_link", "created_at")

    @admin.display(description="row")
    def derived(self, evidence: Evidence) -> str:
        """What rests on something."""
        return derived_end(evidence, is_short=True)

    @admin.display(description="rests on")
    def target(self, evidence: Evidence) -> str:
        """What is rested on."""
        return target_end(evidence, is_short=True)


@admin.register(Correction)
class CorrectionAdmin(ReadOnlyAdmin):
    """What people changed, and why."""

    list_display = ("kind", "who", "short_reason", "entity", "created_at")
    list_filter = (WorkspaceFilter, "kind")
    list_select_related = ("entity", "user", "key")
    list_deferred = ("before", "after")
    ordering = ("-pk",)
    fields = (
        ("entity", "kind", "who"),
        "reason",
        ("shown_before", "shown_after"),
        ("created_at", "erased_at"),
    )
    inlines = (CorrectionUsedBy,)

    @admin.display(description="by")
    def who(self, correction: Any) -> str:
        """The person, the key or the terminal that it came from."""
        return who_of(correction)

    @admin.display(description="before")
    def shown_before(self, correction: Correction) -> str:
        """What stood there."""
        return facts(correction.before)

    @admin.display(description="after")
    def shown_after(self, correction: Correction) -> str:
        """What stands there since."""
        return facts(correction.after)

    @admin.display(description="reason")
    def short_reason(self, correction: Correction) -> str:
        """The beginning of the reason."""
        return excerpt(correction.reason)
