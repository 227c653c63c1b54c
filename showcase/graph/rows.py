"""Rows of the ladder as the graph reads them: some by themselves, the others counted in their groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from uuid import UUID

LAYER_LIMIT = 30
"""A layer with more rows than this is shown in groups."""
GROUPS_LIMIT = 24
"""Of more groups the latest sessions and the largest topics are shown, the others together."""
SHOWN_LIMIT = 120
"""Rows of a layer that stand for themselves in opened groups."""
LINES_LIMIT = 40
"""With more lines than this, scenes are closed until they are opened."""


def key(kind: str, id: UUID | str) -> str:
    """The name of a node: also its place on the page."""
    return f"{kind}-{id}"


def topic_key(topic: str) -> str:
    """The name of the group of a topic, which may hold any words."""
    return key("topic", blake2b(topic.encode(), digest_size=6).hexdigest())


@dataclass(frozen=True, slots=True)
class Group:
    """A session or a topic, and how many rows are in it."""

    key: str
    name: str
    count: int
    past: int = 0
    """Atoms among them that no longer hold."""
    id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A message."""

    id: UUID
    group: str
    speaker: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Claim:
    """An atom; `successor` is the one that superseded it."""

    id: UUID
    group: str
    chain: UUID
    kind: str
    priority: int
    status: str
    text: str
    successor: UUID | None
    seq: int


@dataclass(frozen=True, slots=True)
class SceneLine:
    """A line of a scene; without a position it stands in an earlier version, and a trait rests on it."""

    id: UUID
    scene: UUID
    section: str
    text: str
    position: int | None


@dataclass(frozen=True, slots=True)
class SceneHead:
    """The current version of a live scene."""

    id: UUID
    title: str
    number: int


@dataclass(frozen=True, slots=True)
class TraitHead:
    """What the persona says in a slot."""

    id: UUID
    version: UUID
    slot: str
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Receipts:
    """Rows of evidence between the same two nodes; `lower` is empty for what is beside the ladder."""

    upper: str
    lower: str
    count: int
    beside: str = ""
    """`correction` or `outside`."""


@dataclass(frozen=True, slots=True)
class Read:
    """Everything that was read."""

    all_sessions: tuple[Group, ...]
    sessions: tuple[Group, ...]
    """Those with messages that are followed."""
    messages: tuple[Said, ...]
    topics: tuple[Group, ...]
    atoms: tuple[Claim, ...]
    scenes: tuple[SceneHead, ...]
    lines: tuple[SceneLine, ...]
    traits: tuple[TraitHead, ...]
    receipts: tuple[Receipts, ...]
    near: frozenset[UUID] = frozenset()
    """What is connected with the row that stands out; empty without one."""
    is_cut: bool = False
    """More rows were found than are followed."""

    @property
    def message_count(self) -> int:
        """All messages, grouped or not."""
        return sum(group.count for group in self.sessions)

    @property
    def atom_count(self) -> int:
        """All atoms, grouped or not."""
        return sum(group.count for group in self.topics)
