"""What was not made of messages: recorded, claimed, ruled or corrected by applications and people.

Nothing makes it again, so it goes for telling words only; and a word that it holds is there by right in what
rests on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.models import (
    Atom,
    Correction,
    Entity,
    Erasure,
    Evidence,
    Feedback,
    GraphEdge,
    Line,
    ProcedureLine,
    ProcedureVersion,
    Review,
    SceneVersion,
    Share,
    TaskTrace,
    TraceStep,
    TraitVersion,
    VersionLine,
)
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.parts import in_parts

ALL_INDEPENDENT: frozenset[type[Any]] = frozenset(
    {Correction, Feedback, Review, Erasure, Share, ProcedureLine, ProcedureVersion}
)
"""No row of these was made of messages but by receipts, and receipts are followed before words are sought."""
CLAIMED_OR_WRITTEN: frozenset[type[Any]] = frozenset({Atom, Line, SceneVersion, TraitVersion})

Pairs = Iterable[tuple[UUID, UUID]]


def independent(model: type[Any], rows: QuerySet[Any]) -> QuerySet[Any]:
    """Those of the rows that rest on no message."""
    if model in ALL_INDEPENDENT:
        return rows
    if model is Atom:
        return rows.filter(Exists(_own_claims().filter(of_atom=OuterRef("pk"))))
    if model is GraphEdge:
        return rows.filter(Exists(_own_claims().filter(of_atom=OuterRef("atom"))))
    if model in (Line, TraitVersion, SceneVersion):
        return rows.filter(correction__isnull=False)
    if model is TraceStep:
        return rows.filter(message__isnull=True)
    if model is TaskTrace:
        return rows.exclude(Exists(TraceStep.objects.filter(trace=OuterRef("pk"), message__isnull=False)))
    return rows.none()


def _own_claims() -> QuerySet[Evidence]:
    return Evidence.objects.filter(Q(outside_kind__isnull=False) | Q(correction__isnull=False))


def surviving_sources(
    entity: Entity, affected: Affected, model: type[Any], rows: set[UUID]
) -> Mapping[UUID, list[Any]]:
    """By row, what the independent rows say that it rests on and that stay."""
    follow: Callable[..., Pairs] | None = _FOLLOWED.get(model)
    if follow is None:
        return {}
    said: dict[UUID, list[Any]] = defaultdict(list)
    pairs = list(follow(entity, rows))
    if model in (ProcedureLine, ProcedureVersion):
        _add_skill_inputs(entity, affected, pairs, said)
    else:
        _add_claims(entity, affected, pairs, said)
    return said


def _receipts(entity: Entity) -> QuerySet[Evidence]:
    return Evidence.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk).order_by()


def _pairs(rows: QuerySet[Any], column: str, ids: Iterable[UUID], *wanted: str) -> Iterator[Any]:
    for part in in_parts(sorted(set(ids))):
        yield from rows.filter(**{f"{column}__in": part}).values_list(*wanted)


def _lines_themselves(entity: Entity, rows: set[UUID]) -> Pairs:
    return ((row, row) for row in rows)


def _lines_of_procedures(entity: Entity, rows: set[UUID]) -> Pairs:
    lines = ProcedureLine.objects.for_entity(entity).order_by()
    return _pairs(lines, "version_id", rows, "version_id", "pk")


def _lines_of_scenes(entity: Entity, rows: set[UUID]) -> Pairs:
    places = VersionLine.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk).order_by()
    return _pairs(places, "version_id", rows, "version_id", "line_id")


def _lines_of_traits(entity: Entity, rows: set[UUID]) -> Pairs:
    cited = _receipts(entity).filter(line__isnull=False)
    return _pairs(cited, "of_trait_version_id", rows, "of_trait_version_id", "line_id")


_FOLLOWED: Mapping[type[Any], Callable[[Entity, set[UUID]], Pairs]] = {
    Line: _lines_themselves,
    ProcedureLine: _lines_themselves,
    ProcedureVersion: _lines_of_procedures,
    SceneVersion: _lines_of_scenes,
    TraitVersion: _lines_of_traits,
}
"""To the lines by which rows rest on something."""


def _by_line(pairs: Pairs) -> Mapping[UUID, set[UUID]]:
    owners: dict[UUID, set[UUID]] = defaultdict(set)
    for row, line in pairs:
        owners[line].add(row)
    return owners


def _add_skill_inputs(entity: Entity, affected: Affected, pairs: Pairs, said: dict[UUID, list[Any]]) -> None:
    owners = _by_line(pairs)
    gone = affected.trace_steps | affected.feedback
    for rows, columns in (
        (_receipts(entity).filter(trace_step__isnull=False, trace_step__message__isnull=True), _OF_STEPS),
        (_receipts(entity).filter(feedback__isnull=False), _OF_FEEDBACK),
    ):
        told = _pairs(rows, "of_procedure_line_id", owners, "of_procedure_line_id", *columns)
        for line, source, *texts in told:
            if source not in gone:
                _add(said, owners[line], texts)


_OF_STEPS = ("trace_step_id", "trace_step__text", "trace_step__trace__task")
_OF_FEEDBACK = ("feedback_id", "feedback__comment", "feedback__expected", "feedback__actual")


def _add_claims(entity: Entity, affected: Affected, pairs: Pairs, said: dict[UUID, list[Any]]) -> None:
    owners = _by_line(pairs)
    claims = _receipts(entity).filter(Exists(_own_claims().filter(of_atom=OuterRef("atom"))))
    columns = ("atom_id", "atom__text", "atom__topic", "atom__subject_id", "atom__value")
    for line, atom, *texts in _pairs(claims, "of_line_id", owners, "of_line_id", *columns):
        if atom not in affected.atoms:
            _add(said, owners[line], texts)


def _add(said: dict[UUID, list[Any]], rows: Iterable[UUID], texts: list[Any]) -> None:
    for row in rows:
        said[row].extend(texts)
