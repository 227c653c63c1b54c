"""The register of columns is whole: a new column of text is classified, or this fails."""

from __future__ import annotations

import pytest
from django.db import connection

from memory.stewardship.words import REGISTER, Erasing

pytestmark = pytest.mark.django_db

WORDY = ("text", "character varying", "character", "json", "jsonb", "ARRAY", "bytea", "xml", "name")


def columns_of_the_database() -> dict[str, set[str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name)"
            " WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'"
        )
        found: dict[str, set[str]] = {}
        for table, column, kind in cursor.fetchall():
            columns = found.setdefault(table, set())
            if kind in WORDY:
                columns.add(column)
        return found


def test_every_column_that_can_hold_words_is_classified() -> None:
    registered = {name: {*table.words, *table.names, *table.other} for name, table in REGISTER.items()}
    assert registered == columns_of_the_database()


def test_tables_said_to_hold_no_words_name_none() -> None:
    silent = [name for name, table in REGISTER.items() if table.erasing is Erasing.NONE]
    assert [name for name in silent if REGISTER[name].words or REGISTER[name].names] == []


def test_the_planner_keeps_nothing_of_words() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attrelid::regclass::text, attname FROM pg_attribute"
            " WHERE attstattarget = 0 AND attrelid::regclass::text = ANY(%s)",
            [list(REGISTER)],
        )
        silenced = set(cursor.fetchall())
    assert silenced == {
        (name, column) for name, table in REGISTER.items() for column in (*table.words, *table.names)
    }
