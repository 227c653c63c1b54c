"""L1: atoms, one claim each, and the chains that hold what superseded what."""

from __future__ import annotations

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce, Now

from memory.cascade.contract import ATOM_TEXT_LIMIT, TITLE_LIMIT
from memory.models.base import (
    NextRecordNumber,
    Owned,
    OwnedQuerySet,
    StepInput,
    StepInputQuerySet,
    in_entity,
    run_reference,
)

SUBJECT_KIND_LIMIT = 64
SUBJECT_ID_LIMIT = 256
PREDICATE_LIMIT = 128


class Authority(models.IntegerChoices):
    """Who stands behind a claim; a lower one never overrides a higher one."""

    INFERENCE = 1, "agent inference"
    USER = 2, "user"
    TOOL = 3, "tool"
    APPLICATION = 4, "application"


class Chain(Owned):
    """One matter: the atom that holds now and those it superseded."""

    objects = OwnedQuerySet["Chain"].as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "entity", "id"], name="chain_of_entity")]

    def __str__(self) -> str:
        return str(self.pk)


class AtomQuerySet(StepInputQuerySet["Atom"]):
    """Reads of L1."""

    def live(self) -> Self:
        """What holds now: the only atoms that recall may return."""
        return self.filter(status=Atom.Status.LIVE)

    def holding(self) -> Self:
        """What is live and not past the end that was said for it."""
        return self.live().exclude(valid_until__isnull=False, valid_until__lte=Now())

    def dead(self) -> Self:
        """What no longer holds; history, never recalled."""
        return self.exclude(status=Atom.Status.LIVE)

    def claims(self) -> Self:
        """Atoms with a subject, a predicate and a value or a live source."""
        return self.exclude(predicate="")

    def with_rulings(self) -> Self:
        """With `is_ruling`, which whoever places the members of a chain has to know."""
        from memory.models.evidence import Evidence

        by_person = Evidence.objects.filter(of_atom=OuterRef("pk"), correction__isnull=False)
        return self.annotate(is_ruling=Exists(by_person))

    def in_event_order(self) -> Self:
        """By when the words were said; what has no time falls where it was made."""
        return self.annotate(event_at=Coalesce("occurred_at", "created_at")).order_by("event_at", "seq")

    def rules(self, floor: int) -> Self:
        """Standing instructions at or above a priority, most important first."""
        return (
            self.holding()
            .filter(kind=Atom.Kind.INSTRUCTION, priority__gte=floor)
            .order_by("-priority", "seq")
        )


