"""Whose memory it is: workspaces, the people and keys that may enter, and entities."""

from __future__ import annotations

import hashlib
import secrets
import zoneinfo
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from memory.models.base import new_id

KEY_MARK = "msk_"
DEFAULT_DESIGN = "agent_memory@0.3.0"
SANDBOX_WORKSPACE_ID = UUID("5a4db000-0000-4000-8000-000000000001")
"""The workspace of visitors' memories: known without asking, so that every row tells which queue it takes."""


def validate_time_zone(name: str) -> None:
    """Refuse a zone that the time zone database does not know."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError("%(name)s is not a known time zone", params={"name": name})


class Workspace(models.Model):
    """A tenant. Nothing is shared between workspaces."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=64, unique=True)
    design = models.CharField(max_length=64, default=DEFAULT_DESIGN)
    daily_token_budget = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Model tokens a day (UTC); empty takes the setting."
    )
    message_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Days that messages are kept, and what rests on them alone; empty keeps them for good.",
    )
    run_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="Days that runs are kept; empty takes the setting."
    )
    use_days = models.PositiveIntegerField(default=90, help_text="Days that uses are kept.")
    event_days = models.PositiveIntegerField(default=7, help_text="Days that events for streams are kept.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(message_days__isnull=True) | Q(message_days__gte=1))
                & (Q(run_days__isnull=True) | Q(run_days__gte=1))
                & Q(use_days__gte=1, event_days__gte=1),
                name="workspace_keeps_a_day",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Member(models.Model):
    """What a signed-in person may do in a workspace."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        REVIEWER = "reviewer"
        OPERATOR = "operator"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="member_once_in_workspace"),
            models.CheckConstraint(
                condition=Q(role__in=["viewer", "reviewer", "operator"]), name="member_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class EntityQuerySet(models.QuerySet["Entity"]):
    """Reads of entities, always within a workspace."""

    def for_workspace(self, workspace_id: Any) -> Self:
        """Entities of one workspace, without the shadows of rebuilds."""
        return self.filter(workspace_id=workspace_id).visible()

    def visible(self) -> Self:
        """Without the shadows in which rebuilds are made."""
        return self.filter(shadow_of__isnull=True)


class Entity(models.Model):
    """Whose memory it is, for example `agent.alice-demo`."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="entities")
    name = models.CharField(max_length=128)
    group_id = models.CharField(max_length=128, blank=True, default="")
    user_id = models.CharField(max_length=128, blank=True, default="")
    time_zone = models.CharField(max_length=64, default="UTC", validators=[validate_time_zone])
    paused_steps = ArrayField(models.CharField(max_length=32), default=list, blank=True)
    erase_epoch = models.PositiveBigIntegerField(
        default=0,
        editable=False,
        help_text="Rises with every erase; a run that began under another one writes nothing.",
    )
    shadow_of = models.OneToOneField(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="shadow",
        db_constraint=False,
        editable=False,
        help_text="The entity that is being rebuilt here; no door shows or reaches a shadow.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    languages_read: tuple[str, ...] | None = None
    """Those of its words, where they were read together with the row and some are known."""

    objects = EntityQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entities"
        ordering = ["name"]
        constraints = [
            # A shadow has its entity's name: models are shown it.
            models.UniqueConstraint(
                fields=["workspace", "name"],
                condition=Q(shadow_of__isnull=True),
                name="entity_name_once_in_workspace",
            ),
            models.UniqueConstraint(fields=["workspace", "id"], name="entity_in_workspace"),
            models.UniqueConstraint(
                fields=["workspace", "group_id", "user_id"],
                condition=~Q(group_id="") | ~Q(user_id=""),
                name="entity_group_user_once_in_workspace",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="entity_name_not_empty"),
            models.CheckConstraint(condition=~Q(shadow_of=F("id")), name="entity_not_its_own_shadow"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> zoneinfo.ZoneInfo:
        """The entity's own zone, in which «today» and «yesterday» are read."""
        return zoneinfo.ZoneInfo(self.time_zone)


class Key(models.Model):
    """A bearer key of an agent: 32 random bytes, shown once, stored as a digest."""

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"
        ADMIN = "admin"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="keys")
    label = models.CharField(max_length=64)
    prefix = models.CharField(max_length=16, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope.choices), default=list)
    is_bound = models.BooleanField(
        default=False, editable=False, help_text="Opens its entities only, and nothing once they are gone."
    )
    entities = models.ManyToManyField(Entity, blank=True, related_name="keys")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scopes__contained_by=["read", "write", "admin"]) & ~Q(scopes=[]),
                name="key_scopes_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label} ({self.prefix}…)"

    @staticmethod
    def new_token() -> str:
        """A fresh bearer token; only its digest is ever stored."""
        return KEY_MARK + secrets.token_urlsafe(32)

    @staticmethod
    def digest_of(token: str) -> str:
        """SHA-256 in hexadecimal: 32 random bytes need no slow hash."""
        return hashlib.sha256(token.encode()).hexdigest()

    def is_usable(self, at: datetime) -> bool:
        """Neither revoked nor expired at the given instant."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > at)

    def allows(self, scope: str) -> bool:
        """Admin implies write, write implies read."""
        implied = {"read": {"read", "write", "admin"}, "write": {"write", "admin"}, "admin": {"admin"}}
        return bool(implied[scope] & set(self.scopes))
