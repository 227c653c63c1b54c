"""What agents did, step by step, and what waits to be learned from."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, ReadOnlyInline, StepInputAdmin, WorkspaceFilter
from memory.admin.links import excerpt, id_link, link, row_link
from memory.admin.receipts import TraceStepUsedBy
from memory.models import SkillInput, TaskTrace, TraceStep


class StepsInline(ReadOnlyInline):
    """The steps of a trace in their order."""

    model = TraceStep
    fk_name = "trace"
    verbose_name_plural = "steps"
    ordering = ("position",)
    fields = readonly_fields = ("position", "kind", "tool_name", "words")

    @admin.display(description="step")
    def words(self, step: TraceStep) -> str:
        """What happened, linked."""
        return link("tracestep", step.pk, excerpt(step.text))


@admin.register(TaskTrace)
class TaskTraceAdmin(ReadOnlyAdmin):
    """Tasks as they were carried out, newest first."""

    list_display = ("task", "outcome", "session", "entity", "created_at")
    list_filter = (WorkspaceFilter, "outcome")
    list_select_related = ("entity", "session")
    list_deferred = ("note",)
    ordering = ("-pk",)
    fields = (
        ("entity", "session_link", "external_id"),
        "task",
        ("outcome", "occurred_at", "created_at"),
        "note",
    )
    inlines = (StepsInline,)

    @admin.display(description="session")
    def session_link(self, trace: Any) -> str:
        """The conversation it was part of."""
        return row_link(trace.session)


@admin.register(TraceStep)
class TraceStepAdmin(ReadOnlyAdmin):
    """Single steps, newest first, each with the lines of procedures that rest on it."""

    list_display = ("words", "kind", "tool_name", "trace", "entity", "created_at")
    list_filter = (WorkspaceFilter, "kind")
    list_select_related = ("entity", "trace")
    ordering = ("-pk",)
    fields = (
        ("entity", "trace_link", "position"),
        ("kind", "tool_name"),
        "text",
        ("message_link", "created_at"),
    )
    inlines = (TraceStepUsedBy,)

    @admin.display(description="step")
    def words(self, step: TraceStep) -> str:
        """The beginning of what happened."""
        return excerpt(step.text)

    @admin.display(description="trace")
    def trace_link(self, step: Any) -> str:
        """The task it belongs to."""
        return row_link(step.trace)

    @admin.display(description="turn")
    def message_link(self, step: TraceStep) -> str:
        """The message it was."""
        return id_link("message", step.message_id)


@admin.register(SkillInput)
class SkillInputAdmin(StepInputAdmin):
    """Traces and feedback on their way into drafts."""

    list_display = ("id", "what", "entity", "queued_at", "state")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = ("entity", "what", "queued_at", ("state", "read_by", "parked_run"))

    @admin.display(description="waits")
    def what(self, row: SkillInput) -> str:
        """The trace, or the feedback."""
        if row.trace_id is not None:
            return id_link("tasktrace", row.trace_id)
        return id_link("feedback", row.feedback_id)
