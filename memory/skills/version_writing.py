"""Writing versions of procedures: rows of lines with their evidence, and who waits in whose place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Max

from memory.models import Evidence, Procedure, ProcedureLine, ProcedureVersion, Run
from memory.models.base import new_id

TARGETS = ("trace_step_id", "feedback_id", "correction_id")


@dataclass(frozen=True, slots=True)
class Receipts:
    """What a line rests on: ids by kind, in order."""

    trace_steps: tuple[UUID, ...] = ()
    feedback: tuple[UUID, ...] = ()
    corrections: tuple[UUID, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing at all."""
        return not (self.trace_steps or self.feedback or self.corrections)

    def joined(self, other: Receipts) -> Receipts:
        """Both, each thing once."""
        return Receipts(
            tuple(dict.fromkeys((*self.trace_steps, *other.trace_steps))),
            tuple(dict.fromkeys((*self.feedback, *other.feedback))),
            tuple(dict.fromkeys((*self.corrections, *other.corrections))),
        )

    @property
    def columns(self) -> list[dict[str, UUID]]:
        """One column with its id for each receipt."""
        ids = (self.trace_steps, self.feedback, self.corrections)
        return [{column: one} for column, found in zip(TARGETS, ids, strict=True) for one in found]


@dataclass(frozen=True, slots=True)
class LineText:
    """A line to be written, with what it rests on."""

    section: str
    text: str
    receipts: Receipts


@dataclass(frozen=True, slots=True)
class VersionText:
    """A version to be written; lines by section, in their order."""

    title: str
    boundary: str
    lines: tuple[LineText, ...]
    incidental: tuple[str, ...] = field(default=())

    @property
    def says(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """Its words alone."""
        return (self.title, self.boundary, tuple((line.section, line.text) for line in self.lines))


def receipts_of(lines: Sequence[ProcedureLine]) -> Mapping[UUID, Receipts]:
    """What stored lines rest on; one statement."""
    found: dict[UUID, Receipts] = {line.pk: Receipts() for line in lines}
    rows = Evidence.objects.filter(of_procedure_line__in=found).order_by("id")
    for line, step, feedback, correction in rows.values_list("of_procedure_line", *TARGETS):
        one = Receipts(*((target,) if target else () for target in (step, feedback, correction)))
        found[line] = found[line].joined(one)
    return found


def stored_text(version: ProcedureVersion) -> VersionText:
    """A stored version as it could be written again, erased lines left out; two statements."""
    rows = list(version.lines.filter(erased_at__isnull=True).order_by("position"))
    receipts = receipts_of(rows)
    lines = tuple(LineText(line.section, line.text, receipts[line.pk]) for line in rows)
    return VersionText(version.title, version.boundary, lines, tuple(version.incidental))


def write_version(
    procedure: Procedure,
    text: VersionText,
    *,
    status: ProcedureVersion.Status,
    base: ProcedureVersion | None,
    run: Run | None = None,
) -> ProcedureVersion:
    """Within a transaction that holds the entity: the next version of a procedure, with its evidence."""
    owner: dict[str, Any] = {"workspace_id": procedure.workspace_id, "entity_id": procedure.entity_id}
    newest = procedure.versions.aggregate(number=Max("number"))["number"] or 0
    version = ProcedureVersion.objects.create(
        **owner,
        procedure=procedure,
        number=newest + 1,
        status=status,
        base=base,
        title=text.title,
        boundary=text.boundary,
        incidental=list(text.incidental),
        run=run,
    )
    ids = [new_id() for _ in text.lines]
    ProcedureLine.objects.bulk_create(
        ProcedureLine(id=pk, **owner, version=version, section=line.section, position=place, text=line.text)
        for place, (pk, line) in enumerate(zip(ids, text.lines, strict=True))
    )
    Evidence.objects.bulk_create(
        Evidence(**owner, of_procedure_line_id=pk, run=run, **column)
        for pk, line in zip(ids, text.lines, strict=True)
        for column in line.receipts.columns
    )
    return version
