"""Writing drafts: each group's answer becomes the next version, unless it says nothing new."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from memory.cascade.stage import StaleInputsError, Verdict, Written
from memory.cascade.work import Claim
from memory.models import Feedback, Procedure, ProcedureVersion, SkillInput, TaskTrace
from memory.models.skills import ProcedureSection
from memory.skills.contract import SkillPayload
from memory.skills.details import plain_title
from memory.skills.extract_reading import Group, SkillBatch
from memory.skills.extract_taking import Declined, Removed, Taken, assembled, receipts_within
from memory.skills.version_writing import Receipts, VersionText, write_version

LINES_LIMIT = 200
Status = ProcedureVersion.Status


def write_drafts(claim: Claim, batch: SkillBatch, verdicts: Sequence[Verdict[Taken]]) -> Written:
    """Within the committing transaction: drafts with their evidence, the inputs consumed.

    Raises StaleInputsError when an input, a version or a row under a draft is not as it was read.
    """
    _consume(claim, batch)
    written = Written(decisions=list(batch.passed))
    reasons = [str(note["reason"]) for note in batch.passed]
    for group, question, verdict in zip(batch.groups, batch.questions, verdicts, strict=True):
        _refuse_changed(claim, group)
        text, notes = _text(group, cast(SkillPayload, question.payload), verdict.taken)
        written.decisions += notes
        reasons += _write(claim, written, group, verdict, text)
    written.nothing_reason = "; ".join(dict.fromkeys(reasons))
    return written


def _consume(claim: Claim, batch: SkillBatch) -> None:
    ids = [row.pk for row in batch.inputs]
    rows = SkillInput.objects.for_entity(claim.entity).pending().filter(pk__in=ids)
    if rows.update(consumed_by=claim.run) != len(ids):
        raise StaleInputsError("a trace or feedback is gone")


def _refuse_changed(claim: Claim, group: Group) -> None:
    """The versions are as they were read, and so is everything that a line may rest on."""
    traces = TaskTrace.objects.for_entity(claim.entity).filter(pk__in=[one.pk for one in group.traces])
    feedback = Feedback.objects.for_entity(claim.entity).filter(pk__in=[one.pk for one in group.feedback])
    if traces.count() != len(group.traces) or feedback.count() != len(group.feedback):
        raise StaleInputsError("a trace or feedback is gone")
    if group.procedure is None:
        return
    if not Procedure.objects.live().filter(pk=group.procedure.pk).exists():
        raise StaleInputsError("the procedure was retired meanwhile")
    open_rows = group.procedure.versions.filter(status__in=[Status.ACTIVE, Status.DRAFT])
    read = {version.pk for version in (group.active, group.draft) if version}
    if set(open_rows.values_list("pk", flat=True)) != read:
        raise StaleInputsError("a version was reviewed meanwhile")


def _text(
    group: Group, payload: SkillPayload, taken: Sequence[Taken]
) -> tuple[VersionText, list[dict[str, Any]]]:
    """What an answer comes to, with a title, and notes of the lines for which there was no room."""
    text = assembled(group.base, taken)
    if not text.title:
        text = replace(text, title=plain_title(payload))
    kept, cut = text.lines[:LINES_LIMIT], text.lines[LINES_LIMIT:]
    reason = f"a version has at most {LINES_LIMIT} lines"
    notes = [{"outcome": "left out", "line": line.text, "reason": reason} for line in cut]
    return replace(text, lines=kept), notes


def _write(
    claim: Claim, written: Written, group: Group, verdict: Verdict[Taken], text: VersionText
) -> list[str]:
    """Write a group's draft, or give the reason why there is none; its feedback is accounted for."""
    reason = _nothing_new(group, text, verdict)
    if reason is None:
        version = _draft(claim, group, text)
        written.add("procedure_versions", version.pk)
        written.decisions.append(_drafted(version))
    else:
        written.decisions.append({"outcome": "nothing", "reason": reason, **_procedure_of(group)})
    cited = receipts_within(text) if reason is None else Receipts()
    written.decisions += [*_removals(group, verdict.taken), *_left_out(group, verdict, cited)]
    return [] if reason is None else [reason]


def _nothing_new(group: Group, text: VersionText, verdict: Verdict[Taken]) -> str | None:
    """Why an answer leads to no draft; None when it does."""
    if not any(line.section == ProcedureSection.PROCEDURE for line in text.lines):
        return verdict.nothing_reason or "no step of the procedure stands"
    if group.base is not None and group.base.says == text.says:
        return verdict.nothing_reason or "the active version says it already"
    if group.drafted is not None and _holds(group.drafted, text):
        return "the open draft says it already"
    for rejected in group.rejected:
        if _holds(rejected.text, text):
            return f"a person turned the same draft down: {rejected.reason}"
    return None


def _holds(earlier: VersionText, text: VersionText) -> bool:
    """Whether an earlier version says the same, and rests on everything that this one rests on."""
    return earlier.says == text.says and receipts_within(earlier) == receipts_within(earlier).joined(
        receipts_within(text)
    )


def _draft(claim: Claim, group: Group, text: VersionText) -> ProcedureVersion:
    procedure = group.procedure or Procedure.objects.create(
        workspace_id=claim.entity.workspace_id, entity=claim.entity, slug=secrets.token_hex(6)
    )
    procedure.versions.filter(status=Status.DRAFT).update(status=Status.STALE)
    return write_version(procedure, text, status=Status.DRAFT, base=group.active, run=claim.run)


def _drafted(version: ProcedureVersion) -> dict[str, Any]:
    return {
        "outcome": "drafted",
        "procedure": str(version.procedure_id),
        "version": version.number,
        "title": version.title,
    }


def _procedure_of(group: Group) -> dict[str, str]:
    return {"procedure": str(group.procedure.pk)} if group.procedure else {}


def _removals(group: Group, taken: Sequence[Taken]) -> list[dict[str, Any]]:
    base = group.base.lines if group.base else ()
    return [
        {"outcome": "removed", "line": base[place].text, "reason": one.reason}
        for one in taken
        if isinstance(one, Removed)
        for place in one.places
    ]


def _left_out(group: Group, verdict: Verdict[Taken], cited: Receipts) -> list[dict[str, Any]]:
    """Why feedback led to no line, and which traces support none."""
    declined: dict[UUID, str] = {
        pk: one.reason for one in verdict.taken if isinstance(one, Declined) for pk in one.feedback
    }
    unheard = "no line of the answer that may stand cites it"
    notes: list[dict[str, Any]] = [
        {
            "outcome": "left out",
            "feedback": [str(one.pk)],
            "reason": declined.get(one.pk) or verdict.nothing_reason or unheard,
        }
        for one in group.feedback
        if one.pk not in cited.feedback
    ]
    notes += [
        {"outcome": "left out", "steps": [str(pk) for pk in one.steps], "reason": one.reason}
        for one in verdict.taken
        if isinstance(one, Declined) and one.steps
    ]
    steps = set(cited.trace_steps)
    silent = [one for one in group.traces if steps.isdisjoint(step.pk for step in one.steps.all())]
    if silent and steps:
        traces = [str(one.pk) for one in silent]
        notes.append({"outcome": "left out", "traces": traces, "reason": "no line rests on it"})
    return notes
