"""The reviewed procedures for a request: whole sections, each procedure under its title and its reviewer.

What cannot be shown is named in the manifest and, where a part of a procedure is missing, in the text: nobody
should take half a procedure for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

from memory.models.skills import ProcedureSection
from memory.recall.context.blocks import Block, Count, LeftOut, Reason, Reference, Space
from memory.recall.context.escaping import one_line
from memory.recall.procedures import Judged, ReviewedProcedure
from memory.recall.short_ids import short_id
from memory.skills.document import PARTS, Part

NOTE = "A person approved each of them for tasks like this one. Standing rules come first."
PROCEDURE_HEADING = f"## Reviewed procedures\n{NOTE}\n"
MOST_SHOWN = 3
BY_WEIGHT = (
    ProcedureSection.PROCEDURE,
    ProcedureSection.VALIDATION,
    ProcedureSection.WHEN_NOT,
    ProcedureSection.ESCALATION,
    ProcedureSection.WHEN,
)
"""What is given up last comes first; without its steps nothing of a procedure is shown."""


@dataclass(slots=True)
class _Shown:
    """What has been chosen so far."""

    texts: list[str] = field(default_factory=list)
    ids: list[Reference] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def procedure_block(found: Sequence[Judged], *, budget: int, count: Count, zone: tzinfo) -> Block:
    """The procedures that fit the request, best first, as far as the tokens go; dates stand in `zone`.

    At most three are shown. Those that share words with the request and are not for it are left out with
    the reason.
    """
    fitting = [one.procedure for one in found if one.fits]
    shown = _Shown(left_out=[_unfit(one) for one in found if one.fit.score > 0 and not one.fits])
    space = Space(count, budget)
    has_place = bool(fitting) and space.take(PROCEDURE_HEADING)
    for procedure in fitting:
        if not has_place:
            shown.left_out.append(LeftOut("procedure", procedure.version, "budget"))
        elif len(shown.texts) == MOST_SHOWN:
            shown.left_out.append(LeftOut("procedure", procedure.version, "others fit better"))
        else:
            _show(procedure, space, shown, zone)
    text = "".join((PROCEDURE_HEADING, *shown.texts)) if shown.texts else ""
    return Block("procedure", text, count(text), budget, tuple(shown.ids), tuple(shown.left_out))


def _unfit(one: Judged) -> LeftOut:
    reason: Reason = "other situation" if one.fit.verdict == "ruled out" else "no trigger"
    return LeftOut("procedure", one.procedure.version, reason)


def _show(procedure: ReviewedProcedure, space: Space, shown: _Shown, zone: tzinfo) -> None:
    """Choose sections by their weight, and write them in the order of the page."""
    title = _title(procedure, zone)
    wanted = [section for section in BY_WEIGHT if procedure.texts(section)]
    texts = {section: _section(procedure, section) for section in wanted}
    is_whole = space.take(title, *texts.values())
    chosen = wanted if is_whole else _chosen(title, texts, space)
    missing = [section for section in wanted if section not in chosen]
    if not chosen:
        shown.left_out.append(LeftOut("procedure", procedure.version, "budget"))
        return
    in_order = [section for section in ProcedureSection if section in chosen]
    shown.texts.append("".join((title, *(texts[section] for section in in_order), _notice(missing))))
    shown.ids += [Reference("procedure", procedure.version, section.value) for section in in_order]
    shown.left_out += [
        LeftOut("procedure", procedure.version, "budget", section.value) for section in missing
    ]


def _chosen(title: str, texts: Mapping[ProcedureSection, str], space: Space) -> list[ProcedureSection]:
    """What fits where not all of it does; the notice has its place first, then the steps."""
    steps = texts.get(ProcedureSection.PROCEDURE)
    if steps is None or not space.take(title, steps, _notice(list(texts))):
        return []
    others = [section for section in texts if section is not ProcedureSection.PROCEDURE]
    return [ProcedureSection.PROCEDURE, *(section for section in others if space.take(texts[section]))]


def _title(procedure: ReviewedProcedure, zone: tzinfo) -> str:
    """Title, version, who approved it when, the id under which it is found, and where the task ends."""
    marks = [f"version {procedure.number}"]
    if procedure.approved_at is not None:
        by = f" by {one_line(procedure.reviewer)}" if procedure.reviewer else ""
        marks.append(f"approved {procedure.approved_at.astimezone(zone):%Y-%m-%d}{by}")
    title = f"### {one_line(procedure.title)} ({', '.join(marks)}) [{short_id(procedure.version)}]\n"
    boundary = one_line(procedure.boundary)
    return f"{title}{Part.BOUNDARY.heading}: {boundary}\n" if boundary else title


def _section(procedure: ReviewedProcedure, section: ProcedureSection) -> str:
    """A heading and its lines; steps are counted."""
    texts = [one_line(text) for text in procedure.texts(section)]
    if section is ProcedureSection.PROCEDURE:
        lines = [f"{number}. {text}\n" for number, text in enumerate(texts, start=1)]
    else:
        lines = [f"- {text}\n" for text in texts]
    return "".join((f"{PARTS[section].heading}:\n", *lines))


def _notice(missing: Sequence[ProcedureSection]) -> str:
    if not missing:
        return ""
    names = ", ".join(PARTS[section].heading for section in ProcedureSection if section in missing)
    return f"(Not the whole procedure. Left out for want of space: {names}.)\n"
