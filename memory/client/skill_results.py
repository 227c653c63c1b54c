"""What skills give back: traces, procedures, their versions line by line, uses and feedback."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.client.results import Result


class TraceStep(Result):
    """One step of a trace."""

    id: UUID
    kind: str
    tool_name: str = ""
    text: str
    message: UUID | None = None


class TaskTrace(Result):
    """How a task was carried out."""

    id: UUID
    external_id: str = ""
    task: str
    outcome: str
    note: str = ""
    session: UUID | None = None
    state: str = ""
    """`waiting` for a worker, `parked` after failures, `done` once it was learnt from."""
    occurred_at: datetime | None = None
    created_at: datetime
    steps: tuple[TraceStep, ...] = ()
    redacted: Mapping[str, int] = {}
    """What the server took out of it by its setting, counted by kind."""


class Review(Result):
    """What a person decided about a version."""

    verdict: str
    reason: str = ""
    by: str = ""
    at: datetime


class VersionSummary(Result):
    """A version of a procedure by name."""

    id: UUID
    short_id: str = ""
    procedure: UUID
    number: int
    status: str
    """`draft`, `active`, `superseded`, `rejected` or `stale`."""
    title: str
    base: int | None = None
    """The number of the version that was active when it was drafted."""
    created_at: datetime
    reviews: tuple[Review, ...] = ()


class Procedure(Result):
    """A procedure by its active version and the draft that waits."""

    id: UUID
    slug: str = ""
    status: str
    active: VersionSummary | None = None
    draft: VersionSummary | None = None
    created_at: datetime


class LineCitation(Result):
    """What a line rests on: a step of a trace, feedback, or a person's correction."""

    kind: str
    id: UUID
    says: str
    of: str = ""
    trace: UUID | None = None


class ProcedureLine(Result):
    """A line of a version. Sections are `when`, `when_not`, `procedure`, `validation` and `escalation`."""

    id: UUID
    section: str
    text: str
    citations: tuple[LineCitation, ...] = ()


class LineChange(Result):
    """A line before and after: `added`, `removed`, `reworded` or `unchanged`."""

    change: str
    section: str
    before: str = ""
    after: str = ""
    citations: tuple[LineCitation, ...] = ()


class VersionDifference(Result):
    """What a version changes of the one that it was drafted on."""

    title: tuple[str, str] | None = None
    boundary: tuple[str, str] | None = None
    lines: tuple[LineChange, ...] = ()


class ProcedureVersion(VersionSummary):
    """A version in full."""

    entity: str
    boundary: str = ""
    incidental: tuple[str, ...] = ()
    """Details of single tasks that were left out of it on purpose."""
    lines: tuple[ProcedureLine, ...] = ()
    markdown: str = ""
    difference: VersionDifference = VersionDifference()

    def section(self, name: str) -> tuple[str, ...]:
        """The lines of one section."""
        return tuple(line.text for line in self.lines if line.section == name)


class Use(Result):
    """What was handed to an agent once."""

    id: UUID
    kind: str
    sha256: str
    tokens: int
    procedure_versions: tuple[UUID, ...] = ()
    records: tuple[UUID, ...] = ()
    manifest: Mapping[str, Any] = {}
    text: str = ""
    request: str = ""
    session: UUID | None = None
    created_at: datetime
    expires_at: datetime


class HandedOut(Use):
    """A procedure that was handed out by itself."""

    markdown: str


class Feedback(Result):
    """What somebody said of a use or of a version."""

    id: UUID
    use: UUID | None = None
    procedure_version: UUID | None = None
    kind: str
    source: str
    score: float | None = None
    label: str = ""
    comment: str = ""
    expected: str = ""
    actual: str = ""
    by: str = ""
    state: str = ""
    """`waiting` for a worker, `parked` after failures, `done` once it was learnt from."""
    created_at: datetime
    redacted: Mapping[str, int] = {}
