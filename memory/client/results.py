"""What memory gives back. Fields that a newer server adds are passed over: an older client goes on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from memory.client.errors import ServerError


class Result(BaseModel):
    """Any reply: it cannot be changed, and knows only what it knows."""

    model_config = ConfigDict(extra="ignore", frozen=True)


R = TypeVar("R", bound=Result)


def read(model: type[R], value: Any) -> R:
    """A reply's value as a result; ServerError when it is none."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors()[:3])
        raise ServerError(f"The reply is no {model.__name__}: {fields}.") from None


class Health(Result):
    """Whether the server, its database and a worker live."""

    status: str
    version: str = ""
    database: str = ""
    worker_seen_seconds: float | None = None
    """Age of the last worker's sign of life; None when none was ever seen."""


class StoredMessage(Result):
    """Where a message of `records` is now, and whether this call stored it."""

    id: UUID
    seq: int
    session: str
    ordinal: int
    created: bool


class CitedMessage(Result):
    """A message that a result rests on."""

    id: UUID
    session: str
    ordinal: int
    role: str
    speaker: str = ""
    text: str
    attachment_text: str = ""
    said_at: datetime | None = None
    metadata: Mapping[str, Any] = {}


class Hit(Result):
    """One result of a recall: an atom, a raw message, a section of a scene, or a trait."""

    layer: str
    id: UUID
    short_id: str = ""
    text: str
    score: float
    terms: Mapping[str, float] = {}
    """What the score is made of."""
    citations: tuple[CitedMessage, ...] = ()
    is_raw: bool = False
    section: str = ""
    title: str = ""
    kind: str = ""
    priority: int = 0
    topic: str = ""
    subject: str = ""
    authority: str = ""
    happened_from: date | None = None
    happened_until: date | None = None
    said_at: datetime | None = None
    lines: tuple[UUID, ...] = ()
    """A section's standing lines."""
    assertion: Mapping[str, Any] | None = None
    """Of an observed claim: subject, predicate, value and how long it holds."""
    scope: str = ""
    """The situation that an instruction is bound to."""
    is_superseded: bool = False
    """A raw message that said a claim which no longer holds."""
    outside: tuple[Mapping[str, Any], ...] = ()
    """What an atom rests on that is not stored here."""


class Recalled(Result):
    """The results of a recall, best first."""

    entity: str
    hits: tuple[Hit, ...]
    arms: Mapping[str, str] = {}
    """An arm of the search that is not `answered` had no part in the result."""
    unindexed: int = 0
    languages: tuple[str, ...] = ()


class RecalledWithShared(Recalled):
    """The same with what shared memories hold, each a group of its own with its own evidence."""

    shared: tuple[Recalled, ...] = ()


class TaskContext(Result):
    """The text that an agent should get before a task, with the account of it."""

    entity: str
    text: str
    sha256: str
    tokens: int
    stable_prefix_bytes: int
    manifest: Mapping[str, Any] = {}
    use: UUID | None = None
    """Names it for feedback, where `record_use` was asked for."""


class Citation(Result):
    """A row that an answer rests on; the text names it by its handle, as in `[a1]`."""

    handle: str
    kind: str
    id: UUID
    text: str
    speaker: str = ""
    said_at: datetime | None = None
    session: str = ""
    ordinal: int | None = None


class Answer(Result):
    """A cited reply; without citations memory holds nothing about it."""

    entity: str
    text: str
    citations: tuple[Citation, ...] = ()
    gaps: tuple[str, ...] = ()
    """What was asked and is not answered."""
    model: str = ""
    problem: str = ""


class AnswerWithShared(Answer):
    """The same with what shared memories answer, each by itself."""

    shared: tuple[Answer, ...] = ()


class Record(Result):
    """One record of the timeline, of any layer."""

    id: UUID
    seq: int
    collection: str
    type: str
    key: str
    status: str
    text: str
    content: Mapping[str, Any] = {}
    occurred_at: datetime | None = None
    created_at: datetime
    citations: tuple[str, ...] = ()


class Atom(Result):
    """One claim with what is known about it."""

    id: UUID
    short_id: str = ""
    seq: int
    text: str
    kind: str
    priority: int
    topic: str = ""
    subject: str = ""
    scope: str = ""
    authority: str = ""
    status: str
    said_at: datetime | None = None
    happened_from: date | None = None
    happened_until: date | None = None
    receipts: int = 0
    superseded_by: UUID | None = None
    assertion: Mapping[str, Any] | None = None
    """Of an observed claim: subject, predicate, value and how long it holds."""
    chain: UUID | None = None
    """Shared by the atoms of one matter; told where all of an atom is."""
    decision: str = ""
    merge_reason: str = ""
    created_at: datetime | None = None
    citations: tuple[UUID, ...] = ()


class TraceNode(Result):
    """One row on the way between a record and the words it rests on."""

    layer: str | None
    kind: str
    id: UUID | None
    text: str
    facts: Mapping[str, str] = {}
    children: tuple[TraceNode, ...] = ()


class Trace(Result):
    """A record with what it rests on (`down`), and with what rests on it (`up`)."""

    entity: str
    down: TraceNode
    up: TraceNode


class SessionSummary(Result):
    """One conversation of an entity's list."""

    id: UUID
    session: str
    title: str = ""
    messages: int
    first_said_at: datetime | None = None
    last_said_at: datetime | None = None
    created_at: datetime
    ended_at: datetime | None = None


class Node(Result):
    """A thing that facts speak of."""

    id: UUID
    kind: str
    identifier: str


class Receipt(Result):
    """What a claim rests on: a message or a correction by its id, or something outside by its reference."""

    kind: str
    reference: str
    authority: str = ""


class Fact(Result):
    """An edge of the graph, with the atom that says so and its evidence."""

    id: UUID
    subject: Node
    predicate: str
    object: Node | None = None
    value: Any = None
    """None where there is an object."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    atom: UUID
    text: str
    authority: str = ""
    status: str = "live"
    distance: int = 0
    evidence: tuple[Receipt, ...] = ()


class Graph(Result):
    """Facts, the nearest first, and the things that they speak of."""

    entity: str
    facts: tuple[Fact, ...]
    nodes: tuple[Node, ...] = ()
    truncated: bool = False


class Promoted(Result):
    """What became of atoms that waited for the graph."""

    entity: str
    atoms: int = 0
    edges_written: int = 0
    edges_removed: int = 0
    failed: int = 0
    waiting: int = 0
    """Atoms that still wait: in the hands of a worker, of a paused step or of a failed run."""

    def plus(self, later: Promoted) -> Promoted:
        """Both together; what waits is what waits now."""
        names = ("atoms", "edges_written", "edges_removed", "failed")
        counts = {name: getattr(self, name) + getattr(later, name) for name in names}
        return later.model_copy(update=counts)
