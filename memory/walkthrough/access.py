"""What the commands need of a memory, wherever it lives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memory.recall.hits import Found
from memory.recall.records import (
    AtomRecord,
    Candidate,
    Changes,
    LadderStatus,
    MessageRecord,
    RulesPage,
    SceneRecord,
    TraceTree,
    TraitRecord,
)
from memory.skills.records import VersionRecord
from memory.stewardship.forgetting_records import Match
from memory.walkthrough.progress import Settled
from memory.walkthrough.story import StoryRequest, StorySession, StoryTask


class MemoryProblemError(Exception):
    """Something that the memory refuses or does not know; the text is for the person at the prompt."""

    def __init__(self, text: str, candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(text)
        self.candidates = candidates


@dataclass(frozen=True, slots=True)
class Traced:
    """A record with what it rests on and what rests on it."""

    down: TraceTree
    up: TraceTree


@dataclass(frozen=True, slots=True)
class Said:
    """A stored message and what came of it."""

    changes: Changes
    is_settled: bool
    seconds: float
    reasons: tuple[str, ...]
    """Why something still waits, or why nothing above L0 was made."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The context that an agent would get for a task, and the account of it."""

    text: str
    sha256: str
    tokens: int
    stable_prefix_bytes: int
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cited:
    """What an answer rests on; the answer's text names it by its handle."""

    handle: str
    kind: str
    id: UUID
    text: str
    speaker: str
    said_at: datetime | None
    session: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply in which every statement is cited, and what it does not know."""

    text: str
    citations: tuple[Cited, ...]
    gaps: tuple[str, ...]
    model: str
    problem: str
    """Why the configured model did not answer; empty when it did."""


@dataclass(frozen=True, slots=True)
class ShownProcedure:
    """A procedure: what agents get, and the draft that waits for a person."""

    id: UUID
    active: VersionRecord | None
    draft: VersionRecord | None


@dataclass(frozen=True, slots=True)
class Procedures:
    """Procedures, and what has just become of one of them."""

    procedures: tuple[ShownProcedure, ...]
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What a request to forget means; nothing has gone yet."""

    matter: str
    wants_old: bool
    matches: tuple[Match, ...]
    counts: Mapping[str, int]
    """Rows that would go, by layer; empty when nothing is chosen."""
    token: str
    """Confirms what is chosen; empty when nothing is."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What an erase took."""

    erasure: UUID
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Told:
    """A session of the story as it is stored: the ids of its messages, and how many of them are new."""

    messages: tuple[UUID, ...]
    new: int


class Memory(Protocol):
    """One entity's memory. Every method may raise MemoryProblemError."""

    def say(self, text: str, notice: Callable[[str], object]) -> Said:
        """Store a message of the user, wait for the cascade, and tell what changed."""
        ...

    def scenes(self) -> tuple[SceneRecord, ...]:
        """Live scenes in slot order."""
        ...

    def memories(self) -> tuple[AtomRecord, ...]:
        """Every atom with its history, in the order of events."""
        ...

    def rules(self, floor: int) -> RulesPage:
        """All standing rules at or above the floor."""
        ...

    def persona(self) -> tuple[TraitRecord, ...]:
        """The live traits."""
        ...

    def transcript(self, session: str | None) -> tuple[MessageRecord, ...]:
        """What was said, in all sessions or in one."""
        ...

    def trace(self, id_part: str) -> Traced:
        """A record's receipts and uses."""
        ...

    def search(self, query: str) -> Found:
        """What memory holds about some words, the best first."""
        ...

    def recall(self, task: str) -> Rendered:
        """The context for a task."""
        ...

    def answer(self, question: str) -> Answered:
        """A cited answer."""
        ...

    def procedures(self, words: str) -> Procedures:
        """Reviewed procedures for some words, or all, with the drafts that wait."""
        ...

    def approve_draft(self, id_part: str, reason: str) -> Procedures:
        """Make a draft the active version."""
        ...

    def reject_draft(self, id_part: str, reason: str) -> Procedures:
        """Turn a draft down."""
        ...

    def use_procedure(self, id_part: str) -> Procedures:
        """Hand a procedure out and record that."""
        ...

    def say_of_procedure(self, id_part: str, comment: str, notice: Callable[[str], object]) -> Procedures:
        """Say something of a use or of an active version, and wait for the next draft."""
        ...

    def forget(self, words: str) -> Forgetting:
        """What is meant by a request to forget; erases nothing."""
        ...

    def confirm_forget(self, token: str, keep: tuple[str, ...]) -> Forgotten:
        """Erase what was listed, but for what the ids name."""
        ...

    def status(self) -> LadderStatus:
        """Counts of each layer, and what waits."""
        ...


class StoryMemory(Memory, Protocol):
    """A memory that the tour is told to. Every method may raise MemoryProblemError."""

    @property
    def prompt_command(self) -> str:
        """What a person types to come to the prompt of this memory."""
        ...

    def why_only_words(self) -> str:
        """Why nothing will ever stand above the words; empty where the cascade runs."""
        ...

    def tell(self, session: StorySession) -> Told:
        """Store a session of the story and end it; what was told before is not stored again."""
        ...

    def carry_out(self, task: StoryTask) -> None:
        """Record how a task was carried out."""
        ...

    def settle(self, notice: Callable[[str], object]) -> Settled:
        """Have what waits worked on, and wait for it."""
        ...

    def changes(self, messages: Sequence[UUID]) -> Changes:
        """What some messages did to every layer."""
        ...

    def context(self, request: StoryRequest) -> Rendered:
        """The context of a request by the story's clock."""
        ...

    def close(self) -> None:
        """End the session of what was said, if anything was."""
        ...
