"""The skill loop as a page tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from memory.cascade.rules import difference as differing
from memory.cascade.rules.difference import Change
from memory.models import ProcedureSection, ProcedureVersion, TraceStep
from memory.recall.short_ids import short_id
from memory.skills.reading import who
from memory.skills.records import Citation
from memory.skills.versions import words_of
from showcase.access import Scope
from showcase.links import anchor, record_url, trace_url
from showcase.parts import Fact, Receipt
from showcase.reactor.records import WrittenLine
from showcase.skills.reading import Rows, Status
from showcase.skills.records import Handed, Opinion, ShownStep, ShownTrace, ShownVersion, Verdict, Waiting

KINDS = {"trace_step": "step", "feedback": "feedback", "correction": "a person"}
HEADINGS = {str(value): str(label) for value, label in ProcedureSection.choices}
_POSITION = {str(section): place for place, section in enumerate(ProcedureSection.values)}
DIGEST_SHOWN = 12


def versions_of(
    scope: Scope, rows: Rows, waiting: Waiting | None, *, names_people: bool
) -> tuple[ShownVersion, ...]:
    """The versions, newest first; `waiting` belongs to the draft among them."""
    return tuple(_version(scope, rows, row, waiting, names_people) for row in rows.versions)


def _version(
    scope: Scope, rows: Rows, row: ProcedureVersion, waiting: Waiting | None, names_people: bool
) -> ShownVersion:
    lines, unchanged = _changes(rows, row)
    zone = scope.entity.zone
    boundary_before = row.base.boundary if row.base else ""
    return ShownVersion(
        id=row.pk,
        number=row.number,
        title=row.title,
        status=row.status,
        is_good=row.status == Status.ACTIVE,
        at=row.created_at.astimezone(zone),
        base=row.base.number if row.base else None,
        boundary=row.boundary,
        is_boundary_new=row.boundary != boundary_before,
        lines=lines,
        unchanged=unchanged,
        left_out=tuple(map(str, row.incidental)),
        is_erased=row.erased_at is not None,
        verdicts=tuple(
            Verdict(
                said=review.verdict,
                by=who(review) if names_people else "",
                reason=review.reason,
                at=review.created_at.astimezone(zone),
            )
            for review in row.reviews.all()
        ),
        waiting=waiting if row.status == Status.DRAFT else None,
        uses=tuple(_use(scope, use) for use in rows.uses if row.pk in use.procedure_versions),
        opinions=tuple(
            _opinion(scope, rows, one, names_people)
            for one in rows.feedback
            if one.procedure_version_id == row.pk
        ),
    )


def _changes(rows: Rows, row: ProcedureVersion) -> tuple[tuple[WrittenLine, ...], int]:
    """The lines that differ from the version it was drafted on, by section, and how many stayed."""
    before, after = (
        [differing.VersionLine(line.pk, line.section, line.text) for line in rows.lines.get(id, ())]
        for id in (row.base_id or UUID(int=0), row.pk)
    )
    found = differing.difference(before, after).changes
    changed = [change for change in found if change.change is not Change.UNCHANGED]
    lines = sorted((_line(rows, change) for change in changed), key=lambda pair: pair[0])
    return tuple(line for _, line in lines), len(found) - len(changed)


def _line(rows: Rows, change: differing.LineChange) -> tuple[int, WrittenLine]:
    before, after = change.before, change.after
    shown = after or before
    assert shown is not None  # noqa: S101  # a change has one side at least
    cited = rows.cited.get(UUID(str(shown.id)), ())
    line = WrittenLine(
        change=change.change.value,
        heading=HEADINGS[shown.section],
        before=before.text if before else "",
        after=after.text if after else "",
        words=differing.word_difference(before.text, after.text) if before and after else (),
        url="",
        receipts=tuple(_receipt(rows, one) for one in cited),
    )
    return _POSITION[shown.section], line


def _receipt(rows: Rows, one: Citation) -> Receipt:
    """A citation; it leads to its place on the page, where that is shown."""
    here = {step.pk for step in rows.steps} | {row.pk for row in rows.feedback}
    url = f"#{anchor(one.kind, one.id)}" if one.id in here else ""
    return Receipt(KINDS[one.kind], one.id, url, note=f"{one.says} ({one.of})")


def _use(scope: Scope, use: Any) -> Handed:
    facts = (
        Fact("as", use.kind),
        Fact("tokens", str(use.tokens)),
        Fact("digest", use.sha256[:DIGEST_SHOWN]),
        Fact("use", short_id(use.pk), url=trace_url(scope, use.pk)),
    )
    return Handed(use.pk, use.created_at.astimezone(scope.entity.zone), facts)


def _opinion(scope: Scope, rows: Rows, row: Any, names_people: bool) -> Opinion:
    by = who(row) if names_people else ""
    said = f"{row.get_kind_display()} from {row.get_source_display()}"
    return Opinion(
        id=row.pk,
        said=f"{said}, {by}" if by else said,
        words=words_of(row) or row.label,
        at=row.created_at.astimezone(scope.entity.zone),
        led_to=tuple(
            (version.number, line.text)
            for version in reversed(rows.versions)
            for line in rows.lines[version.pk]
            if any(one.id == row.pk for one in rows.cited.get(line.pk, ()))
        ),
        is_waiting=row.is_waiting,
    )


def traces_of(scope: Scope, rows: Rows) -> tuple[ShownTrace, ...]:
    """The tasks that lines rest on, with every step, in the order in which they were recorded."""
    counted = Counter(
        one.id
        for version in rows.versions
        for line in rows.lines[version.pk]
        for one in rows.cited.get(line.pk, ())
    )
    found = groupby(rows.steps, key=lambda step: step.trace)
    return tuple(_trace(scope, list(steps), counted) for _, steps in found)


def _trace(scope: Scope, steps: Sequence[TraceStep], counted: Counter[UUID]) -> ShownTrace:
    trace = steps[0].trace
    return ShownTrace(
        id=trace.pk,
        task=trace.task,
        outcome=trace.outcome,
        at=(trace.occurred_at or trace.created_at).astimezone(scope.entity.zone),
        steps=tuple(
            ShownStep(
                id=step.pk,
                kind=step.kind,
                text=step.text,
                url=record_url(scope, "message", step.message_id) if step.message_id else "",
                lines=counted[step.pk],
            )
            for step in steps
        ),
    )
