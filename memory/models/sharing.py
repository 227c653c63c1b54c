"""Who may read another's memory: one row for each pair, and nothing without a row."""

from __future__ import annotations

from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from memory.models.base import Owned, OwnedQuerySet


class ShareQuerySet(OwnedQuerySet["Share"]):
    """Reads from either side."""

    def for_reader(self, reader_id: UUID) -> Self:
        """What one entity was given to read."""
        return self.filter(reader_id=reader_id)


class Share(Owned):
    """The memory of `entity` is open to `reader`, to read and never to write; both lie in one workspace."""

    reader = models.ForeignKey("memory.Entity", on_delete=models.CASCADE, related_name="+", db_index=False)
    reason = models.CharField(max_length=500, blank=True, default="")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="shares"
    )
    key = models.ForeignKey(
        "memory.Key", null=True, blank=True, on_delete=models.SET_NULL, related_name="shares"
    )
    by = models.CharField(
        max_length=128, blank=True, default="", help_text="Who it was where no account says so: a terminal."
    )

    objects = ShareQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "reader"], name="share_once"),
            models.CheckConstraint(condition=~Q(entity=F("reader")), name="share_not_with_itself"),
        ]
        indexes = [models.Index(fields=["reader", "entity"], name="share_of_reader")]

    def __str__(self) -> str:
        return f"share {self.pk}"
