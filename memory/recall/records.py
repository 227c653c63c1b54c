"""What the reads of the ladder give out: frozen records that know neither Django nor a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

Layer = Literal["L0", "L1", "L2", "L3"]


@dataclass(frozen=True, slots=True)
class LadderStatus:
    """How much stands on each layer, what waits and who works on it."""

    entity: str
    messages: int
    atoms_live: int
    atoms_all: int
    scenes_live: int
    scene_versions: int
    traits: int
    pending: Mapping[str, int]
    """Inputs that wait, by step."""
    parked: Mapping[str, int]
    """Inputs set aside after failures, by step."""
    worker_seen_seconds: float | None
    """Age of the newest sign of life of any worker; None when there never was one."""


@dataclass(frozen=True, slots=True)
class LineRecord:
    """One line of a scene as it may be shown."""

    id: UUID
    text: str
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class SectionRecord:
    """The standing lines of one section, in order."""

    section: str
    heading: str
    lines: tuple[LineRecord, ...]


@dataclass(frozen=True, slots=True)
class SceneRecord:
    """The current version of a live scene."""

    id: UUID
    version_id: UUID
    slot: int
    title: str
    number: int
    summary: str
    sections: tuple[SectionRecord, ...]
    due: int
    """Lines left out because something they rest on no longer holds; they wait to be rewritten."""
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Assertion:
    """What an observed claim asserts: a predicate of a subject, and its value or where that is kept."""

    subject_kind: str
    subject_id: str
    predicate: str
    value: Any
    live_source: str
    """Name of the source that is asked for the value; empty where it is kept."""
    valid_from: datetime | None
    valid_until: datetime | None


@dataclass(frozen=True, slots=True)
class OutsideReceipt:
    """Something outside of this memory that an atom rests on."""

    kind: str
    reference: str
    authority: str


@dataclass(frozen=True, slots=True)
class AtomRecord:
    """One claim with what is known about it."""

    id: UUID
    seq: int
    text: str
    kind: str
    priority: int
    topic: str
    subject: str
    scope: str
    authority: str
    status: str
    said_at: datetime | None
    happened_from: date | None
    happened_until: date | None
    receipts: int
    """How many messages, corrections and outside references it rests on."""
    superseded_by: UUID | None
    assertion: Assertion | None = None
    """Of an observed claim; None for what was taken from words."""


@dataclass(frozen=True, slots=True)
class RuleCursor:
    """Where a page of rules ended."""

    priority: int
    seq: int


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Standing rules at or above a floor, most important first, and how many there are in all."""

    floor: int
    total: int
    rules: tuple[AtomRecord, ...]
    next_after: RuleCursor | None
    """Give it to the next call; None on the last page."""


@dataclass(frozen=True, slots=True)
class TraitRecord:
    """What the persona says in one slot."""

    id: UUID
    version_id: UUID
    slot: str
    text: str
    number: int
    receipts: int


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One message, word for word."""

    id: UUID
    seq: int
    session: str
    ordinal: int
    role: str
    speaker: str
    text: str
    attachment_text: str
    tool_name: str
    tool_calls: int
    said_at: datetime | None
    """In the entity's own zone."""


@dataclass(frozen=True, slots=True)
class TraceNode:
    """One row on the way between a record and the words it rests on."""

    layer: Layer | None
    """None for what lies beside the ladder: a correction, or something outside."""
    kind: Literal["message", "atom", "line", "scene", "trait", "digest", "correction", "outside"]
    id: UUID | None
    text: str
    facts: Mapping[str, str] = field(default_factory=dict)
    """What else is to be said about it, in the order of telling."""
    children: tuple[TraceNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that a short id may mean."""

    kind: str
    id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class TraceTree:
    """A record with everything it rests on (or, upwards, everything that rests on it)."""

    direction: Literal["down", "up"]
    root: TraceNode


@dataclass(frozen=True, slots=True)
class Skip:
    """Words that memory held already: no new atom, one more receipt for the old one."""

    text: str
    reason: str
    atom: UUID
    receipts: int
    """How many the atom has now."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A new atom that took the place of older ones."""

    new: AtomRecord
    old: tuple[AtomRecord, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class LineDifference:
    """One line that came, went or was reworded between two versions."""

    change: Literal["added", "removed", "reworded"]
    section: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SceneChange:
    """A version that was written, with its difference to the one before."""

    scene_id: UUID
    title: str
    number: int
    status: str
    lines: tuple[LineDifference, ...]


@dataclass(frozen=True, slots=True)
class ParkedInput:
    """Something a step could not read and set aside."""

    step: str
    id: UUID
    text: str
    error: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What some messages did to every layer."""

    messages: int
    stored: tuple[AtomRecord, ...]
    merged: tuple[Merge, ...]
    skipped: tuple[Skip, ...]
    dropped: tuple[str, ...]
    """Why items of the models' answers were not taken."""
    parked: tuple[ParkedInput, ...]
    scenes: tuple[SceneChange, ...]
    traits: tuple[TraitRecord, ...]
    reasons: Mapping[str, str]
    """Why a step that ran wrote nothing, by step."""
