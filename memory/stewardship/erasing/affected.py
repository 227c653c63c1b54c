"""Everything that an erase would touch, as ids: found by reading alone, for the preview and for the deed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from uuid import UUID

from memory.stewardship.erasing.needles import Needles

Ids = set[UUID]

COUNTED_BESIDE = frozenset({"active_procedures", "reviewed_versions"})
"""Counts that tell of rows which another count holds already."""


@dataclass(slots=True)
class Affected:
    """Ids by what becomes of the rows."""

    messages: Ids = field(default_factory=set)
    sessions: Ids = field(default_factory=set)
    """Left without a message, or chosen whole: they go."""
    renamed_sessions: Ids = field(default_factory=set)
    """Stay, but their title or external id holds erased words."""
    digests: Ids = field(default_factory=set)
    folded_sessions: Ids = field(default_factory=set)
    """Stay and are folded, or briefed, anew."""
    atoms: Ids = field(default_factory=set)
    edges: Ids = field(default_factory=set)
    live_values: Ids = field(default_factory=set)
    lines: Ids = field(default_factory=set)
    """Lose their text and their receipts, and leave the live scene."""
    scene_versions: Ids = field(default_factory=set)
    """Lose title and summary."""
    trait_versions: Ids = field(default_factory=set)
    corrections: Ids = field(default_factory=set)
    trace_steps: Ids = field(default_factory=set)
    traces: Ids = field(default_factory=set)
    """Their task or note holds erased words, or a step of them goes."""
    feedback: Ids = field(default_factory=set)
    procedure_lines: Ids = field(default_factory=set)
    procedure_versions: Ids = field(default_factory=set)
    active_procedures: Ids = field(default_factory=set)
    """Those of the versions that are handed to agents: afterwards none is, until a person approves one."""
    reviewed_versions: Ids = field(default_factory=set)
    """Those of the versions that people decided about."""
    reviews: Ids = field(default_factory=set)
    uses: Ids = field(default_factory=set)
    runs: Ids = field(default_factory=set)
    erasures: Ids = field(default_factory=set)
    shares: Ids = field(default_factory=set)
    log_entries: set[int] = field(default_factory=set)
    messages_again: Ids = field(default_factory=set)
    """Survive, and are read again: atoms that rested on them too are withdrawn."""
    needles: Needles = field(default_factory=lambda: Needles((), ()))
    """The distinctive words that were looked for in what was derived."""
    telling: Needles = field(default_factory=lambda: Needles((), ()))
    """Those that were looked for in what people and applications wrote themselves."""

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each sort; sorts without rows are left out."""
        names = [part.name for part in fields(self) if part.name not in ("needles", "telling")]
        sizes = {name: len(getattr(self, name)) for name in names}
        return {name: size for name, size in sizes.items() if size}

    @property
    def memory_rows(self) -> Ids:
        """The rows by which runs, uses, corrections and the admin's log tell what they were about."""
        return set().union(
            *(self.messages, self.sessions, self.digests, self.atoms, self.edges, self.lines),
            *(self.scene_versions, self.trait_versions, self.trace_steps, self.feedback),
            *(self.procedure_lines, self.procedure_versions),
        )

    @property
    def ground(self) -> str:
        """Digest of the rows of memory that go: another selection, or more of it, has another one."""
        rows = sorted(row.bytes for row in self.memory_rows | self.traces)
        return hashlib.sha256(b"".join(rows)).hexdigest()
