"""What a person ruled on the way, and what failures teach: lines beside the steps themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.llm.offline.commands import sentence
from memory.llm.offline.procedure_cues import foreign_section
from memory.llm.offline.sentences import sentences
from memory.skills.contract import OfferedStep, OfferedTrace, ProcedureSectionSlug

ASKS = re.compile(
    r"\b(?:ask|asks|asking|approval|approve[sd]?|escalate|sign[- ]?off|permission|go-ahead|"
    r"(?:check|confirm|clear it) with|get (?:an? )?(?:ok|okay)|hand (?:it )?over)\b",
    re.IGNORECASE,
)
WHEN_IT_FAILS = re.compile(
    r"\b(?:if|when|whenever|in case)\b[^.;]*\b(?:fail\w*|break\w*|errors?|wrong|unsure|unclear|in doubt|"
    r"timed? ?out|times out|refused|denied)\b",
    re.IGNORECASE,
)
FORBIDS = re.compile(
    r"^(?:please )?(?:never|do not|don't|avoid|no)\b|"
    r"(?:[,;]|\bbut|\band) (?:please )?(?:never|do not|don't)\b",
    re.IGNORECASE,
)
CONDITION = re.compile(r"\b(?:when|if|while|during|unless|on|outside|within|until)\b", re.IGNORECASE)
STANDING = re.compile(
    r"\b(?:always|every time|each time|make sure|be sure|remember to|must|has to|have to|needs? to be|"
    r"don't forget|do not forget|at least|before you|first of all)\b",
    re.IGNORECASE,
)
CHECKS = re.compile(
    r"\b(?:verify|verifies|check (?:that|whether|if|the)|confirm that|"
    r"make sure (?:that )?(?:it|the|all|every)|ensure|validate|test (?:that|whether)|compare|"
    r"is done when|done only when)\b",
    re.IGNORECASE,
)
USE_WHEN = re.compile(r"^(?:please )?(?:only )?use (?:this|it)\b.*\b(?:when|if|for|only)\b", re.IGNORECASE)
USE_NOT = re.compile(
    r"^(?:please )?(?:do not|don't|never) (?:use|apply|follow|run) (?:this|it)\b|"
    r"\bnot (?:meant )?for\b|\b(?:not|never) be used\b",
    re.IGNORECASE,
)
FAILED = re.compile(
    r"\b(?:fail(?:ed|ure|s)?|errors?|refused|denied|rejected|timed? ?out|exception|forbidden|not found|"
    r"conflict|crash\w*|abort\w*|unavailable)\b",
    re.IGNORECASE,
)
NOT_FAILED = re.compile(r"\b(?:0|no|without|zero)\s+(?:fail\w*|errors?|exceptions?)\b", re.IGNORECASE)
MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Ruled:
    """A rule of a person, with the section it belongs into."""

    section: ProcedureSectionSlug
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Failed:
    """An action whose result was a failure."""

    action: OfferedStep
    result: OfferedStep


def rules_in(traces: Sequence[OfferedTrace]) -> Iterator[Ruled]:
    """The standing rules among instructions; what is wanted just this time is none."""
    for trace in traces:
        for step in trace.steps:
            if step.kind == "instruction":
                for said in sentences(step.text):
                    section = section_of_rule(said)
                    if section is not None:
                        yield Ruled(section, sentence(said), step.handle)


def section_of_rule(said: str) -> ProcedureSectionSlug | None:
    """Where a sentence belongs that rules how such tasks are done; None when it rules nothing."""
    if said.rstrip().endswith("?"):
        return None
    if USE_NOT.search(said):
        return "when_not"
    if USE_WHEN.search(said):
        return "when"
    if WHEN_IT_FAILS.search(said) or ASKS.search(said):
        return "escalation"
    if FORBIDS.search(said):
        return "when_not" if CONDITION.search(said) else "procedure"
    if CHECKS.search(said):
        return "validation"
    return "procedure" if STANDING.search(said) else foreign_section(said)


def failures_in(traces: Sequence[OfferedTrace]) -> list[Failed]:
    """Actions of tasks that did not succeed, with the result that says so; the last of each task."""
    found: list[Failed] = []
    for trace in traces:
        if trace.outcome not in ("failure", "partial"):
            continue
        last: Failed | None = None
        action: OfferedStep | None = None
        for step in trace.steps:
            if step.kind == "action":
                action = step
            elif action is not None and step.kind in ("result", "check") and _is_failure(step.text):
                last = Failed(action, step)
        found += [last] if last else []
    return found[:MOST_FAILURES]


def _is_failure(text: str) -> bool:
    return FAILED.search(NOT_FAILED.sub("", text)) is not None
