"""What was answered to writes that bore an `Idempotency-Key`: status and ids, never text."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact


class IdempotentReply(models.Model):
    """One write of a key's bearer that succeeded, stored in the transaction of what it wrote.

    The name that the bearer gave it and the request are kept as hashes under the installation's secret: a
    request may hold what somebody said.
    """

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(
        "memory.Workspace", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    key = models.ForeignKey("memory.Key", on_delete=models.CASCADE, related_name="+", db_index=False)
    entity = models.ForeignKey(
        "memory.Entity",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_constraint=False,
        db_index=False,
        help_text="Whose memory the write was about; empty for none, or for one that is gone.",
    )
    digest = models.BinaryField(max_length=32, help_text="Keyed hash of the Idempotency-Key.")
    request = models.BinaryField(max_length=32, help_text="Keyed hash of method, address and body.")
    status = models.PositiveSmallIntegerField()
    ids = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name_plural = "idempotent replies"
        constraints = [
            models.UniqueConstraint(fields=["key", "digest"], name="idempotent_reply_once_per_key"),
            models.CheckConstraint(
                condition=Exact(Length("digest"), 32) & Exact(Length("request"), 32),
                name="idempotent_reply_digests_are_whole",
            ),
            models.CheckConstraint(
                condition=Q(status__gte=200, status__lt=300), name="idempotent_reply_of_success"
            ),
        ]
        indexes = [
            models.Index(
                condition=Q(entity__isnull=False), fields=["entity"], name="idempotent_reply_of_entity"
            )
        ]

    def __str__(self) -> str:
        return f"reply {self.pk}"
