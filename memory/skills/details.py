"""What of single tasks a payload holds, for the judge and the offline model alike."""

from __future__ import annotations

from memory.cascade.contract import TITLE_LIMIT
from memory.cascade.rules.digest_text import cut_to
from memory.cascade.rules.generalising import without_details
from memory.cascade.rules.particulars import Particulars, TraceWords
from memory.skills.contract import OfferedTrace, SkillPayload

UNNAMED = "A task"


def particulars_of(payload: SkillPayload) -> Particulars:
    """What of a line belongs to one task alone, by everything that is shown."""
    asked = (text for one in payload.feedback for text in (one.comment, one.expected, one.actual))
    tools = {step.tool_name for trace in payload.traces for step in trace.steps}
    standing = (line.text for line in payload.lines)
    return Particulars(
        [_trace_words(trace) for trace in payload.traces],
        [payload.title, payload.boundary, *standing, *asked, *sorted(tools)],
    )


def _trace_words(trace: OfferedTrace) -> TraceWords:
    said = tuple(step.text for step in trace.steps if step.kind == "instruction")
    others = tuple(step.text for step in trace.steps if step.kind != "instruction")
    return TraceWords(trace.task, said, (*others, trace.note))


def plain_title(payload: SkillPayload) -> str:
    """What a new procedure is called when no answer names it: its first task without the details."""
    particulars = particulars_of(payload)
    for trace in payload.traces:
        details = [found.text for found in particulars.find(trace.task)]
        if title := cut_to(without_details(trace.task, details).strip(" #>*"), TITLE_LIMIT):
            return title
    return UNNAMED
