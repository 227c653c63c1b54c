"""What a context holds whatever is asked: traits, rules, scenes, procedures. One statement for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import sql

from memory import queries
from memory.models import Authority, Entity, Section
from memory.recall import procedures
from memory.recall.context.prefix_blocks import Rule, TraitWords
from memory.recall.ladder import SECTION_ORDER
from memory.recall.procedures import Procedures
from memory.recall.records import LineRecord, SceneRecord, SectionRecord

ENGLISH = ("en",)


class Row(NamedTuple):
    """A row of the statement; which columns say something depends on its sort."""

    sort: str
    place: int
    id: UUID
    parent: UUID
    name: str
    text: str
    more: str
    number: int
    total: int
    is_marked: bool
    at: datetime
    who: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Rows that depend on no request."""

    traits: tuple[TraitWords, ...] = ()
    rules: tuple[Rule, ...] = ()
    """Those that hold, at or above the floor, most important first."""
    scenes: tuple[SceneRecord, ...] = ()
    """In slot order; without lines they have no sections."""
    atoms_of_lines: Mapping[UUID, tuple[tuple[UUID, str], ...]] = field(default_factory=dict)
    """The live atoms, with their texts, that each standing line rests on."""
    messages_of_atoms: Mapping[UUID, frozenset[UUID]] = field(default_factory=dict)
    """The messages that the rules and the atoms under lines cite."""
    procedures: Procedures = field(default_factory=Procedures)
    languages: tuple[str, ...] = ENGLISH
    """Of the entity's words; English while none is known."""


def asked(entity: Entity, *, floor: int, with_lines: bool) -> tuple[str, Mapping[str, Any]]:
    """The statement and its parameters, as `queries.kept_texts` takes them.

    `with_lines` asks for the lines of scenes and what they rest on too.
    """
    parameters = {**procedures.parameters(entity), "floor": floor, "with_lines": with_lines}
    return _text(), parameters


def read_standing(entity: Entity, *, floor: int) -> Standing:
    """All of it with the lines of the scenes; one statement, whatever there is."""
    [rows] = queries.kept_texts(asked(entity, floor=floor, with_lines=True))
    return standing_of(rows)


@cache
def _text() -> str:
    reviewed = sql.SQL(queries.statement(procedures.QUERY))
    return queries.with_literals(queries.statement("standing"), {"procedures": reviewed})


def standing_of(rows: Sequence[Sequence[Any]]) -> Standing:
    """From the rows of the statement."""
    found: dict[str, list[Row]] = {}
    for row in map(Row._make, rows):
        found.setdefault(row.sort, []).append(row)
    languages = found.get("languages")
    return Standing(
        traits=tuple(TraitWords(row.id, row.name, row.text) for row in found.get("trait", ())),
        rules=tuple(map(_rule, found.get("rule", ()))),
        scenes=tuple(_scenes(found)),
        atoms_of_lines=_atoms_of_lines(found.get("told", ())),
        messages_of_atoms=_messages_of_atoms(found.get("cites", ())),
        procedures=Procedures.of([_procedure(row) for row in found.get("procedure", ())]),
        languages=tuple(queries.json_value(languages[0].text) or ENGLISH) if languages else ENGLISH,
    )


def _rule(row: Row) -> Rule:
    who = "" if row.total == Authority.USER else str(Authority(row.total).label)
    return Rule(row.id, row.text, row.number, row.name, who)


def _scenes(found: Mapping[str, Sequence[Row]]) -> Iterator[SceneRecord]:
    due = {row.parent: row.number for row in found.get("due", ())}
    lines: dict[UUID, list[Row]] = {}
    for row in found.get("line", ()):
        lines.setdefault(row.parent, []).append(row)
    for row in found.get("scene", ()):
        yield SceneRecord(
            id=row.id,
            version_id=row.parent,
            slot=row.total,
            title=row.name,
            number=row.number,
            summary=row.text,
            sections=_sections(lines.get(row.id, ())),
            due=due.get(row.id, 0),
            updated_at=row.at,
        )


def _sections(lines: Sequence[Row]) -> tuple[SectionRecord, ...]:
    # The sort is stable: within a section the lines keep their order.
    ordered = sorted(lines, key=lambda line: SECTION_ORDER[line.name])
    return tuple(
        SectionRecord(
            section=section,
            heading=Section(section).label,
            lines=tuple(LineRecord(line.id, line.text, line.is_marked) for line in found),
        )
        for section, found in groupby(ordered, key=lambda line: line.name)
    )


def _atoms_of_lines(rows: Sequence[Row]) -> Mapping[UUID, tuple[tuple[UUID, str], ...]]:
    atoms: dict[UUID, list[tuple[UUID, str]]] = {}
    for row in rows:
        atoms.setdefault(row.parent, []).append((row.id, row.text))
    return {line: tuple(found) for line, found in atoms.items()}


def _messages_of_atoms(rows: Sequence[Row]) -> Mapping[UUID, frozenset[UUID]]:
    messages: dict[UUID, set[UUID]] = {}
    for row in rows:
        messages.setdefault(row.parent, set()).add(row.id)
    return {atom: frozenset(found) for atom, found in messages.items()}


def _procedure(row: Row) -> tuple[Any, ...]:
    """As the named query of the procedures gives it by itself."""
    reviewer, lines = queries.json_value(row.who)
    return row.id, row.parent, row.name, row.number, row.text, row.more, lines, row.at, reviewer, row.total
