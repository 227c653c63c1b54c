"""What each step shows a model (payloads) and what it may answer (schemas).

Payloads are frozen records with short handles instead of ids; answers are strict pydantic classes whose
`items` are validated one by one. Both ends of the seam, prompts and the offline model, are written to this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MessageRole = Literal["user", "assistant", "tool", "system"]
AtomState = Literal["live", "superseded", "contested", "retracted"]
AtomKind = Literal["persona", "episodic", "instruction"]
SectionSlug = Literal[
    "work_context",
    "applies_when",
    "core_sop",
    "decision_logic",
    "prohibitions",
    "key_evidence",
    "related_tasks",
    "evolution_record",
    "open_questions",
]
TraitSlot = Literal["archetype", "role", "technical_preferences", "interaction_protocol", "decision_pattern"]

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

ATOM_TEXT_LIMIT = 500
LINE_TEXT_LIMIT = 1_000
TRAIT_TEXT_LIMIT = 600
TITLE_LIMIT = 80
SCENE_CAP = 15


class Answered(BaseModel):
    """Base of everything a model may answer: unknown fields and text that cannot be stored are refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @field_validator("*", mode="before")
    @classmethod
    def refuse_what_cannot_be_stored(cls, value: object) -> object:
        """NUL and half characters: JSON escapes can say them, the database cannot hold them."""
        if isinstance(value, str) and UNSTORABLE.search(value):
            raise ValueError("holds a character that cannot be stored")
        return value


# --- l1_extract -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OfferedMessage:
    """One message (or one piece of a long one) as the model sees it."""

    handle: str
    role: MessageRole
    speaker: str
    session: str
    said_at: datetime | None
    """In the entity's own zone; None when nobody knows when it was said."""
    text: str
    """Recalled blocks removed."""
    attachment_text: str = ""
    tool_name: str = ""


@dataclass(frozen=True, slots=True)
class OfferedAtom:
    """An atom that memory already holds, or one that waits to be placed in a scene."""

    handle: str
    text: str
    kind: AtomKind
    priority: int
    topic: str
    subject: str
    authority: str
    state: AtomState
    said_at: datetime | None
    happened_from: date | None = None
    happened_until: date | None = None
    scope: str = ""
    supersedes: tuple[str, ...] = ()
    """Texts of what stood in its place before, newest first."""
    is_new: bool = False
    """Waits to be placed (scene_synthesis); False for atoms shown only because a line rests on them."""


@dataclass(frozen=True, slots=True)
class ExtractPayload:
    """A batch of one session, what came just before it, and what memory holds that may be the same matter."""

    entity: str
    time_zone: str
    messages: tuple[OfferedMessage, ...]
    context: tuple[OfferedMessage, ...]
    """Earlier turns of the session, already read; they explain «it» and «he» and cannot be cited."""
    atoms: tuple[OfferedAtom, ...]
    topics: tuple[str, ...]
    instruction: str = ""
    """An addition of the design, or the stricter wording of a second try."""


class AtomDecision(Answered):
    """What to do with one claim found in the batch."""

    action: Literal["store", "merge", "skip"]
    text: str = Field(default="", max_length=ATOM_TEXT_LIMIT)
    """The claim, readable alone. Empty for a skip."""
    kind: AtomKind = "episodic"
    priority: int = Field(default=50, ge=0, le=100)
    topic: str = Field(default="", max_length=TITLE_LIMIT)
    subject: str = Field(default="", max_length=128)
    happened_from: date | None = None
    happened_until: date | None = None
    scope: str = Field(default="", max_length=200)
    """For an instruction: empty when it always holds, else the situation it was given for."""
    messages: list[str] = Field(min_length=1)
    """Handles of the batch messages that say it."""
    targets: list[str] = Field(default_factory=list)
    """Merge and skip: the atoms it replaces or repeats. `n1` names the first item of this same answer."""
    reason: str = Field(default="", max_length=300)
    """Merge: `value` or `contradiction`. Skip: why nothing new is stored."""


class ExtractAnswer(Answered):
    """All decisions of one batch; an empty list says that nothing in it is worth a claim."""

    items: list[AtomDecision]
    nothing_reason: str | None = None


