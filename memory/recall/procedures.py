"""Reviewed procedures as agents get them: active versions alone, never a draft, best fit first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import queries
from memory.models import Entity
from memory.models.skills import ProcedureSection
from memory.skills.matching import FLOOR, Fit, Request, Triggers

MOST_PROCEDURES = 100
"""The newest so many are held against a request; how many there are stands in the manifest."""
QUERY = "active_procedures"


@dataclass(frozen=True, slots=True)
class ReviewedProcedure:
    """An active version, as a person approved it."""

    version: UUID
    procedure: UUID
    slug: str
    number: int
    title: str
    boundary: str
    """Where the task begins and ends; may be empty."""
    lines: tuple[tuple[str, str], ...]
    """Section and text, in their order."""
    approved_at: datetime | None
    reviewer: str

    def texts(self, section: str) -> tuple[str, ...]:
        """The lines of one section."""
        return tuple(text for name, text in self.lines if name == section)

    @property
    def triggers(self) -> Triggers:
        """What says whether it is for a request."""
        return Triggers(self.title, self.texts(ProcedureSection.WHEN), self.texts(ProcedureSection.WHEN_NOT))


@dataclass(frozen=True, slots=True)
class Procedures:
    """All that may be handed out, and how many there are."""

    found: tuple[ReviewedProcedure, ...] = ()
    total: int = 0

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Procedures:
        """From the rows of the named query."""
        return cls(tuple(_procedure(row) for row in rows), rows[0][-1] if rows else 0)


@dataclass(frozen=True, slots=True)
class Judged:
    """A procedure, and how well it fits a request."""

    procedure: ReviewedProcedure
    fit: Fit

    @property
    def fits(self) -> bool:
        """Whether it may be shown for the request."""
        return self.fit.verdict == "fits"


def parameters(entity: Entity) -> Mapping[str, Any]:
    """What the named query takes."""
    return {"workspace": entity.workspace_id, "entity": entity.pk, "most": MOST_PROCEDURES}


def active_procedures(entity: Entity) -> Procedures:
    """The entity's procedures that may be handed out; one statement."""
    [rows] = queries.kept_rows((QUERY, parameters(entity)))
    return Procedures.of(rows)


def judged(procedures: Procedures, task: str, languages: Sequence[str]) -> tuple[Judged, ...]:
    """Each procedure with its fit, the best first; of equal ones the newest."""
    request = Request(task, languages)
    found = [Judged(procedure, request.fit(procedure.triggers)) for procedure in procedures.found]
    return tuple(sorted(found, key=lambda one: -one.fit.score))


def account_of(procedures: Procedures, found: Sequence[Judged]) -> dict[str, Any]:
    """What a manifest says of them: no words, only ids, numbers and scores of those that share a word."""
    return {
        "active": procedures.total,
        "floor": FLOOR,
        "found": [
            {
                "procedure": str(one.procedure.procedure),
                "version": str(one.procedure.version),
                "number": one.procedure.number,
                "score": round(one.fit.score, 4),
                "verdict": one.fit.verdict,
            }
            for one in found
            if one.fit.score > 0
        ],
    }


def _procedure(row: Sequence[Any]) -> ReviewedProcedure:
    version, procedure, slug, number, title, boundary, lines, approved_at, reviewer, _ = row
    return ReviewedProcedure(
        version=version,
        procedure=procedure,
        slug=slug,
        number=number,
        title=title,
        boundary=boundary,
        lines=tuple((section, text) for section, text in queries.json_value(lines) or ()),
        approved_at=approved_at,
        reviewer=reviewer,
    )
