"""What the versions of an entity's procedures rest on, and what of it only drafts rest on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

from memory.models import Entity, Evidence, Procedure, ProcedureLine, ProcedureVersion
from memory.models.skills import ProcedureSection

Status = ProcedureVersion.Status
APPROVED = (Status.ACTIVE, Status.SUPERSEDED)


class Cited:
    """What the versions of procedures rest on and are called; three statements."""

    def __init__(self, entity: Entity) -> None:
        self.versions: dict[UUID, list[ProcedureVersion]] = defaultdict(list)
        rows = ProcedureVersion.objects.for_entity(entity).filter(erased_at__isnull=True)
        for version in rows.order_by("number"):
            self.versions[version.procedure_id].append(version)
        self._traces: dict[UUID, set[UUID]] = defaultdict(set)
        self._feedback: dict[UUID, set[UUID]] = defaultdict(set)
        receipts = Evidence.objects.filter(
            workspace_id=entity.workspace_id, entity=entity, of_procedure_line__isnull=False
        )
        for version_id, trace, feedback in receipts.values_list(
            "of_procedure_line__version", "trace_step__trace", "feedback"
        ).distinct():
            self._traces[version_id] |= {trace} - {None}
            self._feedback[version_id] |= {feedback} - {None}
        self._when: dict[UUID, list[str]] = defaultdict(list)
        lines = ProcedureLine.objects.for_entity(entity).filter(
            section=ProcedureSection.WHEN, erased_at__isnull=True
        )
        for version_id, text in lines.values_list("version", "text"):
            self._when[version_id].append(text)

    @property
    def all_traces(self) -> set[UUID]:
        """Every trace that some version rests on, of retired procedures too."""
        return set().union(*self._traces.values())

    def traces(self, procedure: Procedure) -> list[UUID]:
        """The traces that any of its versions rests on."""
        return sorted(set().union(*(self._traces[one.pk] for one in self.versions[procedure.pk])))

    def names(self, procedure: Procedure) -> list[str]:
        """What the active version, or else the newest one, calls the task."""
        versions = self.versions[procedure.pk]
        active = next((one for one in versions if one.status == Status.ACTIVE), None)
        shown = active or (versions[-1] if versions else None)
        return [shown.title, *self._when[shown.pk]] if shown else []

    def unsettled_traces(self, procedure: Procedure) -> list[UUID]:
        """Those that only drafts rest on."""
        return sorted(self._unsettled(procedure, self._traces))

    def unsettled_feedback(self, procedure: Procedure) -> list[UUID]:
        """The same for feedback."""
        return sorted(self._unsettled(procedure, self._feedback))

    def _unsettled(self, procedure: Procedure, cited: Mapping[UUID, set[UUID]]) -> set[UUID]:
        settled: set[UUID] = set()
        drafted: set[UUID] = set()
        for version in self.versions[procedure.pk]:
            (settled if version.status in APPROVED else drafted).update(cited[version.pk])
        return drafted - settled
