"""L3: traits, one per slot, with their history."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q

from memory.cascade.contract import TRAIT_TEXT_LIMIT
from memory.models.base import NextRecordNumber, Owned, OwnedQuerySet, in_entity, run_reference


class Trait(Owned):
    """A slot of the persona. What it says is in its head version."""

    class Slot(models.TextChoices):
        ARCHETYPE = "archetype"
        ROLE = "role"
        TECHNICAL_PREFERENCES = "technical_preferences", "technical preferences"
        INTERACTION_PROTOCOL = "interaction_protocol", "interaction protocol"
        DECISION_PATTERN = "decision_pattern", "decision pattern"

    class Status(models.TextChoices):
        LIVE = "live"
        RETRACTED = "retracted"

    slot = models.CharField(max_length=24, choices=Slot.choices)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.LIVE)

    objects = OwnedQuerySet["Trait"].as_manager()

    class Meta:
        ordering = ["slot"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "slot"], name="trait_slot_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="trait_of_entity"),
            models.CheckConstraint(
                condition=Q(
                    slot__in=[
                        "archetype",
                        "role",
                        "technical_preferences",
                        "interaction_protocol",
                        "decision_pattern",
                    ]
                ),
                name="trait_slot_known",
            ),
            models.CheckConstraint(condition=Q(status__in=["live", "retracted"]), name="trait_status_known"),
        ]

    def __str__(self) -> str:
        return self.slot


class TraitVersionQuerySet(OwnedQuerySet["TraitVersion"]):
    """Reads of trait versions."""

    def live(self) -> Self:
        """What the persona says now."""
        return self.filter(is_head=True, trait__status=Trait.Status.LIVE).order_by("trait__slot")


class TraitVersion(Owned):
    """One wording of a trait, resting on scene lines or on a person's correction."""

    trait = in_entity(Trait, "versions")
    seq = models.BigIntegerField(db_default=NextRecordNumber(), unique=True, editable=False)
    number = models.PositiveIntegerField()
    text = models.CharField(max_length=TRAIT_TEXT_LIMIT, blank=True)
    is_head = models.BooleanField(default=True)
    run = run_reference(related_name="trait_versions")
    correction = in_entity(
        "memory.Correction", "trait_versions", null=True, blank=True, on_delete=models.RESTRICT
    )
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = TraitVersionQuerySet.as_manager()

    class Meta:
        ordering = ["trait", "number"]
        constraints = [
            models.UniqueConstraint(fields=["trait", "number"], name="trait_version_number_once"),
            models.UniqueConstraint(fields=["trait"], condition=Q(is_head=True), name="trait_one_head"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="trait_version_of_entity"),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) & ~Q(text="") | Q(erased_at__isnull=False, text=""),
                name="trait_version_text_until_erased",
            ),
        ]
        indexes = [models.Index(F("entity"), F("seq").desc(), name="trait_version_timeline")]

    def __str__(self) -> str:
        return self.text
