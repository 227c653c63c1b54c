"""How memory came about: runs, what waits, events, processes and endpoints."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.html import format_html

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.changes import Change, ChangingAdmin
from memory.admin.decisions import decision_rows, references
from memory.admin.links import NOTHING
from memory.admin.membership import Duty
from memory.admin.parked import parked_view
from memory.admin.pause_changes import PAUSE_WORK, RESUME_WORK
from memory.admin.steps import StepFilter, StepNaming
from memory.cascade.work import INPUTS, retry_parked
from memory.measuring.work import MOST_COUNTED, with_counts
from memory.models import ModelEndpoint, Outbox, Process, Run, Step, Work

WENT_WRONG = "What went wrong"
RETRY_STEP = Change(
    name="retry",
    label="Retry parked inputs",
    says="Every input that the step has set aside for this entity goes back in line and is tried again.",
    duty=Duty.RETRY,
    apply=lambda work, actor, cleaned: retry_parked(entity=work.entity, step=Step(work.step)),
    fits=lambda work: work.step in INPUTS,
    is_bulk=True,
)
RETRY_RUN = Change(
    name="retry",
    label="Retry what it parked",
    says="The inputs that this run set aside go back in line and are tried again, with the model and "
    "the design of now. What has been retried before is left alone.",
    duty=Duty.RETRY,
    apply=lambda run, actor, cleaned: retry_parked(entity=run.entity, step=Step(run.step), run=run.pk),
    fits=lambda run: run.status == Run.Status.FAILED and run.step in INPUTS,
    is_bulk=True,
)


@admin.register(Run)
class RunAdmin(StepNaming, ChangingAdmin):
    """Attempts of steps, newest first, each with its decisions item by item."""

    hides_shadows = False

    list_display = (
        "started_at",
        "step_name",
        "status",
        "entity",
        "model",
        "calls",
        "tokens",
        "cost",
        "milliseconds",
        "outcome",
    )
    list_filter = (WorkspaceFilter, StepFilter, "status")
    list_select_related = ("entity",)
    list_deferred = ("inputs", "outputs", "decisions", "raw_answer")
    ordering = ("-pk",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("entity", "step_name", "status", "attempt"),
                    ("started_at", "finished_at", "milliseconds"),
                )
            },
        ),
        ("What it decided", {"fields": ("noop_reason", "decided")}),
        ("What it read and wrote", {"fields": (("was_read", "was_written"),)}),
        ("What it used", {"fields": (("model", "calls"), ("tokens_in", "tokens_out", "cost"))}),
        (WENT_WRONG, {"fields": (("error_kind", "error_text"), "answered")}),
        (
            "Under which design",
            {
                "fields": (
                    ("design", "design_hash"),
                    ("prompt_hash", "schema_hash"),
                    ("worker", "token", "erase_epoch"),
                )
            },
        ),
    )
    changes = (RETRY_RUN,)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """What went wrong, only where something did."""
        found = super().get_fieldsets(request, obj)
        return [one for one in found if one[0] != WENT_WRONG or (obj is not None and obj.error_kind)]

    @admin.display(description="tokens in / out")
    def tokens(self, run: Run) -> str:
        """Both counts."""
        return f"{run.tokens_in} / {run.tokens_out}"

    @admin.display(description="outcome")
    def outcome(self, run: Run) -> str:
        """Why it failed, or why it wrote nothing."""
        return run.error_kind or run.noop_reason

    @admin.display(description="raw answer")
    def answered(self, run: Run) -> str:
        """What a failed call answered, as it came."""
        return format_html('<pre class="m-code">{}</pre>', run.raw_answer) if run.raw_answer else NOTHING

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


def _up_to_the_cap(count: int) -> str:
    return f"{MOST_COUNTED}+" if count > MOST_COUNTED else str(count)


@admin.register(Work)
class WorkAdmin(StepNaming, ChangingAdmin):
    """What waits and what was set aside, by entity and step."""

    list_display = (
        "step_name",
        "entity",
        "pending",
        "parked",
        "paused",
        "due_at",
        "lease_until",
        "failures",
        "last_error_kind",
        "last_finished_at",
    )
    list_filter = (WorkspaceFilter, StepFilter)
    list_select_related = ("entity",)
    ordering = ("-failures", "-pk")
    fields = (
        ("entity", "step_name"),
        ("pending", "parked", "paused"),
        ("due_at", "is_flushing", "is_urgent", "lease_until", "worker"),
        ("failures", "batch_limit"),
        ("last_error_kind", "last_error"),
        ("last_started_at", "last_finished_at"),
    )
    changes = (RETRY_STEP, PAUSE_WORK, RESUME_WORK)

    def get_urls(self) -> list[URLPattern]:
        """The page of parked batches beside the list."""
        view = self.admin_site.admin_view(parked_view)
        own: list[URLPattern] = [path("parked/", view, name="memory_work_parked")]
        return own + super().get_urls()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Work with the counts of what waits and what is parked."""
        return with_counts(super().get_queryset(request))

    @admin.display(description="paused", boolean=True)
    def paused(self, work: Any) -> bool:
        """Whether the step is switched off for the entity."""
        return work.step in work.entity.paused_steps

    @admin.display(description="pending")
    def pending(self, work: Any) -> str:
        """Inputs that wait."""
        return _up_to_the_cap(work.pending_count)

    @admin.display(description="parked")
    def parked(self, work: Any) -> str:
        """Inputs that a failed run set aside."""
        return _up_to_the_cap(work.parked_count)


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
