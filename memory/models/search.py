"""What search reads: one narrow unit per searchable thing, its vector, and what of an entity is counted.

Units are written by the index step alone. Until it has run, what waits stands in the queue and is scanned.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from pgvector.django import HalfVectorField

from memory.models.base import OwnedQuerySet, in_entity
from memory.models.scenes import Section


class Layer(models.IntegerChoices):
    """What a unit stands for."""

    MESSAGE = 0, "message"
    ATOM = 1, "atom"
    SECTION = 2, "section"
    TRAIT = 3, "trait"


class OwnedUnit(models.Model):
    """A derived row without a layer of its own: it is rebuilt, never cited."""

    id = models.BigAutoField(primary_key=True)
    workspace = in_entity("memory.Workspace", "+", db_index=False)
    entity = in_entity("memory.Entity", "+", db_index=False)

    class Meta:
        abstract = True


class SearchUnit(OwnedUnit):
    """One searchable thing: a message with the turn before it, an atom, a section of a scene, a trait.

    `terms` are entity-salted hashes of folded words (so that one index serves all entities without mixing
    them), `frequencies` how often each stands in the unit, `length` their sum.
    """

    layer = models.PositiveSmallIntegerField(choices=Layer.choices)
    message = models.ForeignKey(
        "memory.Message",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    atom = models.ForeignKey(
        "memory.Atom",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    scene = models.ForeignKey(
        "memory.Scene",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    section = models.CharField(max_length=20, blank=True, default="", choices=Section.choices)
    trait = models.ForeignKey(
        "memory.Trait",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    session = models.ForeignKey(
        "memory.Session",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    position = models.PositiveIntegerField(default=0, help_text="A message's place in its session.")
    speaker = models.CharField(
        max_length=128, blank=True, default="", help_text="Folded; or an atom's subject."
    )
    is_question = models.BooleanField(default=False)
    own_length = models.PositiveSmallIntegerField(default=0, help_text="Terms of the thing itself.")
    occurred_at = models.DateTimeField(null=True)
    terms = ArrayField(models.BigIntegerField())
    frequencies = ArrayField(models.PositiveSmallIntegerField())
    length = models.PositiveSmallIntegerField()

    objects = OwnedQuerySet["SearchUnit"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    layer=0, message__isnull=False, atom__isnull=True, scene__isnull=True, trait__isnull=True
                )
                | Q(layer=1, message__isnull=True, atom__isnull=False, scene__isnull=True, trait__isnull=True)
                | Q(layer=2, message__isnull=True, atom__isnull=True, scene__isnull=False, trait__isnull=True)
                | Q(
                    layer=3, message__isnull=True, atom__isnull=True, scene__isnull=True, trait__isnull=False
                ),
                name="search_unit_one_thing",
            ),
            # By what they stand for, not by layer: so they serve the deleting of it too.
            models.UniqueConstraint(
                fields=["message"],
                condition=Q(message__isnull=False),
                name="search_unit_message_once",
            ),
            models.UniqueConstraint(
                fields=["atom"], condition=Q(atom__isnull=False), name="search_unit_atom_once"
            ),
            models.UniqueConstraint(
                fields=["scene", "section"],
                condition=Q(scene__isnull=False),
                name="search_unit_section_once",
            ),
            models.UniqueConstraint(
                fields=["trait"], condition=Q(trait__isnull=False), name="search_unit_trait_once"
            ),
        ]
        indexes = [
            GinIndex(fields=["terms"], name="search_unit_terms", fastupdate=False),
            models.Index(F("session"), F("position"), condition=Q(layer=0), name="search_unit_session"),
            models.Index(F("entity"), F("layer"), F("id"), name="search_unit_entity"),
            # A word that is everywhere is looked for among the newest of its entity, not of all entities.
            models.Index(F("entity"), F("id").desc(), name="search_unit_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_layer_display()} unit {self.pk}"


class EmbeddingSpace(models.Model):
    """A way of embedding: vectors of different spaces are never compared."""

    id = models.SmallAutoField(primary_key=True)
    name = models.CharField(max_length=200, unique=True)
    dimensions = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.name


class UnitVector(models.Model):
    """A unit's vector in one space. The column has no dimension of its own: each space has its own."""

    id = models.BigAutoField(primary_key=True)
    unit = models.ForeignKey(
        SearchUnit, on_delete=models.CASCADE, related_name="vectors", db_index=False, db_constraint=False
    )
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+", db_index=False)
    workspace = in_entity("memory.Workspace", "+", db_index=False)
    entity = in_entity("memory.Entity", "+", db_index=False)
    embedding = HalfVectorField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["unit", "space"], name="unit_vector_once_per_space"),
        ]
        indexes = [models.Index(fields=["entity", "space"], name="unit_vector_entity")]

    def __str__(self) -> str:
        return f"vector of {self.unit_id}"


class TermCount(OwnedUnit):
    """In how many units of an entity a term stands."""

    term = models.BigIntegerField()
    units = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entity", "term"], name="term_count_once")]

    def __str__(self) -> str:
        return f"{self.term}: {self.units}"


class LayerCount(OwnedUnit):
    """How many units a layer of an entity has, and how long they are together."""

    layer = models.PositiveSmallIntegerField(choices=Layer.choices)
    units = models.PositiveIntegerField(default=0)
    length = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entity", "layer"], name="layer_count_once")]

    def __str__(self) -> str:
        return f"{self.get_layer_display()}: {self.units}"


class RecordCount(OwnedUnit):
    """A change of how many messages or atoms an entity has; what a layer of it has is the sum of its rows.

    Triggers add a row wherever records come, go or change their state, so that no two writers wait for each
    other and whoever reads finds what its snapshot holds. The index step puts the rows of an entity together.
    """

    layer = models.PositiveSmallIntegerField(choices=Layer.choices)
    heads = models.BigIntegerField(help_text="So many more that hold; fewer below zero.")
    versions = models.BigIntegerField(help_text="So many more in all, with what holds no longer.")

    objects = OwnedQuerySet["RecordCount"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(layer__in=[Layer.MESSAGE, Layer.ATOM]), name="record_count_layer"
            )
        ]
        indexes = [models.Index(fields=["entity", "layer"], name="record_count_entity")]

    def __str__(self) -> str:
        return f"{self.get_layer_display()}: {self.heads:+} of {self.versions:+}"


class Unindexed(OwnedUnit):
    """A row that changed and waits for the index step; filled by triggers, whoever wrote the row."""

    layer = models.PositiveSmallIntegerField(choices=Layer.choices)
    row = models.UUIDField(help_text="A message, an atom, a scene or a trait.")
    has_terms = models.BooleanField(
        default=False, help_text="Its unit stands and is found by words; only the vector is missing."
    )
    queued_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = OwnedQuerySet["Unindexed"].as_manager()

    class Meta:
        verbose_name_plural = "unindexed"
        indexes = [models.Index(fields=["entity", "id"], name="unindexed_entity")]

    def __str__(self) -> str:
        return f"{self.get_layer_display()} {self.row}"


class LanguageSample(models.Model):
    """The languages an entity speaks, as the index step found them: its words are stemmed in these."""

    entity = models.OneToOneField(
        "memory.Entity", on_delete=models.CASCADE, primary_key=True, related_name="+", db_constraint=False
    )
    workspace = in_entity("memory.Workspace", "+", db_index=False)
    languages = ArrayField(models.CharField(max_length=8), default=list)
    units_seen = models.PositiveIntegerField(
        default=0, help_text="How many units there were when it was made."
    )

    def __str__(self) -> str:
        return ", ".join(self.languages)
