"""Receipts: what a derived row rests on, and the corrections that people made."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from memory.models.atoms import Authority
from memory.models.base import Owned, OwnedQuerySet, in_entity, run_reference

DERIVED = ("of_atom", "of_line", "of_trait_version", "of_digest", "of_procedure_line")
TARGETS = ("message", "atom", "line", "correction", "trace_step", "feedback")


def _exactly_one(*names: str) -> Q:
    """One of the columns is set and the others are empty."""
    condition = Q()
    for name in names:
        condition |= Q(**{f"{other}__isnull": other != name for other in names})
    return condition


def _rests_on(derived: str, *targets: str) -> Q:
    """This kind of derived row, on one of these kinds of target."""
    condition = Q()
    for target in targets:
        condition |= Q(**{f"{target}__isnull": False})
    return Q(**{f"{derived}__isnull": False}) & condition


def _held_in_sql(to: str, related_name: str) -> models.ForeignKey[Any, Any]:
    """A reference whose composite foreign key and partial index are made in SQL, not by Django."""
    return models.ForeignKey(
        to,
        null=True,
        on_delete=models.CASCADE,
        related_name=related_name,
        db_constraint=False,
        db_index=False,
    )


def _index_where_set(name: str) -> models.Index:
    return models.Index(fields=[name], condition=Q(**{f"{name}__isnull": False}), name=f"evidence_by_{name}")


class Correction(Owned):
    """A person's change: who, why, before and after. It is evidence of its own."""

    class Kind(models.TextChoices):
        SCENE_EDITED = "scene_edited"
        LINES_PINNED = "lines_pinned"
        LINES_UNPINNED = "lines_unpinned"
        SCENES_MERGED = "scenes_merged"
        SCENE_RETIRED = "scene_retired"
        SCENE_RESTORED = "scene_restored"
        ATOM_SUPERSEDED = "atom_superseded"
        ATOM_RETRACTED = "atom_retracted"
        ATOM_RESTORED = "atom_restored"
        TRAIT_SET = "trait_set"
        TRAIT_RETRACTED = "trait_retracted"
        TRAIT_RESTORED = "trait_restored"
        PROCEDURE_EDITED = "procedure_edited"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="corrections"
    )
    key = models.ForeignKey(
        "memory.Key", null=True, blank=True, on_delete=models.SET_NULL, related_name="corrections"
    )
    by = models.CharField(
        max_length=128, blank=True, default="", help_text="Who it was where no account says so: a terminal."
    )
    kind = models.CharField(max_length=32, choices=Kind.choices)
    reason = models.CharField(max_length=500, blank=True, default="")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = OwnedQuerySet["Correction"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="correction_of_entity"),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) | Q(reason="", before={}, after={}),
                name="correction_erased_is_empty",
            ),
        ]
        indexes = [models.Index(F("entity"), F("created_at").desc(), name="correction_newest")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.by or self.user or 'a former user'}"


class Evidence(models.Model):
    """A link from one derived row to the one thing it rests on.

    The derived row is an atom, a line, a trait version, a digest of a session or a line of a procedure; the
    target is a message, an atom, a line, a correction, a step of a trace, feedback or something outside. Both
    sides are held by CHECK constraints; composite foreign keys over (workspace, entity, id) keep a receipt
    from crossing an entity.
    """

    class Role(models.TextChoices):
        SOURCE = "source"
        REPEAT = "repeat"

    id = models.BigAutoField(primary_key=True)
    workspace = in_entity("memory.Workspace", "+", db_index=False)
    entity = in_entity("memory.Entity", "+")
    of_atom = _held_in_sql("memory.Atom", "evidence")
    of_line = _held_in_sql("memory.Line", "evidence")
    of_trait_version = _held_in_sql("memory.TraitVersion", "evidence")
    of_digest = _held_in_sql("memory.Digest", "evidence")
    of_procedure_line = _held_in_sql("memory.ProcedureLine", "evidence")
    message = _held_in_sql("memory.Message", "cited_by")
    atom = _held_in_sql("memory.Atom", "cited_by")
    line = _held_in_sql("memory.Line", "cited_by")
    correction = _held_in_sql("memory.Correction", "cited_by")
    trace_step = _held_in_sql("memory.TraceStep", "cited_by")
    feedback = _held_in_sql("memory.Feedback", "cited_by")
    outside_kind = models.CharField(max_length=64, null=True)  # noqa: DJ001  # part of the one-target CHECK
    outside_reference = models.CharField(max_length=500, null=True)  # noqa: DJ001
    outside_authority = models.PositiveSmallIntegerField(null=True, choices=Authority.choices)
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.SOURCE)
    run = run_reference()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name_plural = "evidence"
        constraints = [
            models.CheckConstraint(
                condition=_exactly_one(*DERIVED),
                name="evidence_one_derived_row",
            ),
            models.CheckConstraint(
                condition=_exactly_one(*TARGETS, "outside_kind"),
                name="evidence_one_target",
            ),
            models.CheckConstraint(
                condition=Q(
                    outside_kind__isnull=True, outside_reference__isnull=True, outside_authority__isnull=True
                )
                | Q(
                    outside_kind__isnull=False,
                    outside_reference__isnull=False,
                    outside_authority__isnull=False,
                ),
                name="evidence_outside_is_whole",
            ),
            models.CheckConstraint(
                condition=_rests_on("of_atom", "message", "correction", "outside_kind")
                | _rests_on("of_line", "atom", "correction")
                | _rests_on("of_trait_version", "line", "correction")
                | _rests_on("of_digest", "message")
                | _rests_on("of_procedure_line", "trace_step", "feedback", "correction"),
                name="evidence_looks_one_layer_down",
            ),
            models.CheckConstraint(condition=Q(role__in=["source", "repeat"]), name="evidence_role_known"),
            models.CheckConstraint(
                condition=Q(outside_authority__isnull=True) | Q(outside_authority__range=(1, 4)),
                name="evidence_outside_authority_known",
            ),
            models.UniqueConstraint(
                fields=["of_atom", "message"],
                condition=Q(message__isnull=False),
                name="evidence_atom_message_once",
            ),
            models.UniqueConstraint(
                fields=["of_line", "atom"], condition=Q(atom__isnull=False), name="evidence_line_atom_once"
            ),
            models.UniqueConstraint(
                fields=["of_trait_version", "line"],
                condition=Q(line__isnull=False),
                name="evidence_trait_line_once",
            ),
            models.UniqueConstraint(
                fields=["of_digest", "message"],
                condition=Q(of_digest__isnull=False),
                name="evidence_digest_message_once",
            ),
            models.UniqueConstraint(
                fields=["of_procedure_line", "trace_step"],
                condition=Q(trace_step__isnull=False),
                name="evidence_procedure_step_once",
            ),
            models.UniqueConstraint(
                fields=["of_procedure_line", "feedback"],
                condition=Q(feedback__isnull=False),
                name="evidence_procedure_feedback_once",
            ),
        ]
        indexes = [_index_where_set(name) for name in (*DERIVED, *TARGETS)]

    def __str__(self) -> str:
        return f"evidence {self.pk}"
