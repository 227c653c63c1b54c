"""Checks of procedures: what is active says something, what waits for a review can be approved."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memory.models import Procedure, ProcedureLine, ProcedureVersion
from memory.models.skills import ProcedureSection

Status = ProcedureVersion.Status


def active_versions_without_steps() -> QuerySet[Any]:
    """Versions that may be handed out and say no step."""
    steps = ProcedureLine.objects.filter(
        version=OuterRef("pk"), section=ProcedureSection.PROCEDURE, erased_at__isnull=True
    )
    return ProcedureVersion.objects.active().exclude(Exists(steps))


def procedures_without_version() -> QuerySet[Any]:
    """Procedures that nobody has ever worded."""
    return Procedure.objects.exclude(Exists(ProcedureVersion.objects.filter(procedure=OuterRef("pk"))))


def drafts_on_another_base() -> QuerySet[Any]:
    """Drafts that nobody can approve: what they were made on is not the active version."""
    active = ProcedureVersion.objects.filter(procedure=OuterRef("procedure"), status=Status.ACTIVE)
    is_on_it = Q(base__status=Status.ACTIVE, base__procedure=F("procedure"))
    is_first = Q(base__isnull=True) & ~Exists(active)
    return ProcedureVersion.objects.drafts().exclude(is_on_it | is_first)


def drafts_on_retired_procedures() -> QuerySet[Any]:
    """Drafts of procedures that have ended."""
    return ProcedureVersion.objects.drafts().filter(procedure__status=Procedure.Status.RETIRED)