class Atom(Owned, StepInput):
    """One claim, readable alone. Its text never changes: a change is a new atom in the same chain."""

    class Kind(models.TextChoices):
        PERSONA = "persona"
        EPISODIC = "episodic"
        INSTRUCTION = "instruction"

    class Status(models.TextChoices):
        LIVE = "live"
        SUPERSEDED = "superseded"
        CONTESTED = "contested"
        RETRACTED = "retracted"

    class Decision(models.TextChoices):
        STORE = "store"
        MERGE = "merge"

    class MergeReason(models.TextChoices):
        VALUE = "value"
        CONTRADICTION = "contradiction"

    chain = in_entity(Chain, "atoms")
    seq = models.BigIntegerField(db_default=NextRecordNumber(), unique=True, editable=False)
    text = models.CharField(max_length=ATOM_TEXT_LIMIT)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    priority = models.PositiveSmallIntegerField(help_text="Importance, 0–100; not confidence.")
    topic = models.CharField(max_length=TITLE_LIMIT, blank=True, default="")
    subject = models.CharField(max_length=128, blank=True, default="")
    scope = models.CharField(
        max_length=200, blank=True, default="", help_text="The situation a rule was given for; empty: always."
    )
    happened_from = models.DateField(null=True, blank=True)
    happened_until = models.DateField(null=True, blank=True)
    authority = models.PositiveSmallIntegerField(choices=Authority.choices, default=Authority.USER)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.LIVE)
    superseded_by = in_entity("self", "supersedes", null=True, blank=True, on_delete=models.SET_NULL)
    decision = models.CharField(max_length=8, choices=Decision.choices, default=Decision.STORE)
    merge_reason = models.CharField(max_length=16, choices=MergeReason.choices, blank=True, default="")
    occurred_at = models.DateTimeField(null=True, blank=True, help_text="When its words were said first.")
    last_seen_at = models.DateTimeField(
        null=True, blank=True, help_text="When they were said last, repeats included; orders the chain."
    )
    subject_kind = models.CharField(
        max_length=SUBJECT_KIND_LIMIT, blank=True, default="", help_text="Of a claim: what its subject is."
    )
    subject_id = models.CharField(max_length=SUBJECT_ID_LIMIT, blank=True, default="")
    predicate = models.CharField(
        max_length=PREDICATE_LIMIT,
        blank=True,
        default="",
        help_text="Set on claims, empty on any other atom.",
    )
    value = models.JSONField(null=True, blank=True, help_text="What a claim says; compared by meaning.")
    live_source = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="A claim whose value is not kept but fetched from this source when it is needed.",
    )
    valid_from = models.DateTimeField(null=True, blank=True, help_text="Before that it does not hold.")
    valid_until = models.DateTimeField(null=True, blank=True, help_text="From then on it holds no more.")
    terms = ArrayField(
        models.CharField(max_length=64),
        default=list,
        editable=False,
        help_text="Folded words for the look-up of candidates.",
    )
    run = run_reference(related_name="atoms")

    is_ruling = False
    """Whether a person wrote it, or said that it holds after all; told by `with_rulings` alone."""

    objects = AtomQuerySet.as_manager()

    class Meta:
        ordering = ["seq"]
        constraints = [
            models.UniqueConstraint(
                fields=["chain"], condition=Q(status="live"), name="atom_one_live_per_chain"
            ),
            models.UniqueConstraint(
                F("entity"), F("text"), condition=Q(status="live"), name="atom_text_once_live"
            ),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="atom_of_entity"),
            models.CheckConstraint(condition=~Q(text=""), name="atom_text_not_empty"),
            models.CheckConstraint(
                condition=Q(kind__in=["persona", "episodic", "instruction"]), name="atom_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["live", "superseded", "contested", "retracted"]),
                name="atom_status_known",
            ),
            models.CheckConstraint(condition=Q(priority__lte=100), name="atom_priority_range"),
            models.CheckConstraint(condition=Q(authority__range=(1, 4)), name="atom_authority_known"),
            models.CheckConstraint(
                condition=Q(decision="store", merge_reason="")
                | Q(decision="merge", merge_reason__in=["value", "contradiction"]),
                name="atom_decision_has_reason",
            ),
            models.CheckConstraint(
                condition=Q(happened_until__isnull=True)
                | Q(happened_from__isnull=True)
                | Q(happened_until__gte=F("happened_from")),
                name="atom_period_forward",
            ),
            models.CheckConstraint(
                condition=~Q(status="live") | Q(superseded_by__isnull=True),
                name="atom_live_is_not_superseded",
            ),
            models.CheckConstraint(condition=~Q(superseded_by=F("id")), name="atom_not_superseded_by_itself"),
            models.CheckConstraint(
                condition=Q(scope="") | Q(kind="instruction"), name="atom_scope_for_instructions"
            ),
            models.CheckConstraint(
                condition=Q(predicate="", subject_kind="", subject_id="", value__isnull=True, live_source="")
                | ~Q(predicate="")
                & ~Q(subject_kind="")
                & ~Q(subject_id="")
                & (Q(value__isnull=True) & ~Q(live_source="") | Q(value__isnull=False, live_source="")),
                name="atom_claim_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True)
                | Q(valid_until__isnull=True)
                | Q(valid_until__gt=F("valid_from")),
                name="atom_validity_forward",
            ),
        ]
        indexes = [
            models.Index(F("entity"), F("seq").desc(), name="atom_timeline"),
            # Counts of all and of what is live, for the timeline: equal entries share their place in it.
            models.Index(fields=["entity", "status"], name="atom_standing"),
            models.Index(F("chain"), F("seq"), name="atom_chain"),
            models.Index(
                F("entity"),
                F("priority").desc(),
                F("seq"),
                condition=Q(status="live", kind="instruction"),
                name="atom_rules",
            ),
            models.Index(
                fields=["entity", "seq"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=True),
                name="atom_pending",
            ),
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=False),
                name="atom_parked",
            ),
            models.Index(
                fields=["entity", "predicate", "subject_id", "subject_kind"],
                condition=~Q(predicate=""),
                name="atom_claims",
            ),
            models.Index(
                fields=["valid_until"],
                condition=Q(status__in=["live", "contested"], valid_until__isnull=False),
                name="atom_ending",
            ),
            models.Index(
                fields=["valid_from"],
                condition=Q(status="contested", valid_from__isnull=False),
                name="atom_beginning",
            ),
            models.Index(
                F("entity"), F("topic"), F("seq").desc(), condition=Q(status="live"), name="atom_topic"
            ),
            models.Index(
                F("entity"),
                F("happened_from"),
                F("seq").desc(),
                condition=Q(status="live", happened_from__isnull=False),
                name="atom_happened",
            ),
            GinIndex(fields=["terms"], condition=Q(status="live"), name="atom_terms"),
        ]

    def __str__(self) -> str:
        return self.text
