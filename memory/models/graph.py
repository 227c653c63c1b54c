"""The graph: what is known and how it is related. Derived from atoms, dropped and rebuilt at will."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from memory.models.atoms import PREDICATE_LIMIT, SUBJECT_ID_LIMIT, SUBJECT_KIND_LIMIT
from memory.models.base import Owned, OwnedQuerySet, StepInput, StepInputQuerySet
from memory.models.search import OwnedUnit


class GraphNode(Owned):
    """Something that is spoken of. Its id follows from entity, kind and identifier."""

    kind = models.CharField(max_length=SUBJECT_KIND_LIMIT)
    identifier = models.CharField(max_length=SUBJECT_ID_LIMIT)
    terms = ArrayField(
        models.BigIntegerField(),
        default=list,
        editable=False,
        help_text="Entity-salted hashes of the words that name it, for queries.",
    )

    objects = OwnedQuerySet["GraphNode"].as_manager()

    class Meta:
        ordering = ["kind", "identifier"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "kind", "identifier"], name="graph_node_once"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="graph_node_of_entity"),
            models.CheckConstraint(condition=~Q(kind="") & ~Q(identifier=""), name="graph_node_is_named"),
        ]
        indexes = [GinIndex(fields=["terms"], name="graph_node_terms")]

    def __str__(self) -> str:
        return f"{self.kind} {self.identifier}"


class GraphEdge(Owned):
    """What an atom says of its subject: another node, or a value. Its id follows from the atom."""

    subject = models.ForeignKey(
        GraphNode, on_delete=models.CASCADE, related_name="edges_out", db_constraint=False, db_index=False
    )
    predicate = models.CharField(max_length=PREDICATE_LIMIT)
    object = models.ForeignKey(
        GraphNode,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="edges_in",
        db_constraint=False,
        db_index=False,
    )
    value = models.JSONField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    atom = models.OneToOneField(
        "memory.Atom", on_delete=models.CASCADE, related_name="edge", db_constraint=False
    )

    objects = OwnedQuerySet["GraphEdge"].as_manager()

    class Meta:
        ordering = ["predicate", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(object__isnull=False, value__isnull=True)
                | Q(object__isnull=True, value__isnull=False),
                name="graph_edge_object_or_value",
            ),
            models.CheckConstraint(condition=~Q(predicate=""), name="graph_edge_has_predicate"),
        ]
        indexes = [
            # A node with many edges is read from the newest on, never whole.
            models.Index(F("subject"), F("valid_from").desc(), F("id"), name="graph_edge_out"),
            models.Index(
                F("object"),
                F("valid_from").desc(),
                F("id"),
                condition=Q(object__isnull=False),
                name="graph_edge_in",
            ),
            models.Index(
                F("entity"), F("predicate"), F("valid_from").desc(), F("id"), name="graph_edge_predicate"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject_id} {self.predicate}"


class Unpromoted(OwnedUnit, StepInput):
    """An atom that changed and waits for promotion; filled by triggers, whoever wrote the atom."""

    atom = models.ForeignKey(
        "memory.Atom", on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    queued_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = StepInputQuerySet["Unpromoted"].as_manager()

    class Meta:
        verbose_name_plural = "unpromoted"
        indexes = [
            models.Index(fields=["entity", "id"], name="unpromoted_entity"),
            models.Index(fields=["atom"], name="unpromoted_atom"),
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=False),
                name="unpromoted_parked",
            ),
        ]

    def __str__(self) -> str:
        return str(self.atom_id)
