"""Events for streams: ids only, never text."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from memory.models.base import Owned, OwnedQuerySet, in_entity


class TransactionId(models.Field):  # type: ignore[type-arg]  # not generic at run time
    """PostgreSQL's `xid8` of the writing transaction: streams deliver below the oldest open one."""

    def db_type(self, connection: Any) -> str:
        """Column type."""
        return "xid8"

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> int | None:
        """The id as a number."""
        return None if value is None else int(value)


class Outbox(Owned):
    """One event of an entity, written in the transaction that caused it."""

    class Event(models.TextChoices):
        MESSAGE_STORED = "message.stored"
        STEP_STARTED = "step.started"
        STEP_DONE = "step.done"
        STEP_FAILED = "step.failed"
        INPUT_PARKED = "input.parked"
        ERASED = "erased"

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # streams resume by order
    entity = in_entity(
        "memory.Entity",
        "+",
        null=True,
        blank=True,
        db_index=False,
        help_text="Empty for the event of an entity that was erased whole: `ids` says which it was.",
    )
    transaction = TransactionId(
        db_default=models.Func(function="pg_current_xact_id", output_field=models.BigIntegerField()),
        editable=False,
    )
    event = models.CharField(max_length=32, choices=Event.choices)
    ids = models.JSONField(default=dict)

    objects = OwnedQuerySet["Outbox"].as_manager()

    class Meta:
        verbose_name_plural = "outbox"
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    event__in=[
                        "message.stored",
                        "step.started",
                        "step.done",
                        "step.failed",
                        "input.parked",
                        "erased",
                    ]
                ),
                name="outbox_event_known",
            ),
            models.CheckConstraint(
                condition=Q(entity__isnull=False) | Q(event="erased", ids__has_key="entity"),
                name="outbox_of_an_entity",
            ),
        ]
        indexes = [
            models.Index(fields=["entity", "transaction", "id"], name="outbox_stream"),
            models.Index(fields=["transaction", "id"], name="outbox_order"),
            models.Index(
                condition=Q(entity__isnull=True),
                fields=["workspace", "transaction", "id"],
                name="outbox_of_the_gone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.pk}"
