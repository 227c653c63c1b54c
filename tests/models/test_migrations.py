"""The migrations go forwards, backwards and forwards again, in a database of their own."""

import os
from collections.abc import Iterator
from itertools import pairwise

import pytest
from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from memseek_site.databases import connected_as_owner

ALIAS = "scratch"
# Ends in the process number, so that tests/conftest.py removes what a killed run left.
NAME = f"test_memseek_scratch_{os.getpid()}"
STAGES = [
    ("memory", name)
    for name in (
        "0001_tables",
        "0002_integrity",
        "0003_search",
        "0004_search_integrity",
        "0005_designs",
        "0006_changed_atoms",
        "0007_sessions_claims_graph",
        "0008_sessions_claims_graph_integrity",
        "0009_stewardship_skills",
        "0010_stewardship_skills_integrity",
        "0011_erasing",
        "0012_shares_replies_events",
        "0013_chat_runs",
        "0014_atoms_counted",
        "0015_urgent_work",
        "0016_one_constraint_a_reference",
        "0017_record_counts",
        "0018_newest_units",
        "0019_claims_said_earlier",
    )
]
SCHEMA = """
    SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid::regclass::text LIKE 'memory\\_%%'
    UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'memory\\_%%'
    UNION ALL SELECT tgrelid::regclass::text, tgname::text, pg_get_triggerdef(oid) FROM pg_trigger
    WHERE tgrelid::regclass::text LIKE 'memory\\_%%' AND NOT tgisinternal
    UNION ALL SELECT 'function', proname::text, prosrc FROM pg_proc WHERE proname LIKE 'memory\\_%%'
    UNION ALL SELECT 'sequence', relname::text, '' FROM pg_class
    WHERE relkind = 'S' AND relname LIKE 'memory\\_%%'
    UNION ALL SELECT table_name, column_name, data_type || is_nullable || coalesce(column_default, '')
    FROM information_schema.columns WHERE table_name LIKE 'memory\\_%%'
    ORDER BY 1, 2, 3
"""


@pytest.fixture
def scratch(transactional_db: None) -> Iterator[BaseDatabaseWrapper]:
    """A connection of the schema's owner to an empty database."""
    with connected_as_owner():
        run(connection, f'CREATE DATABASE "{NAME}"')
        owner = {**connection.settings_dict, **(settings.DATABASE_OWNER or {}), "NAME": NAME, "OPTIONS": {}}
        connections[ALIAS] = connection.copy(ALIAS)
        connections[ALIAS].settings_dict.update(owner)
        try:
            yield connections[ALIAS]
        finally:
            connections[ALIAS].close()
            del connections[ALIAS]
            run(connection, f'DROP DATABASE "{NAME}" WITH (FORCE)')


def run(database: BaseDatabaseWrapper, statement: str) -> None:
    with database.cursor() as cursor:
        cursor.execute(statement)


def migrate(database: BaseDatabaseWrapper, target: tuple[str, str]) -> list[tuple[str, ...]]:
    """Go to a migration and give the whole schema of the memory tables as it is then."""
    MigrationExecutor(database).migrate([target])
    with database.cursor() as cursor:
        cursor.execute(SCHEMA, [])
        return [tuple(row) for row in cursor.fetchall()]


def test_the_migrations_go_forwards_backwards_and_forwards_again(scratch: BaseDatabaseWrapper) -> None:
    forwards = [migrate(scratch, stage) for stage in STAGES]
    backwards = [migrate(scratch, stage) for stage in reversed(STAGES[:-1])]
    smaller = [
        stage
        for stage, (before, after) in zip(STAGES[1:], pairwise(forwards), strict=True)
        if len(after) < len(before)
    ]
    # It takes constraints away; each of the others adds something, or changes it.
    assert smaller == [("memory", "0016_one_constraint_a_reference")]
    assert [before != after for before, after in pairwise(forwards)] == [True] * (len(STAGES) - 1)
    assert backwards == forwards[-2::-1]
    assert migrate(scratch, STAGES[-1]) == forwards[-1]
