"""What the doors of skills may be asked."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memory.api.correction_requests import ReasonGiven
from memory.api.errors import RequestRefused
from memory.api.operations import DescribedAs
from memory.api.requests import ListAsked, Moment, Name, Words
from memory.models import Session
from memory.skills.traces import IncomingStep, IncomingTrace

Outcome = Literal["success", "partial", "failure", "unknown"]
ProcedureStatus = Literal["live", "retired", "all"]
FeedbackKind = Literal[
    "thumbs_up", "thumbs_down", "correction", "task_success", "task_failure", "exception", "evaluation"
]
Source = Literal["end_user", "operator", "evaluator", "application"]
Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def _exact(given: Any) -> Any:
    """A whole number is a score too; true and false are none."""
    return float(given) if type(given) is int else given


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TraceGiven(_Given):
    """`POST /traces`: steps as they are told, or a session whose turns show them."""

    entity: Name | None = None
    task: Words
    outcome: Outcome = "unknown"
    note: Words = ""
    external_id: Words = ""
    occurred_at: Moment | None = None
    session: UUID | None = None
    """Where it happened; without `steps` they are taken from its turns."""
    steps: Annotated[list[dict[str, Any]], DescribedAs(list[IncomingStep])] | None = None

    def read_steps(self) -> list[IncomingStep] | None:
        """The steps, None when the session is to show them; RequestRefused names what cannot be taken."""
        if self.steps is None and self.session is None:
            raise RequestRefused("steps: is required, or a session whose turns show them.")
        if self.steps is None and (self.external_id or self.occurred_at):
            raise RequestRefused("external_id, occurred_at: belong to steps; a session has its own.")
        if self.session is None and self.entity is None:
            raise RequestRefused("entity: is required.")
        return None if self.steps is None else [read_step(*step) for step in enumerate(self.steps)]

    def trace(self, steps: list[IncomingStep], session: Session | None) -> IncomingTrace:
        """As the room takes it."""
        return IncomingTrace(
            task=self.task,
            outcome=self.outcome,
            steps=tuple(steps),
            external_id=self.external_id,
            session=session,
            note=self.note,
            occurred_at=self.occurred_at,
        )


def read_step(place: int, given: dict[str, Any]) -> IncomingStep:
    """One step; RequestRefused names its place and the field."""
    try:
        return IncomingStep.model_validate(given)
    except ValueError as error:
        problems = error.errors(include_url=False)  # type: ignore[attr-defined]
        told = "; ".join(f"steps[{place}].{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems)
        raise RequestRefused(told) from error


class ProceduresAsked(ListAsked):
    """`GET /procedures`."""

    status: ProcedureStatus = "live"
    words: Words = ""
    """Those that are for some words alone, drafts too."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """As they are stored."""
        return ("live", "retired") if self.status == "all" else (self.status,)


class PageAsked(_Given):
    """A page of what an address names."""

    after: str | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class ApprovalGiven(_Given):
    """`POST /drafts/{id}/approve`: `base` is the version that was active when the reviewer looked."""

    base: Annotated[int, Field(ge=1)] | None
    reason: Words = ""


class EditGiven(ApprovalGiven):
    """`POST /drafts/{id}/edit`."""

    markdown: Words


class RollbackGiven(ReasonGiven):
    """`POST /procedures/{id}/rollback`."""

    number: Annotated[int, Field(ge=1)]


class UseGiven(_Given):
    """`POST /uses`: one procedure by its id, handed out as it is active now."""

    procedure: UUID
    keep_text: bool = False


class FeedbackGiven(_Given):
    """`POST /feedback`: about a use, or about a version of a procedure."""

    entity: Name
    use: UUID | None = None
    procedure_version: UUID | None = None
    kind: FeedbackKind
    source: Source
    score: Annotated[Score | None, BeforeValidator(_exact)] = None
    label: Words = ""
    comment: Words = ""
    expected: Words = ""
    actual: Words = ""
    id: UUID | None = None
    """The caller's own: sent twice, it is stored once."""

    @property
    def words(self) -> dict[str, str]:
        """All that is said in words."""
        return {name: getattr(self, name) for name in ("label", "comment", "expected", "actual")}


class FeedbackAsked(ListAsked):
    """`GET /feedback`."""

    use: UUID | None = None
    procedure: UUID | None = None
