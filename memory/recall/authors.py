"""Who wrote a line, a version or a wording: a run, a person, or what an erase left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from memory.models import Entity, Line, Run, SceneVersion, TraitVersion

Written = Line | SceneVersion | TraitVersion


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote something."""

    kind: Literal["run", "person", "erase"]
    """`erase`: neither a run nor a person; what was left when words went."""
    id: UUID | None
    """Of the run or of the person's correction; a run may be gone by its retention."""
    name: str
    """The model, or the person's; empty when it is not known any more."""
    reason: str = ""
    """Why a person changed it, where they said so."""


def runs_of(entity: Entity, rows: Iterable[Written]) -> Mapping[UUID, Run]:
    """The runs behind rows, in one statement, without what they recorded."""
    ids = {row.run_id for row in rows if row.run_id is not None}
    found = Run.objects.for_entity(entity).filter(pk__in=ids).only("model", "step") if ids else ()
    return {run.pk: run for run in found}


def author_of(row: Written, runs: Mapping[UUID, Run]) -> Author:
    """The author of a row whose correction is loaded with its user and key."""
    made = row.correction
    if made is not None:
        name = made.user.get_username() if made.user is not None else made.by
        return Author("person", made.pk, name or (made.key.label if made.key else ""), made.reason)
    if row.run_id is None:
        return Author("erase", None, "")
    run = runs.get(row.run_id)
    return Author("run", row.run_id, (run.model or run.step) if run is not None else "")
