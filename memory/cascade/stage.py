"""What a step is to the engine: what waits, what it reads, what it asks, how it judges and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel

from memory.cascade.contract import Refusal
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.llm.protocol import ModelAlias
from memory.models import Entity, Step

Taken = TypeVar("Taken")


class RefusedError(ValueError):
    """An item of an answer may not be taken; the text is the reason, fit to be shown to a model."""


class StaleInputsError(Exception):
    """What the step read has changed while the model was thinking: read again and redo."""


@dataclass(frozen=True, slots=True)
class Judged(Generic[Taken]):
    """What of an answer is taken, in its order, and what is refused with which reason."""

    taken: tuple[Taken, ...]
    refused: tuple[Refusal, ...]
    notes: tuple[Mapping[str, Any], ...] = ()
    """Repairs made by code, for the run."""


@dataclass(frozen=True, slots=True)
class Question(Generic[Taken]):
    """One model call: what is shown, the shape of the answer, and the judge of its items.

    `judge` gets the items with their places in the answer, and whether this is the last word (nothing will
    be asked again).
    """

    payload: object
    values: Mapping[str, str]
    answer_schema: type[BaseModel]
    item_schema: type[BaseModel]
    judge: Callable[[Sequence[tuple[int, Any]], bool], Judged[Taken]]
    alias: ModelAlias = "strong"


@dataclass(frozen=True, slots=True)
class Verdict(Generic[Taken]):
    """The judged answer to one question."""

    taken: tuple[Taken, ...]
    decisions: tuple[Mapping[str, Any], ...]
    nothing_reason: str | None


class Batch(Protocol):
    """What a stage read for one run."""

    @property
    def size(self) -> int:
        """How many inputs a split could separate."""
        ...

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """Ids of what was read, by layer, for the run."""
        ...

    @property
    def questions(self) -> Sequence[Question[Any]]:
        """Model calls to make, in order; none when code alone settles the batch."""
        ...


@dataclass(slots=True)
class Written:
    """What a commit wrote."""

    outputs: dict[str, list[str]] = field(default_factory=dict)
    decisions: list[Mapping[str, Any]] = field(default_factory=list)
    nothing_reason: str = ""
    """Why nothing was written, where the stage knows better than the model."""

    def add(self, layer: str, row_id: UUID) -> None:
        """Note a row for the run's outputs."""
        self.outputs.setdefault(layer, []).append(str(row_id))

    @property
    def is_empty(self) -> bool:
        """Nothing was written."""
        return not self.outputs


class Stage(Protocol):
    """One step of the cascade."""

    @property
    def step(self) -> Step:
        """Its name."""
        ...

    @property
    def upstream(self) -> tuple[Step, ...]:
        """The steps whose inputs must be gone before the entity is quiet for this one."""
        ...

    @property
    def downstream(self) -> tuple[Step, ...]:
        """The steps that its outputs wake."""
        ...

    def waiting(self, entity: Entity) -> Waiting | None:
        """What waits now, or None."""
        ...

    def full_size(self, claim: Claim) -> int:
        """How many inputs a batch holds when nothing limits it."""
        ...

    def read(self, claim: Claim) -> Batch | None:
        """Read the next batch, or None when nothing waits after all."""
        ...

    def write(self, claim: Claim, batch: Any, verdicts: Sequence[Verdict[Any]]) -> Written:
        """Within the committing transaction: re-check, write with evidence, mark inputs consumed.

        Raises StaleInputsError when what was read no longer stands.
        """
        ...

    def park(self, claim: Claim, batch: Any) -> None:
        """Within the failing transaction: set the batch's inputs aside."""
        ...

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """The same for the one input that comes next, when not even reading it succeeds; gives its id."""
        ...
