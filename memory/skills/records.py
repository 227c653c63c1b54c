"""What is read of skills: frozen records that know no database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

from memory.cascade.rules.difference import Change

T = TypeVar("T")
InputState = Literal["waiting", "parked", "done"]
CitationKind = Literal["trace_step", "feedback", "correction"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One thing that a line rests on."""

    kind: CitationKind
    id: UUID
    says: str
    """Its words: the step, what the feedback asks for, or why a person changed the line."""
    of: str
    """The task of the trace, the kind and source of the feedback, or who made the change."""
    trace: UUID | None = None
    """The trace of a step."""


@dataclass(frozen=True, slots=True)
class LineDifference:
    """A line before and after; `before` is empty for an added one, `after` for a removed one."""

    change: Change
    section: str
    before: str
    after: str
    citations: tuple[Citation, ...]
    """What the line as it is now rests on; of a removed line, what it rested on."""


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """What changed from one version to a later one; everything, when there is no earlier one."""

    title: tuple[str, str] | None
    """Before and after, None where it stayed."""
    boundary: tuple[str, str] | None
    lines: tuple[LineDifference, ...]
    """All lines of both, in the order of the later one."""

    @property
    def is_empty(self) -> bool:
        """Whether both say the same."""
        is_same = all(line.change is Change.UNCHANGED for line in self.lines)
        return is_same and self.title is None and self.boundary is None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some records, the newest first. `next_after` leads to the next page; None on the last one."""

    items: tuple[T, ...]
    next_after: UUID | None


@dataclass(frozen=True, slots=True)
class TraceStepRecord:
    """One step of a trace."""

    id: UUID
    kind: str
    tool_name: str
    text: str
    message: UUID | None


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """How a task was carried out, and whether it has been learnt from."""

    id: UUID
    external_id: str
    task: str
    outcome: str
    note: str
    session: UUID | None
    state: InputState
    occurred_at: datetime | None
    created_at: datetime
    steps: tuple[TraceStepRecord, ...]


@dataclass(frozen=True, slots=True)
class ReviewRecord:
    """What a person decided about a version."""

    verdict: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """A version by name, and what became of it."""

    id: UUID
    procedure: UUID
    number: int
    status: str
    title: str
    base: int | None
    """The number of the version that was active when it was drafted."""
    created_at: datetime
    reviews: tuple[ReviewRecord, ...]


@dataclass(frozen=True, slots=True)
class ProcedureSummary:
    """A procedure by its active version and the draft that waits, if there are any."""

    id: UUID
    slug: str
    status: str
    active: VersionSummary | None
    draft: VersionSummary | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LineRecord:
    """A line with what it rests on."""

    id: UUID
    section: str
    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version in full: what it says, what each line rests on, and what it changes."""

    summary: VersionSummary
    boundary: str
    incidental: tuple[str, ...]
    """Details of single tasks that were left out of it on purpose."""
    lines: tuple[LineRecord, ...]
    markdown: str
    difference: VersionDifference
    """To the version that it was drafted on; to nothing, for a first one."""


@dataclass(frozen=True, slots=True)
class UseRecord:
    """What was handed out once."""

    id: UUID
    kind: str
    sha256: str
    tokens: int
    procedure_versions: tuple[UUID, ...]
    records: tuple[UUID, ...]
    manifest: dict[str, Any]
    text: str
    request: str
    session: UUID | None
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """What somebody said, of what, and whether it has been learnt from."""

    id: UUID
    use: UUID | None
    procedure_version: UUID | None
    kind: str
    source: str
    score: Decimal | None
    label: str
    comment: str
    expected: str
    actual: str
    by: str
    state: InputState
    created_at: datetime
