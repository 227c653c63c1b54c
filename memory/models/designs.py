"""Designs that a workspace has installed, and rebuilds: another design or model over the same words."""

from __future__ import annotations

from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.base import Owned, OwnedQuerySet, new_id


class InstalledDesignQuerySet(models.QuerySet["InstalledDesign"]):
    """Reads of installed designs, always within a workspace."""

    def for_workspace(self, workspace_id: UUID) -> Self:
        """Designs of one workspace."""
        return self.filter(workspace_id=workspace_id)


class InstalledDesign(models.Model):
    """A design as it was installed: validated content, so that workers on other machines have it too.

    A version never changes once it is there: a trigger refuses it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey("memory.Workspace", on_delete=models.CASCADE, related_name="designs")
    name = models.CharField(max_length=40)
    version = models.CharField(max_length=20)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    description = models.CharField(max_length=500)
    content = models.JSONField(help_text="The whole design, as it is read again.")
    installed_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = InstalledDesignQuerySet.as_manager()

    class Meta:
        ordering = ["name", "version"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name", "version"], name="design_once_in_workspace"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(version=""), name="design_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.full_name

    @property
    def full_name(self) -> str:
        """`name@version`, as workspaces and runs name it."""
        return f"{self.name}@{self.version}"


class Rebuild(Owned):
    """One attempt to make an entity's memory anew. Until it is applied, the result lies in a shadow."""

    class Layer(models.TextChoices):
        L1 = "L1", "L1: atoms, scenes and traits"
        L2 = "L2", "L2: scenes and traits"
        L3 = "L3", "L3: traits"

    class Status(models.TextChoices):
        OPEN = "open"
        APPLIED = "applied"
        DISCARDED = "discarded"

    layer = models.CharField(max_length=2, choices=Layer.choices, help_text="The lowest layer made anew.")
    design = models.CharField(max_length=64)
    design_hash = models.CharField(max_length=64)
    model = models.CharField(max_length=128)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.OPEN)
    erase_epoch = models.PositiveBigIntegerField(help_text="The entity's, when its words were copied.")
    ground = models.CharField(max_length=64, help_text="Digest of what people had corrected by then.")
    difference = models.JSONField(default=dict, blank=True, help_text="Counts of what it changed.")
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = OwnedQuerySet["Rebuild"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["entity"], condition=Q(status="open"), name="rebuild_one_open"),
            models.CheckConstraint(condition=Q(layer__in=["L1", "L2", "L3"]), name="rebuild_layer_known"),
            models.CheckConstraint(
                condition=Q(status="open", ended_at__isnull=True)
                | Q(status__in=["applied", "discarded"], ended_at__isnull=False),
                name="rebuild_ended_has_time",
            ),
        ]
        indexes = [models.Index(fields=["workspace", "entity", "created_at"], name="rebuild_of_entity")]

    def __str__(self) -> str:
        return f"{self.layer} under {self.design} with {self.model}"
