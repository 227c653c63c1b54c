"""Who wrote something, as a page says it; and what a run noted when it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.models import Entity, Run
from memory.recall.authors import Author
from memory.recall.short_ids import short_id
from showcase.access import Place, Scope
from showcase.links import trace_url
from showcase.parts import Fact

Notes = Mapping[UUID, tuple[Mapping[str, Any], ...]]
"""What runs noted about the items of their answers, by run."""


@dataclass(frozen=True, slots=True)
class Signature:
    """An author in words. `url` leads to the run, or to a person's change, and `reason` says why of that."""

    text: str
    url: str = ""
    reason: str = ""


def signed(scope: Scope, author: Author) -> Signature:
    """The signature of an author. Names of people are for members: elsewhere it is a person."""
    if author.kind == "erase":
        return Signature("an erase")
    if author.kind == "person":
        name = author.name if scope.place is Place.LIVE else ""
        return Signature(name or "a person", trace_url(scope, author.id) if author.id else "", author.reason)
    run = f"run {short_id(author.id)}" if author.id else "a run"
    url = trace_url(scope, author.id) if author.id else ""
    return Signature(f"{run} with {author.name}" if author.name else run, url)


def run_fact(scope: Scope, name: str, run: UUID | None) -> Fact:
    """A run that leads to its trace; without a value where there is none."""
    return Fact(name, f"run {short_id(run)}", url=trace_url(scope, run)) if run else Fact(name)


def notes_of(entity: Entity, runs: Iterable[UUID | None]) -> Notes:
    """What runs noted; one statement, none without runs."""
    ids = {run for run in runs if run is not None}
    found = Run.objects.for_entity(entity).filter(pk__in=ids).values_list("pk", "decisions") if ids else ()
    return {pk: tuple(note for note in notes if isinstance(note, dict)) for pk, notes in found}


def run_of(author: Author) -> UUID | None:
    """The run that wrote something; None where none did."""
    return author.id if author.kind == "run" else None


def why(notes: Notes, run: UUID | None, **wanted: object) -> tuple[str, str]:
    """The outcome and the reason of the note that says all that is wanted; empty texts if none does."""
    for note in notes.get(run, ()) if run else ():
        if all(note.get(name) == value for name, value in wanted.items()):
            return str(note.get("outcome", "")), str(note.get("reason") or "")
    return "", ""
