"""Checks of procedures: what is active says something, what waits for a review can be approved."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q

from memory.models import Procedure, ProcedureLine, ProcedureVersion
from memory.models.skills import ProcedureSection
from memory.stewardship.verifying.checks import Rows, RowsCheck

Status = ProcedureVersion.Status


def _active_versions_without_steps() -> Rows:
    """Versions that may be handed out and say no step."""
    steps = ProcedureLine.objects.filter(
        version=OuterRef("pk"), section=ProcedureSection.PROCEDURE, erased_at__isnull=True
    )
    return ProcedureVersion.objects.active().exclude(Exists(steps))


def _procedures_without_version() -> Rows:
    """Procedures that nobody has ever worded."""
    return Procedure.objects.exclude(Exists(ProcedureVersion.objects.filter(procedure=OuterRef("pk"))))


def _drafts_on_another_base() -> Rows:
    """Drafts that nobody can approve: what they were made on is not the active version."""
    active = ProcedureVersion.objects.filter(procedure=OuterRef("procedure"), status=Status.ACTIVE)
    is_on_it = Q(base__status=Status.ACTIVE, base__procedure=F("procedure"))
    is_first = Q(base__isnull=True) & ~Exists(active)
    return ProcedureVersion.objects.drafts().exclude(is_on_it | is_first)


def _drafts_on_retired_procedures() -> Rows:
    """Drafts of procedures that have ended."""
    return ProcedureVersion.objects.drafts().filter(procedure__status=Procedure.Status.RETIRED)


CHECKS = (
    RowsCheck(
        "active_version_without_steps", "is handed out and says no step", _active_versions_without_steps
    ),
    RowsCheck("procedure_without_version", "nobody has worded it", _procedures_without_version),
    RowsCheck("draft_on_another_base", "what it was made on is not active", _drafts_on_another_base),
    RowsCheck("draft_of_retired_procedure", "its procedure has ended", _drafts_on_retired_procedures),
)
