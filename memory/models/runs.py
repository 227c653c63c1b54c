"""How memory came about: runs, the work that waits, and the processes that do it."""

from __future__ import annotations

from typing import Self

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from memory.models.base import Owned, OwnedQuerySet, new_id

RAW_ANSWER_LIMIT = 16_000


class Step(models.TextChoices):
    """The steps of the cascade."""

    L1_EXTRACT = "l1_extract"
    SCENE_SYNTHESIS = "scene_synthesis"
    PERSONA = "persona"
    COMPACTION = "compaction"
    PROMOTION = "promotion"
    SKILL_EXTRACT = "skill_extract"


ANSWER = "answer"
"""What is recorded as a run although no step of the cascade: a cited reply that a model wrote."""
CHAT = "chat"
"""The same for a reply that went through the memory proxy."""


class RunQuerySet(OwnedQuerySet["Run"]):
    """Reads of runs."""

    def failed(self) -> Self:
        """Attempts that gave nothing."""
        return self.filter(status=Run.Status.FAILED)


class Run(Owned):
    """One recorded attempt of a step, good or bad. Prompts are not stored, only their hash."""

    class Status(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        DISCARDED = "discarded", "discarded: what it read had changed"
        ABANDONED = "abandoned", "abandoned: its worker vanished"

    created_at = None  # type: ignore[assignment]  # started_at is this table's word for it
    step = models.CharField(max_length=32, choices=[*Step.choices, (ANSWER, "answer"), (CHAT, "chat")])
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.RUNNING)
    design = models.CharField(max_length=64, blank=True, default="")
    design_hash = models.CharField(
        max_length=64, blank=True, default="", help_text="Digest of the design's whole content."
    )
    token = models.PositiveBigIntegerField(default=0, help_text="Fencing token of the claim it ran under.")
    erase_epoch = models.PositiveBigIntegerField(default=0)
    attempt = models.PositiveSmallIntegerField(default=1)
    inputs = models.JSONField(default=dict, help_text="Ids of what it read, by layer.")
    outputs = models.JSONField(default=dict, help_text="Ids of what it wrote, by layer.")
    decisions = models.JSONField(
        default=list, help_text="Item by item: what was taken, skipped, dropped or repaired, and why."
    )
    noop_reason = models.CharField(max_length=300, blank=True, default="")
    model = models.CharField(max_length=128, blank=True, default="")
    prompt_hash = models.CharField(max_length=64, blank=True, default="")
    schema_hash = models.CharField(max_length=64, blank=True, default="")
    calls = models.PositiveSmallIntegerField(default=0)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    milliseconds = models.PositiveIntegerField(default=0)
    error_kind = models.CharField(max_length=64, blank=True, default="")
    error_text = models.CharField(max_length=1_000, blank=True, default="")
    is_transient = models.BooleanField(
        default=False, help_text="Failed for the endpoint's sake: worth trying again without a person."
    )
    raw_answer = models.TextField(
        blank=True, default="", help_text="Capped copy of what a failed call answered."
    )
    worker = models.CharField(max_length=128, blank=True, default="")
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at"]
        constraints = [
            models.CheckConstraint(condition=Q(step__in=[*Step.values, ANSWER, CHAT]), name="run_step_known"),
            models.CheckConstraint(
                condition=Q(status__in=["running", "succeeded", "failed", "discarded", "abandoned"]),
                name="run_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status="running", finished_at__isnull=True)
                | ~Q(status="running") & Q(finished_at__isnull=False),
                name="run_finished_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(status="failed") | ~Q(error_kind=""), name="run_failed_says_why"
            ),
        ]
        indexes = [
            models.Index(F("entity"), F("step"), F("started_at").desc(), name="run_of_step"),
            models.Index(F("workspace"), F("started_at").desc(), name="run_of_workspace"),
            models.Index(fields=["entity", "step"], condition=Q(status="running"), name="run_running"),
            BrinIndex(fields=["started_at"], name="run_started"),
        ]

    def __str__(self) -> str:
        return f"{self.step} {self.status}"

    @property
    def is_account_erased(self) -> bool:
        """Whether what it decided went with words that were forgotten: a success always says something."""
        return self.status == Run.Status.SUCCEEDED and not self.decisions and not self.noop_reason


class WorkQuerySet(OwnedQuerySet["Work"]):
    """Reads of work."""

    def due(self) -> Self:
        """Marked due and past its time; whether it is leased is the claim's question."""
        return self.filter(due_at__lte=Now())


class Work(Owned):
    """What waits: one row per entity and step, with the lease of whoever works on it."""

    created_at = None  # type: ignore[assignment]
    step = models.CharField(max_length=32, choices=Step.choices)
    due_at = models.DateTimeField(
        null=True, blank=True, help_text="Set where it was empty; cleared by a claim."
    )
    is_flushing = models.BooleanField(
        default=False, help_text="Session end or import end: no waiting until nothing is pending."
    )
    is_urgent = models.BooleanField(
        default=False, help_text="A person changed something: no interval until it is done."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    token = models.PositiveBigIntegerField(default=0)
    worker = models.CharField(max_length=128, blank=True, default="")
    failures = models.PositiveSmallIntegerField(default=0, help_text="In a row; a success sets it to 0.")
    batch_limit = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Halved while a failing batch is split, doubled again by successes."
    )
    last_error = models.CharField(max_length=1_000, blank=True, default="")
    last_error_kind = models.CharField(max_length=64, blank=True, default="")
    last_started_at = models.DateTimeField(null=True, blank=True)
    last_finished_at = models.DateTimeField(null=True, blank=True)

    objects = WorkQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "work"
        constraints = [
            models.UniqueConstraint(fields=["entity", "step"], name="work_once_per_step"),
            models.CheckConstraint(condition=Q(step__in=Step.values), name="work_step_known"),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="work_due"),
            models.Index(fields=["lease_until"], condition=Q(lease_until__isnull=False), name="work_leased"),
        ]

    def __str__(self) -> str:
        return f"{self.step} of {self.entity_id}"


class Process(models.Model):
    """A sign of life of a web or worker process, with a hash of the configuration it runs under."""

    class Kind(models.TextChoices):
        WEB = "web"
        WORKER = "worker"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    name = models.CharField(max_length=128, help_text="Host and process id.")
    configuration_hash = models.CharField(max_length=64)
    version = models.CharField(max_length=32, blank=True, default="")
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "processes"
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="process_name_once"),
            models.CheckConstraint(condition=Q(kind__in=["web", "worker"]), name="process_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class ModelEndpoint(models.Model):
    """What an endpoint bears, found once and remembered: how it gives JSON."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    base_url_hash = models.CharField(max_length=64)
    model = models.CharField(max_length=128)
    json_mode = models.CharField(max_length=32)
    found_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["base_url_hash", "model"], name="model_endpoint_once"),
        ]

    def __str__(self) -> str:
        return f"{self.model}: {self.json_mode}"
