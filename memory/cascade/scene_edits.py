"""Scene edits that may be written: handles resolved to ids, every line with its receipts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from memory.cascade.contract import SectionSlug


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line to be written, in the place of `replaces` or at the end of its section."""

    section: SectionSlug
    text: str
    atoms: tuple[UUID, ...]
    replaces: UUID | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """One accepted edit of one scene."""

    index: int
    action: Literal["create", "update", "merge", "retire"]
    scene_id: UUID | None
    """None for a create."""
    title: str
    """Empty keeps the title."""
    summary: str
    lines: tuple[NewLine, ...] = ()
    removed: frozenset[UUID] = frozenset()
    merged: tuple[UUID, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = field(default=())
    """What code changed about it."""
