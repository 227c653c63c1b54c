"""What runs, work, parked batches, keys and forgetting give back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.client.results import Result


class Run(Result):
    """One attempt of a step, good or bad."""

    id: UUID
    entity: str
    step: str
    status: str
    attempt: int = 1
    design: str = ""
    model: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    milliseconds: int = 0
    noop_reason: str = ""
    error_kind: str = ""
    error_text: str = ""
    is_transient: bool = False
    worker: str = ""
    started_at: datetime
    finished_at: datetime | None = None


class FullRun(Run):
    """The same with all that was recorded."""

    inputs: Mapping[str, Any] = {}
    outputs: Mapping[str, Any] = {}
    decisions: Sequence[Any] = ()
    raw_answer: str = ""
    design_hash: str = ""
    prompt_hash: str = ""
    schema_hash: str = ""


class Work(Result):
    """A step of an entity: what waits for it, who holds it, how it failed."""

    id: UUID
    entity: str
    step: str
    pending: int = 0
    parked: int = 0
    is_paused: bool = False
    due_at: datetime | None = None
    is_flushing: bool = False
    lease_until: datetime | None = None
    worker: str = ""
    failures: int = 0
    last_error_kind: str = ""
    last_error: str = ""
    last_started_at: datetime | None = None
    last_finished_at: datetime | None = None


class ParkedBatch(Result):
    """What one run set aside, and why."""

    run: UUID
    entity: str
    step: str
    since: datetime
    inputs: tuple[str, ...] = ()
    error_kind: str = ""
    error_text: str = ""
    model: str = ""
    attempt: int = 0


class Retried(Result):
    """How many inputs went back in line."""

    entity: str
    step: str
    run: UUID | None = None
    retried: int


class Key(Result):
    """A key; what opens the door is stored nowhere."""

    id: UUID
    label: str
    prefix: str = ""
    scopes: tuple[str, ...]
    entities: tuple[str, ...] = ()
    is_bound: bool = False
    is_usable: bool = True
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


class IssuedKey(Result):
    """A new key with its token, which the server tells this once. It stands in no repr."""

    key: Key
    token: str

    def __repr__(self) -> str:
        return f"IssuedKey({self.key!r})"

    __str__ = __repr__


class Link(Result):
    """A link to a timeline or a scene. Whoever has its address sees that: it stands in no repr."""

    url: str
    target: str
    entity: str
    scene: UUID | None = None
    expires_at: datetime

    def __repr__(self) -> str:
        return f"Link({self.target} of {self.entity!r}, until {self.expires_at})"

    __str__ = __repr__


class ForgottenWords(Result):
    """A message that would go."""

    id: UUID
    session: str
    speaker: str = ""
    text: str
    said_at: datetime | None = None


class ForgetMatch(Result):
    """A claim, or words that no claim stands for, with everything that would go with it."""

    id: UUID
    kind: str
    text: str
    status: str = ""
    is_chosen: bool
    reason: str = ""
    """Why it is not chosen."""
    messages: tuple[ForgottenWords, ...] = ()
    also: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    digests: int = 0
    edges: int = 0


class Erasure(Result):
    """An erase, planned or done: ids and counts, never words of the memory."""

    id: UUID
    scope: str = ""
    status: str
    counts: Mapping[str, int] = {}
    reason: str = ""
    created_at: datetime | None = None
    expires_at: datetime | None = None
    done_at: datetime | None = None


class Forgetting(Result):
    """What a request to forget means; nothing has gone yet."""

    entity: str
    matter: str = ""
    wants_old: bool = False
    matches: tuple[ForgetMatch, ...] = ()
    erasure: Erasure | None = None
    token: str | None = None
    """Confirms what is chosen; None when nothing is."""


class ErasedReply(Result):
    """As the server wraps it."""

    erasure: Erasure
