"""The database itself: its rules are in force, every reference leads somewhere, sequences are ahead.

A restore that was broken off, or done with triggers put aside, leaves tables that look whole and hold nothing
to its rules any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.apps import apps
from django.db.models import CheckConstraint, UniqueConstraint
from psycopg import sql

import memory
from memory import queries
from memory.stewardship.verifying.checks import Problem

MIGRATIONS = Path(memory.__file__).parent / "migrations" / "sql"
KINDS = frozenset({"rule_missing", "rule_off", "reference_broken", "sequence_behind"})
_MADE = re.compile(r"^(?:ALTER TABLE \w+ ADD CONSTRAINT|CREATE (?:CONSTRAINT )?TRIGGER) (\w+)", re.MULTILINE)
_NUMBERED = re.compile(r"\d{4}_\w+(?<!_reverse)\.sql")


def problems(most: int) -> Iterator[Problem]:
    """What is wrong with the database of all entities: not more than `most` of each kind of breach."""
    yield from _rules()
    yield from _references(most)
    yield from _sequences()


@cache
def declared_rules() -> frozenset[str]:
    """Names of the constraints and triggers that models and migrations make."""
    of_models = {
        rule.name
        for model in apps.get_app_config("memory").get_models()
        for rule in model._meta.constraints
        if isinstance(rule, CheckConstraint | UniqueConstraint)
    }
    files = (path for path in MIGRATIONS.iterdir() if _NUMBERED.fullmatch(path.name))
    return frozenset(of_models.union(*(_MADE.findall(path.read_text(encoding="utf-8")) for path in files)))


def _rules() -> Iterator[Problem]:
    stands: dict[str, bool] = {}
    tables: dict[str, str] = {}
    for table, name, is_in_force in queries.rows("verify_rules"):
        stands[name] = stands.get(name, True) and is_in_force
        tables[name] = table
    for name in sorted(declared_rules() - stands.keys()):
        yield Problem("rule_missing", "", name, "a constraint or trigger that the database has lost")
    for name in sorted(name for name, is_in_force in stands.items() if not is_in_force):
        yield Problem("rule_off", "", f"{tables[name]} {name}", "is there, but not in force")


def _references(most: int) -> Iterator[Problem]:
    for name, child, key, parent, columns, targets in queries.rows("verify_references"):
        pairs = list(zip(columns, targets, strict=True))
        found = queries.rows_of(
            "verify_reference",
            names={
                "child": sql.Identifier(child),
                "key": _of("child", key),
                "parent": sql.Identifier(parent),
                "same": _all("{0} = {1}", *((_of("child", own), _of("parent", its)) for own, its in pairs)),
                "is_set": _all("{0} IS NOT NULL", *((_of("child", own),) for own, _ in pairs)),
                "is_gone": _all("{0} IS NULL", (_of("parent", targets[-1]),)),
            },
            most=most,
        )
        for (row,) in found:
            yield Problem("reference_broken", "", f"{child} {row}", f"points to nothing: {name}")


def _of(table: str, column: str) -> sql.Identifier:
    return sql.Identifier(table, column)


def _all(condition: str, *parts: tuple[sql.Identifier, ...]) -> sql.Composed:
    return sql.SQL(" AND ").join(sql.SQL(condition).format(*part) for part in parts)


def _sequences() -> Iterator[Problem]:
    """A sequence behind its rows gives a number that is taken: the next write fails."""
    greatest, following = queries.one("verify_numbers")
    if following <= greatest:
        yield Problem("sequence_behind", "", "memory_record_number", _behind(following, greatest))
    for table, column, sequence in queries.rows("verify_identities"):
        [(greatest, following)] = queries.rows_of(
            "verify_identity",
            names={
                "column": sql.Identifier(column),
                "relation": sql.Identifier(table),
                "sequence": sql.Identifier(*sequence.split(".")),
            },
        )
        if following <= greatest:
            yield Problem("sequence_behind", "", f"{table} {column}", _behind(following, greatest))


def _behind(following: int, greatest: int) -> str:
    return f"would give {following} next, {greatest} is taken"
