"""Uses: what was handed to agents, what was said of it, and what of that waits to be learned from."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import LessThanOrEqual

from memory.models.base import Owned, OwnedQuerySet, StepInput, StepInputQuerySet, in_entity
from memory.models.search import OwnedUnit

FEEDBACK_TEXT_LIMIT = 4_000
FEEDBACK_LABEL_LIMIT = 64


class Use(Owned):
    """What was handed to an agent once: which rows, how many tokens, and the digest of the exact bytes."""

    class Kind(models.TextChoices):
        CONTEXT = "context"
        COMPILED = "compiled", "compiled: the messages of a turn"
        PROCEDURE = "procedure"

    kind = models.CharField(max_length=12, choices=Kind.choices)
    sha256 = models.CharField(max_length=64)
    tokens = models.PositiveIntegerField()
    manifest = models.JSONField(help_text="Blocks, ids and tokens; no words.")
    procedure_versions = ArrayField(models.UUIDField(), default=list, blank=True)
    records = ArrayField(
        models.UUIDField(), default=list, blank=True, help_text="Ids of every row that was shown."
    )
    request = models.TextField(blank=True, default="", help_text="What was asked; kept on request only.")
    text = models.TextField(blank=True, default="", help_text="What was rendered; kept on request only.")
    session = in_entity("memory.Session", "uses", null=True, blank=True, on_delete=models.SET_NULL)
    key = models.ForeignKey(
        "memory.Key", null=True, blank=True, on_delete=models.SET_NULL, related_name="uses"
    )
    expires_at = models.DateTimeField()

    objects = OwnedQuerySet["Use"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="use_of_entity"),
            models.CheckConstraint(
                condition=Q(kind__in=["context", "compiled", "procedure"]), name="use_kind_known"
            ),
            models.CheckConstraint(condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="use_digest_is_whole"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="use_expires_later"),
        ]
        indexes = [
            models.Index(F("entity"), F("created_at").desc(), name="use_newest"),
            models.Index(fields=["workspace", "expires_at"], name="use_expiring"),
            GinIndex(fields=["records"], name="use_records"),
            GinIndex(fields=["procedure_versions"], name="use_procedures"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}"


class Feedback(Owned):
    """What somebody says of a use. It outlives the use, since lines of procedures may rest on it."""

    class Kind(models.TextChoices):
        THUMBS_UP = "thumbs_up"
        THUMBS_DOWN = "thumbs_down"
        CORRECTION = "correction"
        TASK_SUCCESS = "task_success"
        TASK_FAILURE = "task_failure"
        EXCEPTION = "exception"
        EVALUATION = "evaluation"

    class Source(models.TextChoices):
        END_USER = "end_user"
        OPERATOR = "operator"
        EVALUATOR = "evaluator"
        APPLICATION = "application"

    use = in_entity("memory.Use", "feedback", null=True, blank=True, on_delete=models.SET_NULL)
    procedure_version = in_entity(
        "memory.ProcedureVersion",
        "feedback",
        null=True,
        blank=True,
        help_text="The version in the use that it is about, when there was one.",
    )
    kind = models.CharField(max_length=16, choices=Kind.choices)
    source = models.CharField(max_length=12, choices=Source.choices)
    score = models.DecimalField(max_digits=5, decimal_places=4, null=True, blank=True)
    label = models.CharField(max_length=FEEDBACK_LABEL_LIMIT, blank=True, default="")
    comment = models.TextField(blank=True, default="")
    expected = models.TextField(blank=True, default="")
    actual = models.TextField(blank=True, default="")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="feedback"
    )
    key = models.ForeignKey(
        "memory.Key", null=True, blank=True, on_delete=models.SET_NULL, related_name="feedback"
    )

    objects = OwnedQuerySet["Feedback"].as_manager()

    class Meta:
        verbose_name_plural = "feedback"
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="feedback_of_entity"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        *("thumbs_up", "thumbs_down", "correction", "task_success", "task_failure"),
                        *("exception", "evaluation"),
                    ]
                ),
                name="feedback_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(source__in=["end_user", "operator", "evaluator", "application"]),
                name="feedback_source_known",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__range=(0, 1)), name="feedback_score_range"
            ),
            *(
                models.CheckConstraint(
                    condition=LessThanOrEqual(Length(text), FEEDBACK_TEXT_LIMIT),
                    name=f"feedback_{text}_limit",
                )
                for text in ("comment", "expected", "actual")
            ),
        ]
        indexes = [models.Index(F("entity"), F("created_at").desc(), name="feedback_newest")]

    def __str__(self) -> str:
        return f"{self.kind} from {self.source}"


class SkillInput(OwnedUnit, StepInput):
    """What waits for skill_extract: one trace, or one piece of feedback; filled by triggers."""

    trace = in_entity("memory.TaskTrace", "+", null=True, blank=True, db_index=False)
    feedback = in_entity("memory.Feedback", "+", null=True, blank=True, db_index=False)
    queued_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = StepInputQuerySet["SkillInput"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trace"], name="skill_input_trace_once"),
            models.UniqueConstraint(fields=["feedback"], name="skill_input_feedback_once"),
            models.CheckConstraint(
                condition=Q(trace__isnull=False, feedback__isnull=True)
                | Q(trace__isnull=True, feedback__isnull=False),
                name="skill_input_one_thing",
            ),
        ]
        indexes = [
            models.Index(
                fields=["entity", "id"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=True),
                name="skill_input_pending",
            ),
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=False),
                name="skill_input_parked",
            ),
        ]

    def __str__(self) -> str:
        return str(self.trace_id or self.feedback_id)
