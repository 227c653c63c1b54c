"""What scenes and the persona give back."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memory.client.record_results import Trait
from memory.client.results import Result


class Author(Result):
    """Who wrote something: a `run` by its model, a `person`, or what an `erase` left."""

    kind: str
    id: UUID | None = None
    name: str = ""
    reason: str = ""


class SceneSummary(Result):
    """A scene by its current version."""

    id: UUID
    slug: str
    status: str
    slot: int | None = None
    heat: int = 0
    title: str
    summary: str = ""
    number: int
    version: UUID
    merged_into: UUID | None = None
    created_at: datetime
    updated_at: datetime


class LineEvidence(Result):
    """A claim that a line rests on, or the person's change that made it."""

    kind: str
    id: UUID
    short_id: str = ""
    text: str
    status: str = ""


class SceneLine(Result):
    """A line of a version."""

    id: UUID
    section: str
    heading: str = ""
    """The section's, for people."""
    text: str
    is_pinned: bool = False
    is_due: bool = False
    """It waits to be rewritten, since something under it no longer holds."""
    atoms: tuple[UUID, ...] = ()
    author: Author
    evidence: tuple[LineEvidence, ...] = ()


class SceneVersion(Result):
    """A version line by line, and as Markdown."""

    id: UUID
    number: int
    is_head: bool
    title: str
    summary: str = ""
    created_at: datetime
    author: Author
    lines: tuple[SceneLine, ...] = ()
    markdown: str = ""


class Scene(Result):
    """A scene in one of its versions."""

    entity: str
    scene: SceneSummary
    version: SceneVersion


class SceneVersionSummary(Result):
    """A version, and how many lines it changed against the one before."""

    id: UUID
    number: int
    is_head: bool
    title: str
    summary: str = ""
    created_at: datetime
    author: Author
    added: int = 0
    removed: int = 0
    reworded: int = 0


class WordPiece(Result):
    """A piece of a text: `equal`, `delete` or `insert`."""

    edit: str
    text: str


class ComparedLine(Result):
    """A line that came, went, or was reworded."""

    change: str
    section: str
    line_before: UUID | None = None
    line_after: UUID | None = None
    before: str | None = None
    after: str | None = None
    words: tuple[WordPiece, ...] = ()


class SceneDifference(Result):
    """Two versions of a scene, compared; lines that stayed are left out."""

    from_number: int
    to_number: int
    title_before: str = ""
    title_after: str = ""
    changes: tuple[ComparedLine, ...] = ()
    unchanged: int = 0


class DifferenceReply(Result):
    """As the server wraps it."""

    difference: SceneDifference


class VersionReply(Result):
    """As the server wraps it."""

    version: SceneVersion


class PersonaReply(Result):
    """As the server wraps it."""

    traits: tuple[Trait, ...] = ()


class TraitEvidence(Result):
    """A line that a wording was drawn from, or the person's change that made it."""

    kind: str
    id: UUID
    short_id: str = ""
    text: str = ""
    section: str = ""
    scene: UUID | None = None


class Wording(Result):
    """What a trait said at a time; without text where the words were erased."""

    id: UUID
    number: int
    is_head: bool
    text: str = ""
    created_at: datetime
    author: Author
    evidence: tuple[TraitEvidence, ...] = ()
