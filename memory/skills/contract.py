"""What skill_extract shows a model, and what it may answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from memory.cascade.contract import TITLE_LIMIT, Answered

ProcedureSectionSlug = Literal["when", "when_not", "procedure", "validation", "escalation"]
StepKind = Literal["instruction", "action", "result", "check", "note"]
Outcome = Literal["success", "partial", "failure", "unknown"]

LINE_LIMIT = 500
BOUNDARY_LIMIT = 1_000
DETAIL_LIMIT = 120
DETAILS_LIMIT = 40


@dataclass(frozen=True, slots=True)
class OfferedStep:
    """One step of a trace; a long one without its middle."""

    handle: str
    """`t1.s3`."""
    kind: StepKind
    text: str
    tool_name: str = ""


@dataclass(frozen=True, slots=True)
class OfferedTrace:
    """How one task was carried out."""

    handle: str
    task: str
    outcome: Outcome
    steps: tuple[OfferedStep, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class OfferedProcedureLine:
    """A line of the active version."""

    handle: str
    """`v.l4`."""
    section: ProcedureSectionSlug
    text: str
    is_pinned: bool = False
    """A person wrote it: it stays word for word unless feedback is about it."""


@dataclass(frozen=True, slots=True)
class OfferedFeedback:
    """What was said of a use of the procedure."""

    handle: str
    kind: str
    source: str
    comment: str = ""
    expected: str = ""
    actual: str = ""
    label: str = ""
    score: str = ""


@dataclass(frozen=True, slots=True)
class OfferedRejection:
    """A draft that a person turned down: why, and what it said."""

    reason: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkillPayload:
    """What leads to one draft: traces and feedback of one procedure, and its active version if it has one."""

    entity: str
    time_zone: str
    title: str
    """Of the active version; empty for a new procedure."""
    boundary: str
    lines: tuple[OfferedProcedureLine, ...]
    traces: tuple[OfferedTrace, ...]
    feedback: tuple[OfferedFeedback, ...]
    rejections: tuple[OfferedRejection, ...] = ()
    instruction: str = ""


class ProcedureItem(Answered):
    """One thing about the draft: what it is, a line, a line that goes, or feedback that changes nothing."""

    action: Literal["describe", "line", "remove", "decline"]
    title: str = Field(default="", max_length=TITLE_LIMIT)
    """Describe: what kind of task it is."""
    boundary: str = Field(default="", max_length=BOUNDARY_LIMIT)
    """Describe: where the task begins and ends."""
    incidental: list[str] = Field(default_factory=list, max_length=DETAILS_LIMIT)
    """Describe: details of single tasks that must not survive."""
    section: ProcedureSectionSlug = "procedure"
    text: str = Field(default="", max_length=LINE_LIMIT)
    sources: list[str] = Field(default_factory=list)
    """Line: what it rests on. A single line of the active version carries that line over.
    Remove: the lines of the active version. Decline: the feedback, or steps that are left out."""
    reason: str = Field(default="", max_length=300)


class SkillAnswer(Answered):
    """The whole draft; empty says that nothing of it changes the procedure."""

    items: list[ProcedureItem]
    nothing_reason: str | None = None
