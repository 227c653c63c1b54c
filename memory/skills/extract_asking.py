"""The question for a draft: traces, feedback and the active version as a model is shown them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from memory.cascade.designs import Design
from memory.cascade.rules.digest_text import without_middle
from memory.cascade.showing import NOTHING, one_line, quote
from memory.cascade.stage import Question
from memory.models import Entity, Feedback, TaskTrace, TraceStep
from memory.skills.contract import (
    OfferedFeedback,
    OfferedProcedureLine,
    OfferedRejection,
    OfferedStep,
    OfferedTrace,
    Outcome,
    ProcedureItem,
    ProcedureSectionSlug,
    SkillAnswer,
    SkillPayload,
    StepKind,
)
from memory.skills.details import particulars_of
from memory.skills.extract_judging import NO_BASE, DraftJudge
from memory.skills.extract_reading import Group
from memory.skills.extract_taking import Taken
from memory.skills.sources import SourceKind, Sources
from memory.skills.version_writing import LineText

FEWEST_CHARACTERS = 160
"""So much of a step is shown however many there are."""


def draft_question(entity: Entity, group: Group, design: Design) -> Question[Taken]:
    """What is asked of the strong model about the traces and the feedback of one procedure."""
    sources = Sources()
    base = group.base.lines if group.base else NO_BASE
    payload = SkillPayload(
        entity=entity.name,
        time_zone=entity.time_zone,
        title=group.base.title if group.base else "",
        boundary=group.base.boundary if group.base else "",
        lines=_offer_lines(sources, base),
        traces=_offer_traces(sources, group.traces, design),
        feedback=_offer_feedback(sources, group.feedback, design),
        rejections=tuple(
            OfferedRejection(one.reason, tuple(line.text for line in one.text.lines))
            for one in group.rejected
        ),
    )
    judge = DraftJudge(sources, particulars_of(payload), design.example_markers, base)
    return Question(
        payload=payload,
        values=_values(payload),
        answer_schema=SkillAnswer,
        item_schema=ProcedureItem,
        judge=judge.judge,
        alias="strong",
    )


def _offer_lines(sources: Sources, base: Sequence[LineText]) -> tuple[OfferedProcedureLine, ...]:
    offered = []
    for place, line in enumerate(base):
        handle = sources.offer_line(place)
        section = cast(ProcedureSectionSlug, line.section)
        offered.append(OfferedProcedureLine(handle, section, line.text, bool(line.receipts.corrections)))
    return tuple(offered)


def _offer_traces(sources: Sources, traces: Sequence[TaskTrace], design: Design) -> tuple[OfferedTrace, ...]:
    limits = design.limits
    shown = {trace.pk: _shown_steps(list(trace.steps.all()), limits.trace_steps) for trace in traces}
    count = sum(map(len, shown.values()))
    room = min(limits.turn_characters, max(FEWEST_CHARACTERS, limits.skill_characters // max(1, count)))
    offered = []
    for place, trace in enumerate(traces, 1):
        steps = tuple(
            OfferedStep(
                handle=sources.offer(SourceKind.STEP, step.pk, f"t{place}.s{step.position + 1}"),
                kind=cast(StepKind, step.kind),
                text=without_middle(step.text, room),
                tool_name=step.tool_name,
            )
            for step in shown[trace.pk]
        )
        outcome = cast(Outcome, trace.outcome)
        offered.append(
            OfferedTrace(f"t{place}", trace.task, outcome, steps, without_middle(trace.note, room))
        )
    return tuple(offered)


def _shown_steps(steps: Sequence[TraceStep], most: int) -> list[TraceStep]:
    """A long trace without its middle: how it began counts for three quarters."""
    if len(steps) <= most:
        return list(steps)
    tail = most // 4
    return [*steps[: most - tail], *steps[len(steps) - tail :]]


def _offer_feedback(
    sources: Sources, feedback: Sequence[Feedback], design: Design
) -> tuple[OfferedFeedback, ...]:
    room = design.limits.turn_characters
    return tuple(
        OfferedFeedback(
            handle=sources.offer(SourceKind.FEEDBACK, one.pk, f"f{place}"),
            kind=one.kind,
            source=one.source,
            comment=without_middle(one.comment.strip(), room),
            expected=without_middle(one.expected.strip(), room),
            actual=without_middle(one.actual.strip(), room),
            label=one.label,
            score="" if one.score is None else f"{one.score.normalize():f}",
        )
        for place, one in enumerate(feedback, 1)
    )


def _values(payload: SkillPayload) -> dict[str, str]:
    return {
        "entity": payload.entity,
        "time_zone": payload.time_zone,
        "procedure": _show_procedure(payload),
        "rejections": "\n".join(map(_show_rejection, payload.rejections)) or NOTHING,
        "traces": "\n\n".join(map(_show_trace, payload.traces)) or NOTHING,
        "feedback": "\n".join(map(_show_feedback, payload.feedback)) or NOTHING,
    }


def _show_procedure(payload: SkillPayload) -> str:
    if not payload.title:
        return NOTHING
    head = [f"title: {quote(payload.title)}", f"boundary: {quote(payload.boundary)}"]
    lines = (
        f"{line.handle} {line.section}{' PINNED' if line.is_pinned else ''} {quote(line.text)}"
        for line in payload.lines
    )
    return "\n".join([*head, *lines])


def _show_rejection(rejection: OfferedRejection) -> str:
    return f"- reason: {quote(rejection.reason)}; it said: {quote(' / '.join(rejection.lines))}"


def _show_trace(trace: OfferedTrace) -> str:
    head = f"{trace.handle} task {quote(trace.task)}, outcome {trace.outcome}"
    note = [f"  note: {quote(trace.note)}"] if trace.note else []
    return "\n".join([head, *(_show_step(step) for step in trace.steps), *note])


def _show_step(step: OfferedStep) -> str:
    tool = f" «{one_line(step.tool_name)}»" if step.tool_name else ""
    return f"  {step.handle} {step.kind}{tool}: {quote(step.text)}"


def _show_feedback(feedback: OfferedFeedback) -> str:
    parts = [f"{feedback.handle} {feedback.kind} from {feedback.source}"]
    parts += [f"score {feedback.score}"] if feedback.score else []
    told = (("label", feedback.label), ("comment", feedback.comment), ("expected", feedback.expected))
    parts += [f"{name}: {quote(text)}" for name, text in (*told, ("actual", feedback.actual)) if text]
    return ", ".join(parts)
