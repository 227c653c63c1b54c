"""Checks that a memory is whole, whatever processes died while it was made. Reads only, of one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from memory import queries
from memory.models import (
    Atom,
    Digest,
    Entity,
    Evidence,
    GraphEdge,
    Line,
    Message,
    ProcedureVersion,
    Run,
    SceneVersion,
    SearchUnit,
    Session,
    TraitVersion,
)
from memory.stewardship.verifying import (
    at_rest,
    database,
    erased,
    evidence,
    graph,
    layers,
    search,
    skills,
    work,
)
from memory.stewardship.verifying.checks import Check, Problem

__all__ = ["Problem", "Report", "inspect", "verify"]

MOST_TOLD = 1_000
"""Breaches of one rule that are named: a database that is broken all over must not fill the memory."""
ALWAYS: tuple[Check, ...] = (
    *evidence.CHECKS,
    *layers.CHECKS,
    *work.CHECKS,
    *skills.CHECKS,
    *graph.CHECKS,
    *search.CHECKS,
    *erased.CHECKS,
)
WHEN_SETTLED: tuple[Check, ...] = (*work.WHEN_SETTLED, *graph.WHEN_SETTLED, *at_rest.WHEN_SETTLED)
COUNTED: dict[str, type[Any]] = {
    "sessions": Session,
    "messages": Message,
    "digests": Digest,
    "atoms": Atom,
    "scene versions": SceneVersion,
    "lines": Line,
    "trait versions": TraitVersion,
    "procedure versions": ProcedureVersion,
    "receipts": Evidence,
    "edges": GraphEdge,
    "search units": SearchUnit,
    "runs": Run,
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a look at everything found."""

    problems: tuple[Problem, ...]
    rules: int
    """How many rules were looked at."""
    rows: Mapping[str, int]
    """How many rows of each sort stand under them."""
    cut: tuple[str, ...]
    """Rules with more breaches than are named."""


def verify(entity: Entity | None = None, *, is_settled: bool = False) -> list[Problem]:
    """Every problem of one entity, or of all; an empty list is what one hopes for.

    Work under way is no problem. `is_settled` says that the cascade should be at rest: then whatever waits,
    runs, is leased or has lost its ground is one too. Parked inputs are visible elsewhere and no problem as
    long as a failed run says why. Of one rule at most `MOST_TOLD` breaches are named.
    """
    checks = (*ALWAYS, *WHEN_SETTLED) if is_settled else ALWAYS
    with _one_moment():
        return [problem for check in checks for problem in check.problems(entity, MOST_TOLD)]


def inspect(entity: Entity | None = None, *, is_settled: bool = False) -> Report:
    """The same with what was looked at; of all entities also whether the database keeps its rules."""
    checks = (*ALWAYS, *WHEN_SETTLED) if is_settled else ALWAYS
    with _one_moment():
        problems = verify(entity, is_settled=is_settled)
        rules = {check.kind for check in checks}
        if entity is None:
            problems += database.problems(MOST_TOLD)
            rules |= database.KINDS
        rows = {name: _count(model, entity) for name, model in COUNTED.items()}
    told = Counter(problem.kind for problem in problems)
    cut = tuple(sorted(kind for kind, count in told.items() if count >= MOST_TOLD))
    return Report(tuple(problems), len(rules), rows, cut)


@contextmanager
def _one_moment() -> Iterator[None]:
    """All is read as of one moment, so that a system at work gives no false alarm; and nothing is written.

    Within somebody's transaction it is that one's view.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(durable=True):
        queries.run("export_snapshot")
        yield


def _count(model: type[Any], entity: Entity | None) -> int:
    rows = model.objects.all()
    if entity is not None:
        rows = rows.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    return int(rows.count())
