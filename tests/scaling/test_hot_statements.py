"""Every statement that somebody waits for is bound by an entity, or by keys that were read under one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from psycopg import sql

from memory import queries
from memory.models.base import new_id
from tests.scaling.bounds import Scan, planner, scans_of_named, scans_of_sent
from tests.scaling.doors import sent_through_doors
from tests.scaling.exceptions import COLD, REACH_MORE, SHARED, WITHOUT_PLAN, is_cold
from tests.scaling.large import Large

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"
HEADING = "### Statements that name no workspace for some tables"
BY_MODELS = "models"
"""In the place of a name, for statements that Django wrote."""
NAME = re.compile(r"^/\* (\w+) \*/")
FILLED: Mapping[str, Mapping[str, Any]] = {
    "search_vectors_by_index": {"entity": new_id(), "space": 1, "dimensions": 16},
    "timeline_places": {"most": 101},
    "standing": {"procedures": sql.SQL(queries.statement("active_procedures"))},
}
ENTITY = "'01900000-0000-7000-8000-000000000000'"


def names() -> list[str]:
    """Of all named queries."""
    return sorted(path.stem for path in queries.FOLDER.glob("*.sql"))


def named_scans() -> set[tuple[str, Scan]]:
    """The same of named queries alone, as the server plans them at this moment."""
    hot = [name for name in names() if not is_cold(name) and name not in WITHOUT_PLAN]
    return {(name, scan) for name in hot for scan in scans_of_named(name, literals=FILLED.get(name))}


def beyond(scans: Iterable[tuple[str, Scan]]) -> set[tuple[str, str]]:
    """Queries and tables that are reached beyond an entity, shared tables left out."""
    return {(name, scan.table) for name, scan in scans if not scan.is_bound and scan.table not in SHARED}


@cache
def hot_scans() -> frozenset[tuple[str, Scan]]:
    """Every table that a hot statement reaches, with the query's name."""
    found = named_scans()
    for text, values in chain.from_iterable(sent_through_doors().values()):
        name = NAME.match(text)
        found |= {(name[1] if name else BY_MODELS, scan) for scan in scans_of_sent(text, values)}
    return frozenset(found)


@pytest.mark.django_db
def test_what_is_reached_belongs_to_one_entity() -> None:
    assert beyond(hot_scans()) == set(REACH_MORE)
    assert {scan.table for _, scan in hot_scans() if not scan.is_bound} >= set(SHARED)


@pytest.mark.django_db
def test_nor_is_more_reached_where_tables_are_large(large: Large) -> None:
    """The server then may read a subquery once, for all rows."""
    assert large.entity.pk is not None
    assert beyond(named_scans()) <= set(REACH_MORE)


@pytest.mark.django_db
def test_the_document_names_what_lacks_the_workspace() -> None:
    lacking = defaultdict(set)
    for name, scan in hot_scans():
        if not scan.names_workspace and name != BY_MODELS:
            lacking[name].add(scan.table.removeprefix("memory_"))
    assert documented() == {name: ", ".join(sorted(tables)) for name, tables in lacking.items()}


def documented() -> dict[str, str]:
    """The rows of the document's table."""
    _, _, part = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)
    return dict(re.findall(r"^\| `([^`]+)` \| ([a-z_, ]+) \|$", part, re.MULTILINE))


def test_what_is_left_out_is_there() -> None:
    assert {start for start in COLD if not any(name.startswith(start) for name in names())} == set()
    assert set(WITHOUT_PLAN) <= set(names())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("condition", "is_bound", "names_workspace"),
    [
        (f"atom.entity_id = {ENTITY}", True, False),
        (f"atom.workspace_id = {ENTITY}", False, True),
        (f"atom.id = {ENTITY} AND atom.workspace_id = {ENTITY}", True, True),
        (f"(atom.entity_id = {ENTITY} OR atom.kind = 'persona')", False, False),
        ("atom.id IN (SELECT of_atom_id FROM memory_evidence receipt)", False, False),
        (f"atom.id IN (SELECT of_atom_id FROM memory_evidence WHERE entity_id = {ENTITY})", True, False),
        ("atom.id = atom.superseded_by_id", False, False),
        ("atom.status = 'live' OR atom.topic = 'entity_id = '''", False, False),
    ],
)
def test_the_reader_of_plans_tells_them_apart(condition: str, is_bound: bool, names_workspace: bool) -> None:
    found = scans_of_sent(f"SELECT text FROM memory_atom atom WHERE {condition}", None)
    atoms = [scan for scan in found if scan.table == "memory_atom"]
    assert atoms == [Scan("memory_atom", is_bound, names_workspace)]


@pytest.mark.django_db
def test_a_look_up_of_what_is_unbound_is_unbound_too() -> None:
    found = scans_of_sent(
        "SELECT message.text FROM memory_atom atom"
        " JOIN memory_evidence receipt ON receipt.of_atom_id = atom.id"
        " JOIN memory_message message ON message.id = receipt.message_id WHERE atom.status = 'live'",
        None,
    )
    assert {scan.table: scan.is_bound for scan in found} == {
        "memory_atom": False,
        "memory_evidence": False,
        "memory_message": False,
    }


@pytest.mark.django_db
def test_the_settings_of_the_reader_end_with_it() -> None:
    with planner() as cursor:
        cursor.execute("SHOW enable_seqscan")
        within = cursor.fetchone()
    with connection.cursor() as cursor:
        cursor.execute("SHOW enable_seqscan")
        assert (within, cursor.fetchone()) == (("off",), ("on",))