# --- scene_synthesis --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OfferedLine:
    """A line of a live scene."""

    handle: str
    section: SectionSlug
    text: str
    atoms: tuple[str, ...]
    """Handles of the atoms it rests on, dead ones included."""
    is_pinned: bool = False
    is_due: bool = False
    """Rests on an atom that is no longer live: it must be replaced or removed."""


@dataclass(frozen=True, slots=True)
class OfferedScene:
    """A live scene: in full with its lines, or by title, summary and topics alone."""

    handle: str
    title: str
    summary: str
    topics: tuple[str, ...]
    """Topics of the atoms it rests on, most frequent first."""
    atom_count: int
    is_full: bool
    lines: tuple[OfferedLine, ...] = ()
    characters: int = 0
    """Length of all its lines, shown or not."""
    topic_counts: tuple[int, ...] = ()
    """How many of the atoms have each of `topics`."""
    lines_left_out: int = 0
    """How many of its lines a prompt has no room for."""


@dataclass(frozen=True, slots=True)
class SynthesisPayload:
    """Atoms to place, every live scene by summary, at most three of them in full."""

    entity: str
    time_zone: str
    atoms: tuple[OfferedAtom, ...]
    scenes: tuple[OfferedScene, ...]
    scene_cap: int = SCENE_CAP
    instruction: str = ""


class LineEdit(Answered):
    """One changed line; lines that are not named stay as they are, with their evidence."""

    op: Literal["add", "replace", "remove"]
    line: str = ""
    """Replace and remove: the line's handle, for example `s2.l4`."""
    section: SectionSlug = "work_context"
    text: str = Field(default="", max_length=LINE_TEXT_LIMIT)
    atoms: list[str] = Field(default_factory=list)
    """Add and replace: handles of the atoms the new text rests on."""


class SceneEdit(Answered):
    """What to do with one scene."""

    action: Literal["create", "update", "merge", "retire"]
    scene: str = ""
    """Update and retire: its handle. Merge: the scene that stays."""
    merged: list[str] = Field(default_factory=list)
    """Merge: handles of the scenes that go into `scene`; their lines move with their evidence."""
    title: str = Field(default="", max_length=TITLE_LIMIT)
    """Create: needed. Update and merge: empty keeps the title."""
    summary: str = Field(default="", max_length=400)
    """30–40 words for navigation; empty lets code make one from the lines."""
    lines: list[LineEdit] = Field(default_factory=list)
    reason: str = Field(default="", max_length=300)


class SynthesisAnswer(Answered):
    """All scene edits of one run; empty says that the scenes already hold it."""

    items: list[SceneEdit]
    nothing_reason: str | None = None


# --- persona ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OfferedTrait:
    """The current trait of a slot."""

    handle: str
    slot: TraitSlot
    text: str
    lines: tuple[str, ...]
    """Handles of the lines it rests on that still stand."""
    is_due: bool = False
    """Some line it rested on is gone: set it again or retract it."""


@dataclass(frozen=True, slots=True)
class PersonaPayload:
    """The scenes that changed, in full, the other scenes by summary, and the traits as they stand."""

    entity: str
    time_zone: str
    scenes: tuple[OfferedScene, ...]
    atoms: tuple[OfferedAtom, ...]
    """The atoms under the offered lines: kind and priority tell a standing preference from a report."""
    traits: tuple[OfferedTrait, ...]
    instruction: str = ""


class TraitEdit(Answered):
    """One slot that changes; slots that are not named stay."""

    action: Literal["set", "retract"]
    slot: TraitSlot
    text: str = Field(default="", max_length=TRAIT_TEXT_LIMIT)
    lines: list[str] = Field(default_factory=list)
    """Set: handles of the scene lines it rests on."""
    reason: str = Field(default="", max_length=300)


class PersonaAnswer(Answered):
    """All changed slots; empty says that the persona stands as it is."""

    items: list[TraitEdit]
    nothing_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one item of an answer was not taken; shown in the run and, once, to the model for correction."""

    index: int
    reason: str
    item: dict[str, object] = field(default_factory=dict)
