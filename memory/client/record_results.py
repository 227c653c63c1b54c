"""What reading messages and atoms with their evidence gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.client.results import Atom, Result


class Message(Result):
    """A message as it was stored."""

    id: UUID
    seq: int
    session: str
    ordinal: int
    role: str
    speaker: str = ""
    text: str
    attachment_text: str = ""
    parent: UUID | None = None
    tool_name: str = ""
    tool_calls: Sequence[Any] = ()
    tool_call_id: str = ""
    metadata: Mapping[str, Any] = {}
    said_at: datetime | None = None
    recorded_at: datetime
    dedupe_key: str | None = None
    content_hash: str = ""
    state: str = ""
    """`pending`, `read` or `parked`; `kept` is never extracted from."""


class Neighbour(Result):
    """A row that a record rests on, or one that rests on it."""

    layer: str | None
    kind: str
    id: UUID | None
    short_id: str = ""
    text: str
    facts: Mapping[str, str] = {}


class ReadMessage(Result):
    """A message, and what was taken from it."""

    entity: str
    record: Message
    rests_on: tuple[Neighbour, ...] = ()
    used_by: tuple[Neighbour, ...] = ()


class ReadAtom(Result):
    """An atom, what it was taken from, and the lines that were written from it."""

    entity: str
    atom: Atom
    rests_on: tuple[Neighbour, ...] = ()
    used_by: tuple[Neighbour, ...] = ()


class Merge(Result):
    """A new atom that took the place of older ones."""

    new: Atom
    old: tuple[Atom, ...] = ()
    reason: str = ""


class Skip(Result):
    """Words that memory held already: one more receipt for the old atom."""

    text: str
    reason: str = ""
    atom: UUID
    receipts: int


class LineDifference(Result):
    """One line that came, went or was reworded."""

    change: str
    section: str
    before: str = ""
    after: str = ""


class SceneChange(Result):
    """A version that was written, with what it changed."""

    scene_id: UUID
    title: str
    number: int
    status: str
    lines: tuple[LineDifference, ...] = ()


class ParkedInput(Result):
    """Something a step could not read and set aside."""

    step: str
    id: UUID
    text: str = ""
    error: str = ""


class Trait(Result):
    """What the persona says in one slot."""

    id: UUID
    version_id: UUID
    slot: str
    text: str
    number: int
    receipts: int = 0


class Changes(Result):
    """What a message did to every layer so far."""

    messages: int
    stored: tuple[Atom, ...] = ()
    merged: tuple[Merge, ...] = ()
    skipped: tuple[Skip, ...] = ()
    dropped: tuple[str, ...] = ()
    parked: tuple[ParkedInput, ...] = ()
    scenes: tuple[SceneChange, ...] = ()
    traits: tuple[Trait, ...] = ()
    reasons: Mapping[str, str] = {}
    """Why a step that ran wrote nothing, by step."""


class ChangesReply(Result):
    """As the server wraps them."""

    entity: str
    changes: Changes
