"""How memory came about: runs, what waits, events, processes and endpoints."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Case, Count, IntegerField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.template.loader import render_to_string

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.decisions import decision_rows, references
from memory.cascade.work import INPUTS, retry_parked
from memory.models import ModelEndpoint, Outbox, Process, Run, Step, Work


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Attempts of steps, newest first, each with its decisions item by item."""

    hides_shadows = False

    list_display = (
        "started_at",
        "step",
        "status",
        "entity",
        "model",
        "calls",
        "tokens",
        "milliseconds",
        "outcome",
    )
    list_filter = (WorkspaceFilter, "step", "status")
    list_select_related = ("entity",)
    list_deferred = ("inputs", "outputs", "decisions", "raw_answer")
    ordering = ("-pk",)
    fields = (
        ("entity", "step", "status", "attempt"),
        ("started_at", "finished_at", "milliseconds", "worker"),
        ("design", "design_hash", "model", "prompt_hash", "schema_hash"),
        ("calls", "tokens_in", "tokens_out", "cost"),
        "noop_reason",
        "decided",
        ("was_read", "was_written"),
        ("error_kind", "error_text"),
        "raw_answer",
        ("token", "erase_epoch"),
    )

    @admin.display(description="tokens in / out")
    def tokens(self, run: Run) -> str:
        """Both counts."""
        return f"{run.tokens_in} / {run.tokens_out}"

    @admin.display(description="outcome")
    def outcome(self, run: Run) -> str:
        """Why it failed, or why it wrote nothing."""
        return run.error_kind or run.noop_reason

    @admin.display(description="decisions")
    def decided(self, run: Run) -> str:
        """What was taken, skipped, dropped or repaired, and why."""
        rows = decision_rows(run.decisions)
        return render_to_string("admin/memory/run/_decisions.html", {"rows": rows})

    @admin.display(description="read")
    def was_read(self, run: Run) -> str:
        """Links to its inputs."""
        return references(run.inputs)

    @admin.display(description="wrote")
    def was_written(self, run: Run) -> str:
        """Links to its outputs."""
        return references(run.outputs)


def _count_for_step(state: str) -> Case:
    """How many inputs of a Work row's step are in a state, counted where the row's entity is known."""
    whens = []
    for step, model in INPUTS.items():
        inputs: QuerySet[Any] = getattr(model._default_manager, state)()
        counted = (
            inputs.filter(workspace=OuterRef("workspace"), entity=OuterRef("entity"))
            .order_by()
            .values("entity")
            .annotate(count=Count("*"))
            .values("count")
        )
        whens.append(When(step=step, then=Coalesce(Subquery(counted), 0)))
    return Case(*whens, default=Value(0), output_field=IntegerField())


@admin.register(Work)
class WorkAdmin(ReadOnlyAdmin):
    """What waits and what was set aside, by entity and step."""

    list_display = (
        "step",
        "entity",
        "pending",
        "parked",
        "due_at",
        "lease_until",
        "failures",
        "last_error_kind",
        "last_finished_at",
    )
    list_filter = (WorkspaceFilter, "step")
    list_select_related = ("entity",)
    ordering = ("-failures", "-pk")
    fields = (
        ("entity", "step"),
        ("pending", "parked"),
        ("due_at", "is_flushing", "lease_until", "worker"),
        ("failures", "batch_limit"),
        ("last_error_kind", "last_error"),
        ("last_started_at", "last_finished_at"),
    )
    actions = ("retry_parked_inputs",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Work with the counts of what waits and what is parked."""
        rows = super().get_queryset(request)
        counted: QuerySet[Any] = rows.annotate(
            pending_count=_count_for_step("pending"), parked_count=_count_for_step("parked")
        )
        return counted

    @admin.display(description="pending")
    def pending(self, work: Any) -> int:
        """Inputs that wait."""
        return int(work.pending_count)

    @admin.display(description="parked")
    def parked(self, work: Any) -> int:
        """Inputs that a failed run set aside."""
        return int(work.parked_count)

    @admin.action(description="Retry parked inputs", permissions=["manage"])
    def retry_parked_inputs(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        """Put what was set aside back in line."""
        managed = [work for work in queryset if self.has_manage_permission(request, work)]
        count = sum(retry_parked(entity=work.entity, step=Step(work.step)) for work in managed)
        self.message_user(request, f"Inputs that will be tried again: {count}.", messages.SUCCESS)


@admin.register(Outbox)
class OutboxAdmin(ReadOnlyAdmin):
    """Events for streams, newest first."""

    list_display = ("id", "event", "entity", "created_at")
    list_filter = (WorkspaceFilter, "event")
    list_select_related = ("entity",)
    list_deferred = ("ids",)
    ordering = ("-pk",)
    fields = ("entity", "event", "ids", "transaction_id", "created_at")

    @admin.display(description="transaction")
    def transaction_id(self, event: Outbox) -> str:
        """The writing transaction."""
        return str(event.transaction)


class InstallationAdmin(ReadOnlyAdmin):
    """A table that belongs to no workspace: superusers see it."""

    workspace_path = None
    search_help_text = "The id of a row, or an exact name."


@admin.register(Process)
class ProcessAdmin(InstallationAdmin):
    """Web and worker processes, the last seen first."""

    list_display = ("kind", "name", "configuration_hash", "version", "started_at", "seen_at")
    list_filter = ("kind",)
    ordering = ("-seen_at",)
    search_fields = ("name",)
    fields = ("kind", "name", "configuration_hash", "version", "started_at", "seen_at")


@admin.register(ModelEndpoint)
class ModelEndpointAdmin(InstallationAdmin):
    """What endpoints bear, as it was found."""

    list_display = ("model", "json_mode", "found_at")
    ordering = ("-found_at",)
    search_fields = ("model",)
    fields = ("model", "json_mode", "base_url_hash", "found_at")
