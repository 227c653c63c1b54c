"""What runs noted about single items of a model's answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from uuid import UUID

from memory.models import Run
from memory.recall.short_ids import short_id

_HANDLE = re.compile(r"\b[an]\d+\b")


def read_skips(runs: Iterable[Run]) -> dict[UUID, str]:
    """Why each repeated atom needed no new one, by the atom; what holds no reason is left out."""
    return {
        UUID(atom): with_ids(str(note["reason"]), note["atoms"])
        for run in runs
        for note in run.decisions
        if note.get("outcome") == "skip" and note.get("reason")
        for atom in note.get("atoms", ())
    }


def with_ids(reason: str, atoms: Sequence[str]) -> str:
    """The reason with the handle of its one atom, which only the model's prompt explains, as a short id."""
    return _HANDLE.sub(short_id(UUID(atoms[0])), reason) if len(atoms) == 1 else reason


def read_drops(runs: Iterable[Run]) -> tuple[str, ...]:
    """Why items were not taken, in the order of the answers."""
    return tuple(
        str(note["reason"])
        for run in sorted(runs, key=lambda run: run.started_at)
        for note in run.decisions
        if note.get("outcome") == "dropped" and note.get("reason")
    )
