"""Erasing: what was planned and done, without a word of it, and what must not come back."""

from __future__ import annotations

from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from memory.models.base import new_id


class ErasureQuerySet(models.QuerySet["Erasure"]):
    """Reads of erasures, always within a workspace."""

    def for_workspace(self, workspace_id: UUID) -> Self:
        """Those of one workspace, of entities that are gone too."""
        return self.filter(workspace_id=workspace_id)


class Erasure(models.Model):
    """One erase: its preview, and once it is done the audit of it. It holds ids and counts, never words."""

    class Scope(models.TextChoices):
        ENTITY = "entity"
        SESSION = "session"
        MESSAGES = "messages"
        PERIOD = "period"
        RETENTION = "retention", "retention: older than the workspace keeps"

    class Status(models.TextChoices):
        PLANNED = "planned"
        DONE = "done"
        EXPIRED = "expired", "expired: nobody confirmed it"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey("memory.Workspace", on_delete=models.CASCADE, related_name="erasures")
    entity = models.ForeignKey(
        "memory.Entity",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="erasures",
        db_constraint=False,
        help_text="Empty once the whole entity is gone.",
    )
    entity_mark = models.CharField(
        max_length=64, help_text="Keyed hash of the entity's name, which may be a person's."
    )
    scope = models.CharField(max_length=12, choices=Scope.choices)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.PLANNED)
    selection = models.JSONField(
        default=dict, help_text="Ids and instants of what was chosen; empty when done."
    )
    ground = models.CharField(
        max_length=64, blank=True, default="", help_text="Digest of what the preview counted."
    )
    counts = models.JSONField(default=dict, help_text="Rows by layer: as planned, then as done.")
    reason = models.CharField(max_length=500, blank=True, default="")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="erasures"
    )
    key = models.ForeignKey(
        "memory.Key", null=True, blank=True, on_delete=models.SET_NULL, related_name="erasures"
    )
    by = models.CharField(
        max_length=128, blank=True, default="", help_text="Who it was where no account says so: a terminal."
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ErasureQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["entity", "session", "messages", "period", "retention"]),
                name="erasure_scope_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["planned", "expired"], done_at__isnull=True)
                | Q(status="done", done_at__isnull=False, selection={}),
                name="erasure_done_has_time",
            ),
        ]
        indexes = [models.Index(F("workspace"), F("created_at").desc(), name="erasure_of_workspace")]

    def __str__(self) -> str:
        return f"{self.scope} {self.status}"


class Tombstone(models.Model):
    """A keyed hash of an erased dedupe key or content: an import that brings it again is told so."""

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(
        "memory.Workspace", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    erasure = models.ForeignKey(Erasure, on_delete=models.CASCADE, related_name="tombstones")
    digest = models.BinaryField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "digest"], name="tombstone_once"),
            models.CheckConstraint(condition=Exact(Length("digest"), 32), name="tombstone_digest_is_whole"),
        ]

    def __str__(self) -> str:
        return f"tombstone {self.pk}"
