"""skill_extract offline: what traces share, what a person ruled, what failed, and what feedback asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from memory.cascade.contract import TITLE_LIMIT
from memory.cascade.rules.digest_text import cut_to, shortened
from memory.cascade.rules.generalising import without_details
from memory.llm.offline.commands import is_command
from memory.llm.offline.confidential import holds_secret
from memory.llm.offline.procedure_asks import Asked, asked_by
from memory.llm.offline.procedure_rules import failures_in, rules_in
from memory.llm.offline.procedure_steps import (
    STOPS,
    Cluster,
    clusters_of,
    common_clusters,
    details_in,
    is_said,
    plain_text,
    step_text,
)
from memory.llm.offline.procedure_trust import ADDRESSED, one_line, read
from memory.llm.offline.words import containment, content_words
from memory.skills.contract import (
    BOUNDARY_LIMIT,
    DETAIL_LIMIT,
    DETAILS_LIMIT,
    LINE_LIMIT,
    OfferedTrace,
    ProcedureItem,
    ProcedureSectionSlug,
    SkillAnswer,
    SkillPayload,
)
from memory.skills.details import UNNAMED, particulars_of

SAID_ALREADY = 0.6
MOST_LOOKED_AT = 60
LEFT_UNSAID = "it holds a secret (a password, key, card or account number), which stays where it was said"
NOTHING_NEW = "the procedure holds what these traces and this feedback show"
NO_STEPS = "the traces show no step that holds beyond one task"


def draft(payload: SkillPayload) -> SkillAnswer:
    """A whole procedure from its traces, or what they and feedback add to the active version."""
    desk = _Desk(payload)
    if payload.lines:
        desk.add_to_standing()
    else:
        desk.write_new()
    desk.hear_feedback()
    if not desk.lines:
        return SkillAnswer(items=desk.declined, nothing_reason=NOTHING_NEW if payload.lines else NO_STEPS)
    return SkillAnswer(items=[*desk.described, *desk.items, *desk.declined])


@dataclass(slots=True)
class _Line:
    section: ProcedureSectionSlug
    text: str
    sources: list[str]
    replaces: str = ""
    """Handle of a line of the active version."""
    before: str = ""
    """The same, of the line that it goes before."""

    @property
    def item(self) -> ProcedureItem:
        """As it is answered."""
        return ProcedureItem(action="line", section=self.section, text=self.text, sources=self.sources)


class _Desk:
    """A draft in the making. Nothing of single tasks is written."""

    def __init__(self, payload: SkillPayload) -> None:
        told = [read(trace) for trace in payload.traces]
        self.payload = replace(payload, traces=tuple(one.trace for one in told))
        # As the answer is judged: by everything that was offered.
        self.particulars = particulars_of(payload)
        self.traces = [one for one in self.payload.traces if one.outcome != "failure" and one.steps]
        self.lines: list[_Line] = []
        self.declined: list[ProcedureItem] = [
            ProcedureItem(action="decline", sources=[handle], reason=ADDRESSED)
            for one in told
            for handle in one.addressed
        ]

    def write_new(self) -> None:
        """Everything that the traces show."""
        self._when()
        for cluster in common_clusters(self.traces, "action"):
            self._add("procedure", step_text(cluster, self.particulars), cluster.sources)
        for cluster in common_clusters(self.traces, "check"):
            self._check(cluster)
        self._rules()

    def add_to_standing(self) -> None:
        """What several traces show and the active version does not say; rules and failures of any trace."""
        needed = max(2, len(self.traces) // 2 + 1)
        for cluster in clusters_of(self.traces, "action"):
            if len(cluster.traces) >= needed:
                self._add("procedure", step_text(cluster, self.particulars), cluster.sources)
        for cluster in clusters_of(self.traces, "check"):
            if len(cluster.traces) >= needed:
                self._check(cluster)
        self._rules()

    def _check(self, cluster: Cluster) -> None:
        texts = [step.text for step in cluster.steps]
        is_called = any(step.tool_name for step in cluster.steps)
        text = (
            step_text(cluster, self.particulars)
            if is_called
            else plain_text(texts, self.particulars, is_action=False)
        )
        self._add("validation", text, cluster.sources)

    def _when(self) -> None:
        task = self._task()
        if task:
            is_plain = is_command(task)
            text = f"The task is to {task[:1].lower()}{task[1:]}" if is_plain else f"The task: {task}"
            self._add("when", text, [_opening(trace) for trace in self.traces])

    def _task(self) -> str:
        told = [trace.task for trace in self.traces or self.payload.traces]
        tasks = [task for task in told if task and not holds_secret(task)]
        plain = plain_text(tasks, self.particulars) or plain_text(tasks, self.particulars, is_action=False)
        return shortened(one_line(plain), LINE_LIMIT)

    def _bare_task(self) -> str:
        """The first task with marks for its details, where too little is left of it to be a line."""
        tasks = (trace.task for trace in self.payload.traces if not holds_secret(trace.task))
        bare = (without_details(task, details_in(task, self.particulars)) for task in tasks)
        return next((task for task in bare if content_words(task)), UNNAMED)

    def _rules(self) -> None:
        for rule in rules_in(self.payload.traces):
            self._add(rule.section, plain_text([rule.text], self.particulars, is_action=False), [rule.source])
        for failed in failures_in(self.payload.traces):
            action = step_text(Cluster(steps=[failed.action]), self.particulars).rstrip(STOPS)
            if action:
                text = f"Stop and ask a person when this fails: {action[:1].lower()}{action[1:]}."
                self._add("escalation", text, [failed.action.handle, failed.result.handle])

    def hear_feedback(self) -> None:
        """A line for what is asked, or the reason why there is none."""
        for feedback in self.payload.feedback:
            told = " ".join((feedback.comment, feedback.expected, feedback.actual))
            asked = LEFT_UNSAID if holds_secret(told) else asked_by(feedback, self.payload.lines)
            if isinstance(asked, str):
                item = ProcedureItem(action="decline", sources=[feedback.handle], reason=asked[:300])
                self.declined.append(item)
            else:
                self._answer(asked, feedback.handle)

    def _answer(self, asked: Asked, handle: str) -> None:
        sources = [asked.replaces, handle] if asked.replaces else [handle]
        known = next((line for line in self.lines if line.text == asked.text), None)
        if known is not None:
            known.sources.append(handle)
            return
        self.lines.append(_Line(asked.section, asked.text[:LINE_LIMIT], sources, replaces=asked.replaces))
        if asked.before and not asked.replaces:
            self._place_before(asked)

    def _place_before(self, asked: Asked) -> None:
        """Before the step that the feedback names, if the procedure has it."""
        words = content_words(asked.before)
        steps = [line for line in self.payload.lines if line.section == asked.section]
        near = [line for line in steps if containment(words, content_words(line.text)) >= SAID_ALREADY]
        if near:
            self.lines[-1].before = near[0].handle
            return
        drafted = [line for line in self.lines[:-1] if line.section == asked.section]
        fresh = next(
            (one for one in drafted if containment(words, content_words(one.text)) >= SAID_ALREADY), None
        )
        if fresh is not None:
            self.lines.insert(self.lines.index(fresh), self.lines.pop())

    def _add(self, section: ProcedureSectionSlug, text: str, sources: Sequence[str]) -> None:
        text = shortened(text, LINE_LIMIT)
        standing = [line.text for line in self.payload.lines if line.section == section]
        if not text or holds_secret(text) or is_said(text, standing, share=SAID_ALREADY):
            return
        known = next((line for line in self.lines if line.section == section and line.text == text), None)
        if known is None:
            self.lines.append(_Line(section, text, list(sources)))
        else:
            known.sources += [handle for handle in sources if handle not in known.sources]

    @property
    def items(self) -> list[ProcedureItem]:
        """By section: the standing lines in their order with new ones in their places, the rest behind."""
        found: list[ProcedureItem] = []
        for section in get_args(ProcedureSectionSlug):
            own = [line for line in self.lines if line.section == section]
            standing = [line for line in self.payload.lines if line.section == section]
            for stood in standing if own else ():
                found += [line.item for line in own if line.before == stood.handle]
                instead = [line.item for line in own if line.replaces == stood.handle]
                found += instead or [ProcedureItem(action="line", section=section, sources=[stood.handle])]
            found += [line.item for line in own if not (line.before or line.replaces)]
        return found

    @property
    def described(self) -> list[ProcedureItem]:
        """Title, boundary and details of a new procedure; a standing one keeps its own."""
        if self.payload.lines:
            return []
        title = cut_to((self._task() or self._bare_task()).rstrip(STOPS), TITLE_LIMIT)
        texts = list(self._texts_with_details())[:MOST_LOOKED_AT]
        details = dict.fromkeys(detail for text in texts for detail in details_in(text, self.particulars))
        incidental = [detail for detail in details if len(detail) <= DETAIL_LIMIT][:DETAILS_LIMIT]
        return [
            ProcedureItem(action="describe", title=title, boundary=self._boundary(), incidental=incidental)
        ]

    def _texts_with_details(self) -> Iterator[str]:
        """Where details stand: the tasks, and the steps that lines rest on."""
        yield from (trace.task for trace in self.payload.traces if not holds_secret(trace.task))
        cited = {source for line in self.lines for source in line.sources}
        steps = (step for trace in self.payload.traces for step in trace.steps)
        yield from (step.text for step in steps if step.handle in cited and not holds_secret(step.text))

    def _boundary(self) -> str:
        steps = [line.text for line in self.lines if line.section == "procedure"]
        checks = [line.text for line in self.lines if line.section == "validation"]
        if not steps:
            return ""
        return shortened(f"Begins with: {steps[0]} Ends with: {[*steps, *checks][-1]}", BOUNDARY_LIMIT)


def _opening(trace: OfferedTrace) -> str:
    """The step that says what was wanted: the first instruction, else the first step."""
    said = [step.handle for step in trace.steps if step.kind == "instruction"]
    return (said or [step.handle for step in trace.steps])[0]
