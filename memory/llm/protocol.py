"""What a step asks of a model and what it gets back, whichever provider answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, Protocol

from pydantic import BaseModel

ModelAlias = Literal["strong", "cheap"]
FinishReason = Literal["stop", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One typed question: rendered prompt for a language model, payload for the offline one."""

    task: str
    """Name of the step that asks (`l1_extract`, `scene_synthesis`, `persona`)."""
    system: str
    user: str
    schema: type[BaseModel]
    """Shape of the whole answer; its `items` are validated one by one."""
    payload: object
    """The structured form of what `user` says: the offline model answers from it."""
    alias: ModelAlias = "strong"
    timeout_seconds: float = 120.0
    max_output_tokens: int = 4_096
    is_correction: bool = False
    """Asks for corrected versions of refused items; the offline model has none to offer."""
    max_calls: int | None = None
    """Requests this answer may send, retries and fallbacks included; set from the run's budget."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The words a model answered and what they cost; reading them is the caller's work."""

    text: str
    model: str
    finish_reason: FinishReason = "stop"
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None
    """In the currency of the configured prices; None when no price is set."""
    milliseconds: int = 0
    calls: int = 1
    """Requests sent for this reply, retries and fallbacks included."""
    is_usage_estimated: bool = False
    """The endpoint reported no usage, the token counts are estimates."""


@dataclass(eq=False)
class ModelError(Exception):
    """A call that gave no usable reply. `raw` is a capped copy of what came, never a key or a header."""

    kind: str
    message: str
    raw: str = ""
    retry_after_seconds: float | None = None
    calls: int = field(default=1)
    tokens_in: int = 0
    tokens_out: int = 0

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class TransientModelError(ModelError):
    """Worth trying again later: network, 408, 409, 429, 5xx, time-out."""


class PermanentModelError(ModelError):
    """Trying again gives the same: a refused key, an unknown model, a request the endpoint cannot bear."""


class BudgetExceeded(ModelError):  # noqa: N818 - the field's own term
    """The run's or the workspace's budget is used up; nothing was sent."""


class Model(Protocol):
    """Answers typed requests. Implementations refuse to run inside a database transaction."""

    @property
    def name(self) -> str:
        """What is written into runs, for example `gpt-5-mini` or `offline@1`."""
        ...

    def answer(self, request: ModelRequest) -> ModelReply:
        """Answer or raise a ModelError; never returns an empty reply for a failure."""
        ...
