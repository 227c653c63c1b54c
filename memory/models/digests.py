"""Digests of sessions: the summary of folded turns, and the brief that a session leaves when it ends."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from memory.models.base import Owned, OwnedQuerySet, in_entity, run_reference

SUMMARY_TEXT_LIMIT = 4_000
BRIEF_TEXT_LIMIT = 600


class DigestQuerySet(OwnedQuerySet["Digest"]):
    """Reads of digests."""

    def heads(self) -> Self:
        """The current version of each summary and brief."""
        return self.filter(is_head=True)


class Digest(Owned):
    """One version of what a session comes to. Its text never changes: a longer fold is the next version.

    It covers the messages from ordinal 0 up to `until_ordinal`, which is not covered itself; these are its
    evidence. The turns themselves stay as they were.
    """

    class Kind(models.TextChoices):
        SUMMARY = "summary", "summary: the folded turns of an open session"
        BRIEF = "brief", "brief: a whole session that has ended"

    session = in_entity("memory.Session", "digests", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    number = models.PositiveIntegerField()
    text = models.TextField()
    until_ordinal = models.PositiveIntegerField()
    is_head = models.BooleanField(default=True)
    run = run_reference(related_name="digests")

    objects = DigestQuerySet.as_manager()

    class Meta:
        ordering = ["session", "kind", "number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "kind", "number"], name="digest_number_once"),
            models.UniqueConstraint(
                fields=["session", "kind"], condition=Q(is_head=True), name="digest_one_head"
            ),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="digest_of_entity"),
            models.CheckConstraint(condition=Q(kind__in=["summary", "brief"]), name="digest_kind_known"),
            models.CheckConstraint(condition=Q(number__gte=1), name="digest_number_from_one"),
            models.CheckConstraint(condition=~Q(text=""), name="digest_text_not_empty"),
            models.CheckConstraint(
                condition=Q(kind="brief") & LessThanOrEqual(Length("text"), BRIEF_TEXT_LIMIT)
                | Q(kind="summary") & LessThanOrEqual(Length("text"), SUMMARY_TEXT_LIMIT),
                name="digest_text_limit",
            ),
        ]
        indexes = [
            models.Index(
                F("entity"),
                F("created_at").desc(),
                condition=Q(kind="brief", is_head=True),
                name="digest_briefs",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.text[:60]}"
