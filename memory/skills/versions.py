"""Versions of procedures as people read them: rendered, compared line by line, with their receipts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from memory.cascade.rules.difference import Change, VersionLine, difference
from memory.cascade.rules.scene_text import ParsedLine
from memory.models import Evidence, Feedback, Procedure, ProcedureLine, ProcedureVersion
from memory.skills.document import PARTS, ProcedureText, render_procedure
from memory.skills.records import Citation, LineDifference, VersionDifference


def open_draft(*, procedure: Procedure) -> ProcedureVersion | None:
    """The draft of a procedure that waits for a review, None when there is none."""
    return ProcedureVersion.objects.drafts().filter(procedure=procedure).first()


def active_version(*, procedure: Procedure) -> ProcedureVersion | None:
    """The version that is handed to agents, None before a first approval."""
    return ProcedureVersion.objects.filter(procedure=procedure, status=ProcedureVersion.Status.ACTIVE).first()


def lines_of(version: ProcedureVersion) -> list[ProcedureLine]:
    """The lines of a version in their order, erased ones left out."""
    return list(version.lines.filter(erased_at__isnull=True).order_by("position"))


def text_of(version: ProcedureVersion, lines: Sequence[ProcedureLine] | None = None) -> ProcedureText:
    """What a version says; `lines` when they are at hand."""
    own = lines_of(version) if lines is None else lines
    return ProcedureText(
        version.title, version.boundary, tuple(ParsedLine(PARTS[line.section], line.text) for line in own)
    )


def rendered(version: ProcedureVersion) -> str:
    """The version as Markdown, the same bytes each time."""
    return render_procedure(text_of(version))


def citations_of(lines: Iterable[ProcedureLine]) -> Mapping[UUID, tuple[Citation, ...]]:
    """What lines rest on, by line, in the order in which it was given; one statement."""
    found: dict[UUID, list[Citation]] = defaultdict(list)
    rows = Evidence.objects.filter(of_procedure_line__in=[line.pk for line in lines]).order_by("id")
    for row in rows.select_related("trace_step__trace", "feedback", "correction__user", "correction__key"):
        if row.of_procedure_line_id is not None:
            found[row.of_procedure_line_id].append(_citation(row))
    return {line: tuple(citations) for line, citations in found.items()}


def _citation(row: Evidence) -> Citation:
    if row.trace_step is not None:
        step = row.trace_step
        return Citation("trace_step", step.pk, step.text, step.trace.task, step.trace_id)
    if row.feedback is not None:
        return Citation("feedback", row.feedback.pk, words_of(row.feedback), str(row.feedback))
    if row.correction is None:
        raise AssertionError("a line of a procedure rests on a step, on feedback or on a correction")
    return Citation("correction", row.correction.pk, row.correction.reason, str(row.correction))


def words_of(feedback: Feedback) -> str:
    """What feedback says, in one text."""
    parts = [
        feedback.comment.strip(),
        f"expected: {feedback.expected.strip()}" if feedback.expected.strip() else "",
        f"actual: {feedback.actual.strip()}" if feedback.actual.strip() else "",
    ]
    return "; ".join(part for part in parts if part)


def difference_of(earlier: ProcedureVersion | None, later: ProcedureVersion) -> VersionDifference:
    """What changed between two versions, line by line, with what each line rests on.

    Without an earlier version everything is added. Three statements, whatever their size.
    """
    before = [] if earlier is None else lines_of(earlier)
    after = lines_of(later)
    cited = citations_of([*before, *after])
    changes = difference([_compared(line) for line in before], [_compared(line) for line in after]).changes
    return VersionDifference(
        title=_changed("" if earlier is None else earlier.title, later.title),
        boundary=_changed("" if earlier is None else earlier.boundary, later.boundary),
        lines=tuple(
            _line_difference(change.change, change.before, change.after, cited) for change in changes
        ),
    )


def _compared(line: ProcedureLine) -> VersionLine:
    return VersionLine(line.pk, line.section, line.text)


def _changed(before: str, after: str) -> tuple[str, str] | None:
    return None if before == after else (before, after)


def _line_difference(
    change: Change,
    before: VersionLine | None,
    after: VersionLine | None,
    cited: Mapping[UUID, tuple[Citation, ...]],
) -> LineDifference:
    shown = after or before
    if shown is None or not isinstance(shown.id, UUID):
        raise AssertionError("a change has a line on one side at least")
    return LineDifference(
        change=change,
        section=shown.section,
        before=before.text if before else "",
        after=after.text if after else "",
        citations=cited.get(shown.id, ()),
    )
