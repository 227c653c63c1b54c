"""L0: sessions and the messages in them, kept word for word."""

from __future__ import annotations

from typing import Self

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Length, Now
from django.db.models.lookups import LessThanOrEqual

from memory.models.base import NextRecordNumber, Owned, StepInput, StepInputQuerySet, in_entity

MESSAGE_TEXT_LIMIT = 65_536
SPEAKER_LIMIT = 128
METADATA_BYTES_LIMIT = 8_192


class SessionQuerySet(StepInputQuerySet["Session"]):
    """Reads of sessions."""

    def pending(self) -> Self:
        """Waiting for compaction: a fold was asked for, or the session has ended and has no brief yet."""
        return (
            super()
            .pending()
            .filter(Q(ended_at__isnull=False) | Q(fold_asked_at__isnull=False), takes_turns=True)
        )

    def open(self) -> Self:
        """Not sealed."""
        return self.filter(ended_at__isnull=True)


class Session(Owned, StepInput):
    """One conversation of an entity. Ending seals it.

    As an input of compaction it is consumed once, by the run that writes its brief after it has ended; a fold
    of an open session clears `fold_asked_at` instead.
    """

    external_id = models.CharField(max_length=128)
    title = models.CharField(max_length=200, blank=True, default="")
    next_ordinal = models.PositiveIntegerField(
        default=0, editable=False, help_text="Kept on the row so that appending locks just this session."
    )
    takes_turns = models.BooleanField(
        default=False,
        editable=False,
        help_text="Opened by an agent's turn loop: old turns are folded, its end writes a brief.",
    )
    folded_until = models.PositiveIntegerField(
        default=0, editable=False, help_text="The first ordinal that the summary does not cover."
    )
    fold_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_message_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the last message was recorded."
    )
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "external_id"], name="session_external_id_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="session_of_entity"),
            models.CheckConstraint(condition=~Q(external_id=""), name="session_external_id_not_empty"),
            models.CheckConstraint(
                condition=Q(folded_until__lte=F("next_ordinal")), name="session_folds_what_was_said"
            ),
        ]
        indexes = [
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=True, takes_turns=True)
                & (Q(ended_at__isnull=False) | Q(fold_asked_at__isnull=False)),
                name="session_pending",
            ),
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=False),
                name="session_parked",
            ),
            models.Index(
                fields=["last_message_at"],
                condition=Q(ended_at__isnull=True, takes_turns=True),
                name="session_idle",
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class MessageQuerySet(StepInputQuerySet["Message"]):
    """Reads of L0."""

    def pending(self) -> Self:
        """Waiting for l1_extract."""
        return super().pending().filter(is_extractable=True)

    def in_event_order(self) -> Self:
        """By when it was said; what has no time falls where it was recorded."""
        return self.annotate(event_at=Coalesce("occurred_at", "recorded_at")).order_by("event_at", "seq")


class Message(Owned, StepInput):
    """What was said, word for word. Never edited: a trigger refuses it; only erasing removes it."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"
        TOOL = "tool"
        SYSTEM = "system"

    created_at = None  # type: ignore[assignment]  # recorded_at is this table's word for it
    session = in_entity(Session, "messages", db_index=False)
    seq = models.BigIntegerField(db_default=NextRecordNumber(), unique=True, editable=False)
    ordinal = models.PositiveIntegerField(help_text="Place in its session, from 0.")
    role = models.CharField(max_length=16, choices=Role.choices)
    speaker = models.CharField(max_length=SPEAKER_LIMIT, blank=True, default="")
    text = models.TextField(blank=True)
    attachment_text = models.TextField(
        blank=True,
        default="",
        help_text="Captions and transcripts of attachments: searchable, never mixed into the text.",
    )
    parent = in_entity("self", "children", null=True, blank=True, on_delete=models.SET_NULL, db_index=False)
    tool_name = models.CharField(max_length=128, blank=True, default="")
    tool_calls = models.JSONField(default=list, blank=True)
    tool_call_id = models.CharField(max_length=128, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    occurred_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was said; empty when nobody knows."
    )
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    content_hash = models.BinaryField(max_length=32, editable=False)
    dedupe_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  # NULLs stay distinct
    is_extractable = models.BooleanField(
        default=True,
        editable=False,
        help_text="Off for system texts and for messages that hold recalled blocks alone.",
    )

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering = ["seq"]
        constraints = [
            models.UniqueConstraint(fields=["session", "ordinal"], name="message_ordinal_once"),
            models.UniqueConstraint(fields=["entity", "dedupe_key"], name="message_dedupe_key_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="message_of_entity"),
            models.CheckConstraint(
                condition=Q(role__in=["user", "assistant", "tool", "system"]), name="message_role_known"
            ),
            models.CheckConstraint(condition=~Q(parent=F("id")), name="message_not_its_own_parent"),
            models.CheckConstraint(
                condition=~Q(text="") | ~Q(attachment_text="") | ~Q(tool_calls=[]), name="message_not_empty"
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(Length("text"), MESSAGE_TEXT_LIMIT)
                & LessThanOrEqual(Length("attachment_text"), MESSAGE_TEXT_LIMIT),
                name="message_text_limit",
            ),
        ]
        indexes = [
            models.Index(F("entity"), F("seq").desc(), name="message_timeline"),
            models.Index(
                fields=["entity", "session", "ordinal"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=True, is_extractable=True),
                name="message_pending",
            ),
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=False),
                name="message_parked",
            ),
            models.Index(fields=["parent"], condition=Q(parent__isnull=False), name="message_parent"),
            BrinIndex(fields=["recorded_at"], name="message_recorded"),
        ]

    def __str__(self) -> str:
        return f"{self.speaker or self.role}: {self.text[:60]}"
