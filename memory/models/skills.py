"""Skills: what agents did, and the procedures that people approved of what was drawn from it."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from memory.cascade.contract import TITLE_LIMIT
from memory.models.base import (
    NextRecordNumber,
    Owned,
    OwnedQuerySet,
    in_entity,
    run_reference,
)

TASK_LIMIT = 500
NOTE_LIMIT = 2_000
TRACE_STEP_LIMIT = 4_000
PROCEDURE_LINE_LIMIT = 500
BOUNDARY_LIMIT = 1_000


class TaskTrace(Owned):
    """How an agent carried out one task, step by step, and what came of it."""

    class Outcome(models.TextChoices):
        SUCCESS = "success"
        PARTIAL = "partial"
        FAILURE = "failure"
        UNKNOWN = "unknown"

    external_id = models.CharField(max_length=128, null=True, blank=True)  # noqa: DJ001  # NULLs stay distinct
    task = models.CharField(max_length=TASK_LIMIT, help_text="What was asked for.")
    outcome = models.CharField(max_length=8, choices=Outcome.choices, default=Outcome.UNKNOWN)
    note = models.CharField(max_length=NOTE_LIMIT, blank=True, default="", help_text="What came of it.")
    session = in_entity("memory.Session", "traces", null=True, blank=True, on_delete=models.SET_NULL)
    occurred_at = models.DateTimeField(null=True, blank=True)

    objects = OwnedQuerySet["TaskTrace"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "external_id"], name="trace_external_id_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="trace_of_entity"),
            models.CheckConstraint(condition=~Q(task=""), name="trace_task_not_empty"),
            models.CheckConstraint(
                condition=Q(outcome__in=["success", "partial", "failure", "unknown"]),
                name="trace_outcome_known",
            ),
        ]
        indexes = [models.Index(F("entity"), F("created_at").desc(), name="trace_newest")]

    def __str__(self) -> str:
        return self.task[:60]


class TraceStep(Owned):
    """One step of a trace. Immutable, like a message: lines of procedures rest on it."""

    class Kind(models.TextChoices):
        INSTRUCTION = "instruction", "instruction: what the person asked for or ruled"
        ACTION = "action", "action: what the agent did"
        RESULT = "result", "result: what came back"
        CHECK = "check", "check: how it was seen that it worked"
        NOTE = "note"

    trace = in_entity("memory.TaskTrace", "steps", db_index=False)
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    tool_name = models.CharField(max_length=128, blank=True, default="")
    text = models.TextField()
    message = in_entity(
        "memory.Message", "trace_steps", null=True, blank=True, db_index=False, help_text="The turn it was."
    )

    objects = OwnedQuerySet["TraceStep"].as_manager()

    class Meta:
        ordering = ["trace", "position"]
        constraints = [
            models.UniqueConstraint(fields=["trace", "position"], name="trace_step_position_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="trace_step_of_entity"),
            models.CheckConstraint(
                condition=Q(kind__in=["instruction", "action", "result", "check", "note"]),
                name="trace_step_kind_known",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="trace_step_text_not_empty"),
            models.CheckConstraint(
                condition=LessThanOrEqual(Length("text"), TRACE_STEP_LIMIT), name="trace_step_text_limit"
            ),
        ]
        indexes = [
            models.Index(fields=["message"], condition=Q(message__isnull=False), name="trace_step_message")
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text[:60]}"


class ProcedureQuerySet(OwnedQuerySet["Procedure"]):
    """Reads of procedures."""

    def live(self) -> Self:
        """Not retired."""
        return self.filter(status=Procedure.Status.LIVE)


class Procedure(Owned):
    """A way of doing a kind of task: an identity with a history. What it says is in its active version."""

    class Status(models.TextChoices):
        LIVE = "live"
        RETIRED = "retired"

    slug = models.CharField(max_length=24, editable=False, help_text="Opaque and stable, never from a title.")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.LIVE)

    objects = ProcedureQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "slug"], name="procedure_slug_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="procedure_of_entity"),
            models.CheckConstraint(
                condition=Q(status__in=["live", "retired"]), name="procedure_status_known"
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class ProcedureVersionQuerySet(OwnedQuerySet["ProcedureVersion"]):
    """Reads of versions."""

    def active(self) -> Self:
        """What may be handed to agents."""
        return self.filter(status=ProcedureVersion.Status.ACTIVE, procedure__status=Procedure.Status.LIVE)

    def drafts(self) -> Self:
        """Waiting for a review."""
        return self.filter(status=ProcedureVersion.Status.DRAFT)


class ProcedureVersion(Owned):
    """One wording of a procedure. A draft until a person approves it; never handed out before that."""

    class Status(models.TextChoices):
        DRAFT = "draft", "draft: waits for a review"
        ACTIVE = "active", "active: handed to agents"
        SUPERSEDED = "superseded", "superseded: another version is active"
        REJECTED = "rejected"
        STALE = "stale", "stale: what it was drafted on is not current any more"

    procedure = in_entity("memory.Procedure", "versions", db_index=False)
    seq = models.BigIntegerField(db_default=NextRecordNumber(), unique=True, editable=False)
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT)
    base = in_entity(
        "memory.ProcedureVersion",
        "built_on",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        db_index=False,
        help_text="The version that was active when this one was drafted: lineage, not evidence.",
    )
    title = models.CharField(max_length=TITLE_LIMIT)
    boundary = models.CharField(
        max_length=BOUNDARY_LIMIT,
        blank=True,
        default="",
        help_text="Where the task begins and ends.",
    )
    incidental = models.JSONField(
        default=list,
        blank=True,
        help_text="Details of single tasks that must not survive in it: names, numbers, dates.",
    )
    run = run_reference(related_name="procedure_versions")
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ProcedureVersionQuerySet.as_manager()

    class Meta:
        ordering = ["procedure", "number"]
        constraints = [
            models.UniqueConstraint(fields=["procedure", "number"], name="procedure_version_number_once"),
            models.UniqueConstraint(
                fields=["procedure"], condition=Q(status="active"), name="procedure_one_active"
            ),
            models.UniqueConstraint(
                fields=["procedure"], condition=Q(status="draft"), name="procedure_one_draft"
            ),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="procedure_version_of_entity"),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "active", "superseded", "rejected", "stale"]),
                name="procedure_version_status_known",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="procedure_version_number_from_one"),
            models.CheckConstraint(
                condition=~Q(title="") | Q(erased_at__isnull=False), name="procedure_version_has_title"
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) | ~Q(status__in=["draft", "active"]),
                name="procedure_version_erased_is_history",
            ),
        ]
        indexes = [
            models.Index(fields=["entity", "status"], name="procedure_version_status"),
            models.Index(F("entity"), F("seq").desc(), name="procedure_version_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.title} v{self.number}"


class ProcedureSection(models.TextChoices):
    """The four sections of a procedure; the first has two halves."""

    WHEN = "when", "Triggers: use it when"
    WHEN_NOT = "when_not", "Triggers: do not use it when"
    PROCEDURE = "procedure", "Procedure"
    VALIDATION = "validation", "Validation"
    ESCALATION = "escalation", "Escalation"


class ProcedureLine(Owned):
    """A line of a version, with its own evidence: steps of traces, feedback, or a person's correction."""

    version = in_entity("memory.ProcedureVersion", "lines", db_index=False)
    section = models.CharField(max_length=12, choices=ProcedureSection.choices)
    position = models.PositiveSmallIntegerField(help_text="Place in its version.")
    text = models.CharField(max_length=PROCEDURE_LINE_LIMIT, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = OwnedQuerySet["ProcedureLine"].as_manager()

    class Meta:
        ordering = ["version", "position"]
        constraints = [
            models.UniqueConstraint(fields=["version", "position"], name="procedure_line_position_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="procedure_line_of_entity"),
            models.CheckConstraint(
                condition=Q(section__in=ProcedureSection.values), name="procedure_line_section_known"
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) & ~Q(text="") | Q(erased_at__isnull=False, text=""),
                name="procedure_line_text_until_erased",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class Review(Owned):
    """What a person decided about a version, and why. A rejection says why."""

    class Verdict(models.TextChoices):
        APPROVED = "approved"
        EDITED = "edited", "edited and approved"
        REJECTED = "rejected"
        ROLLED_BACK = "rolled_back", "made active again"
        RETIRED = "retired"

    version = in_entity("memory.ProcedureVersion", "reviews")
    verdict = models.CharField(max_length=12, choices=Verdict.choices)
    reason = models.CharField(max_length=500, blank=True, default="")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="reviews"
    )
    key = models.ForeignKey(
        "memory.Key", null=True, blank=True, on_delete=models.SET_NULL, related_name="reviews"
    )
    by = models.CharField(
        max_length=128, blank=True, default="", help_text="Who it was where no account says so: a terminal."
    )

    objects = OwnedQuerySet["Review"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=["approved", "edited", "rejected", "rolled_back", "retired"]),
                name="review_verdict_known",
            ),
            models.CheckConstraint(
                condition=~Q(verdict="rejected") | ~Q(reason=""), name="review_rejection_says_why"
            ),
        ]
        indexes = [models.Index(F("entity"), F("created_at").desc(), name="review_newest")]

    def __str__(self) -> str:
        return self.verdict
