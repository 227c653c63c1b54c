"""What a plan says of a statement: how each table of the memory is reached.

The server reads the statements, not a parser of ours. Sequential scans, hash joins and merge joins are made
unattractive, so that a plan names the keys of its joins beside the tables, also in an empty database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from memory import queries
from tests.scaling.conditions import Equality, equalities, without_own_columns

OFF = ("seqscan", "hashjoin", "mergejoin", "material", "memoize", "indexonlyscan")
CONDITIONS = ("Index Cond", "Recheck Cond", "Filter")
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
OWNER = "entity_id"
NO_ROW = {OWNER, "workspace_id", "space_id", "user_id", "run_id"}
"""Ids that many rows share, or that name no row of the memory."""
KEYS = {"id", "row", "digest"}
"""Beside every column that ends with `_id`: by these one row, or the few that hang on one, are found."""


@dataclass(frozen=True, slots=True, order=True)
class Scan:
    """How a statement reaches one table."""

    table: str
    is_bound: bool
    """By the entity, or by the key of a row that is given or was itself read within bounds."""
    names_workspace: bool


def scans_of_named(name: str, *, literals: Mapping[str, object] | None = None) -> list[Scan]:
    """Of a named query as the server keeps it."""
    return scans_of_plan(kept_plan(name, literals=literals))


def kept_plan(name: str, *, literals: Mapping[str, object] | None = None) -> Mapping[str, Any]:
    """The plan of a named query as the server keeps it: made without knowing the values."""
    text = queries.statement(name)
    if literals:
        text = queries.with_literals(text, literals)
    names = list(dict.fromkeys(PLACEHOLDER.findall(text)))
    numbered = PLACEHOLDER.sub(lambda found: f"${names.index(found[1]) + 1}", text).replace("%%", "%")
    values = f"({', '.join(['NULL'] * len(names))})" if names else ""
    with planner() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE looked_at AS {numbered}")
        try:
            cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE looked_at{values}")
            return plan_of(cursor)
        finally:
            cursor.execute("DEALLOCATE looked_at")


def scans_of_sent(text: str, values: Any) -> list[Scan]:
    """Of a statement as it was sent, for its values."""
    with planner() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", values)
        return scans_of_plan(plan_of(cursor))


@contextmanager
def planner() -> Iterator[Any]:
    """A cursor under these settings, which end with the block."""
    with transaction.atomic(), connection.cursor() as cursor:
        for name in OFF:
            cursor.execute(f"SET LOCAL enable_{name} = off")
        yield cursor
        transaction.set_rollback(True)


def plan_of(cursor: Any) -> Mapping[str, Any]:
    """The plan that the cursor was told as JSON."""
    (told,) = cursor.fetchone()
    plan: Mapping[str, Any] = (json.loads(told) if isinstance(told, str) else told)[0]["Plan"]
    return plan


def scans_of_plan(plan: Mapping[str, Any]) -> list[Scan]:
    """Every table of the memory that it reads. Where rows are only added there is nothing to bind."""
    nodes = list(nodes_of(plan))
    tables = {
        node["Alias"]: node["Relation Name"]
        for node in nodes
        if "Relation Name" in node and node["Node Type"] != "ModifyTable"
    }
    held = _held(nodes, tables)
    bound = _bound(tables, held)
    return [
        Scan(table, alias in bound, _names_workspace(table, held[alias]))
        for alias, table in tables.items()
        if table.startswith("memory_")
    ]


def nodes_of(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A node of a plan and all under it."""
    yield node
    for child in node.get("Plans", ()):
        yield from nodes_of(child)


def _held(nodes: Iterable[Mapping[str, Any]], tables: Mapping[str, str]) -> dict[str, list[Equality]]:
    """By alias: which columns of the table are held to something, and to the rows of which tables."""
    held: dict[str, list[Equality]] = {alias: [] for alias in tables}
    for node in nodes:
        # The index scan under a bitmap has no table; its condition is told once more above it.
        for name in CONDITIONS if "Alias" in node else ("Join Filter",):
            condition = node.get(name, "")
            if name == "Filter":
                condition = without_own_columns(condition)
            for one in equalities(condition, own=node.get("Alias", ""), is_key=_is_key):
                if one.alias in held:
                    others = frozenset(alias for alias in one.others if alias in tables)
                    held[one.alias].append(Equality(one.alias, one.column, others))
    return held


def _bound(tables: Mapping[str, str], held: Mapping[str, list[Equality]]) -> set[str]:
    """From what is held to values on to what is held to rows of what is bound already."""
    bound: set[str] = set()
    while True:
        more = {
            alias
            for alias, table in tables.items()
            if alias not in bound
            and any(
                (_is_key(one.column) or one.column == OWNER) and one.others <= bound for one in held[alias]
            )
        }
        if not more:
            return bound
        bound |= more


def _is_key(column: str) -> bool:
    return column in KEYS or (column.endswith("_id") and column not in NO_ROW)


def _names_workspace(table: str, held: Iterable[Equality]) -> bool:
    name = "id" if table == "memory_workspace" else "workspace_id"
    return any(one.column == name for one in held)
